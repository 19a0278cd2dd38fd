"""What the checks of absolute positions share: a table of sinusoids, and the mistakes people make with one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pe_course.claims.claim import Counterfeit
from pe_course.reference import absolute


def rows(length: int, dim: int) -> NDArray:
    return absolute.sinusoidal_positions(np.arange(length), dim)


def raises(error: type[Exception], function: Callable, *arguments) -> bool:
    try:
        function(*arguments)
    except error:
        return True
    return False


def of_frequencies(what: str, broken: Callable) -> Counterfeit:
    return Counterfeit(what, target="pe_course.reference.absolute:sinusoidal_frequencies", broken=broken)


def of_rows(what: str, broken: Callable) -> Counterfeit:
    return Counterfeit(what, target="pe_course.reference.absolute:sinusoidal_positions", broken=broken)


SLOW_FIRST = of_frequencies("the slow pairs come first", lambda right: lambda dim, **o: right(dim, **o)[::-1])
TO_ENDPOINT = of_frequencies(
    "the exponent ends at 1, as in Tensor2Tensor",
    lambda right: lambda dim, base=10000.0, endpoint=False: right(dim, base=base, endpoint=True),
)
SQUARED = of_frequencies("the exponent is 4m/d", lambda right: lambda dim, **o: right(dim, **o) ** 2)
DENOMINATOR = of_frequencies(
    "the denominator taken for the frequency", lambda right: lambda dim, **o: 1 / right(dim, **o)
)
INTEGER_DIVISION = of_frequencies(
    "integer division in the exponent", lambda right: lambda dim, **o: np.ones_like(right(dim, **o))
)
COSINE_FIRST = of_rows(
    "cosine before sine",
    lambda right: lambda p, dim, **o: right(p, dim, **o)[..., np.arange(dim) ^ 1],
)
FROM_ONE = of_rows("positions start at 1", lambda right: lambda p, dim, **o: right(np.asarray(p) + 1, dim, **o))
NO_POSITIONS = of_rows("zeros for every position", lambda right: lambda p, dim, **o: 0 * right(p, dim, **o))
WRAPPING_TABLE = Counterfeit(
    "a table that starts again after its last row",
    target="pe_course.reference.absolute:learned_positions",
    broken=lambda right: lambda positions, table: right(np.asarray(positions) % len(table), table),
)
SINES_ONLY = of_rows("sines without cosines", lambda right: lambda p, dim, **o: right(p, 2 * dim, **o)[..., ::2])
