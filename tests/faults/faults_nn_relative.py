"""Faults of the relative modules: what is easily confused when vectors of distances meet queries and keys."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from faults.fault import Fault
from kernels import test_flex_relative as flex_tests
from nn import test_relative as tests

from pe_course.nn.relative import _content

ROOM = "pe_course.nn.relative"


def _instead(wrong: Callable[..., Any]) -> Callable:
    """Something else in place of the right function."""
    return lambda right: wrong


def _result(change: Callable[[Any], Any]) -> Callable:
    return lambda right: lambda *args, **given: change(right(*args, **given))


def _argument(position: int, change: Callable[[Any], Any]) -> Callable:
    def broken(right):
        return lambda *args: right(*args[:position], change(args[position]), *args[position + 1 :])

    return broken


def _with(**attributes: Any) -> Callable:
    """A module that forgets an option after it was built."""

    def broken(right):
        def init(self, *args, **given):
            right(self, *args, **given)
            for name, value in attributes.items():
                setattr(self, name, value)

        return init

    return broken


def _rows(method: str, *rows: tuple) -> list[Fault]:
    """Rows of: what is wrong, target in this room, the broken function, variant and positions of the test."""
    return [
        Fault(
            f"nn.{method}",
            what,
            f"{ROOM}.{target}",
            broken,
            tests.test_bias_is_the_reference,
            {"variant": variant, "where": where},
        )
        for what, target, broken, variant, where in rows
    ]


def _swap_halves(vectors: torch.Tensor) -> torch.Tensor:
    return torch.cat(vectors.chunk(2, -1)[::-1], -1)


def _signed(right):
    """Distances of both signs meet at the end of the table instead of at its start."""
    return lambda self: {"row_of_distance": self._rows_of(np.arange(self.rows)).clip(max=self.max_relative_position)}


def _whole_product(right):
    return lambda self, call, rows: right(self, call, rows) + call.q @ call.keys_per_query_head().mT


def _query_term_only(right):
    return lambda self, call, rows: _content.pick(call.q @ self.table.mT, rows)


def _as_if_both_ways(right):
    def term(self, call):
        self.attn_type = "bi"
        found = right(self, call)
        self.attn_type = "uni"
        return found

    return term


def _without_buckets(right):
    def init(self, *args, **given):
        given["max_relative_positions"] = given.pop("position_buckets", -1)
        right(self, *args, **given)
        self.max_relative_positions, self.position_buckets = 16, 4

    return init


_CLIPPED = _result(lambda found: (found[0], None))

SHAW = [
    *_rows(
        "shaw",
        (
            "rows in the order of query - key",
            "shaw:ShawRelativePosition._rows_of",
            _result(lambda r: r[::-1].copy()),
            "shaw",
            "full",
        ),
        ("a row too far", "_clipped:rows_at", _argument(1, lambda lowest: lowest - 1), "shaw", "full"),
        ("not scaled", "shaw:ShawRelativePosition.sm_scale", _instead(lambda self, head_dim: 1.0), "shaw", "full"),
        (
            "clips where VITS leaves out",
            "shaw:ShawRelativePosition._lookup",
            _CLIPPED,
            "shaw_zero",
            "full",
        ),
    ),
    Fault(
        "nn.shaw",
        "the vector of the key's own row in place of each pair's",
        f"{ROOM}.shaw:ShawRelativePosition._lookup",
        _result(lambda found: (found[0].mT, found[1])),
        tests.test_value_bias_is_the_reference,
        {"variant": "shaw_values", "where": "full"},
    ),
    Fault(
        "nn.shaw",
        "no vectors for values",
        f"{ROOM}.shaw:ShawRelativePosition.value_bias",
        _instead(lambda self, probs, pos_q, pos_k: None),
        tests.test_attention_with_values_is_the_whole_of_shaw,
    ),
]

HUANG = _rows(
    "huang",
    (
        "method 1 with a sign",
        "huang:HuangRelativePosition._tables",
        _signed,
        "huang_1",
        "full",
    ),
    (
        "factor in place of its change",
        "huang:HuangRelativePosition._multiplied",
        _whole_product,
        "huang_2",
        "full",
    ),
    ("rows of the pair turned round", "huang:pick", _argument(1, lambda rows: rows.mT), "huang_4", "full"),
    ("key term left out", "huang:HuangRelativePosition._added", _query_term_only, "huang_4", "full"),
    ("row of key - query", "_clipped:rows_at", _argument(2, lambda distance: -distance), "huang_3", "full"),
)


SINUSOID = "_sinusoid:SinusoidMethod"
_USE_CONTENT_BIAS = _instead(lambda self, call: call.q + self.content_bias[:, None])
_TURNED_BACK = _argument(1, lambda positions: -positions)

TRANSFORMER_XL = [
    *_rows(
        "transformer_xl",
        ("u in place of v", f"{SINUSOID}._queries", _USE_CONTENT_BIAS, "transformer_xl", "full"),
        ("distance key - query", f"{SINUSOID}._sinusoid", _TURNED_BACK, "transformer_xl", "full"),
        ("cosines first", f"{SINUSOID}._sinusoid", _result(_swap_halves), "transformer_xl", "full"),
        ("no term for u", f"{SINUSOID}._content_term", _result(torch.zeros_like), "transformer_xl", "one_query"),
        (
            "angles not cut",
            f"{SINUSOID}._cut",
            _instead(lambda self, term, *_: term),
            "transformer_xl_clamped",
            "one_query",
        ),
        (
            "distances not cut",
            "transformer_xl:TransformerXLRelative.__init__",
            _with(highest=math.inf),
            "transformer_xl_clamped",
            "full",
        ),
    ),
    Fault(
        "nn.transformer_xl",
        "heads of u in another order than heads of keys",
        f"{ROOM}.{SINUSOID}._content_term",
        _result(lambda term: term.flip(1)),
        tests.test_bias_is_the_reference,
        {"variant": "transformer_xl", "where": "last_queries"},
    ),
]

XLNET = _rows(
    "xlnet",
    (
        "segments taken the other way",
        "xlnet:XLNetRelative._segment_term",
        _argument(3, lambda keys: 1 - keys),
        "xlnet_bi",
        "full",
    ),
    ("no segment term", "xlnet:_segments", _instead(lambda call: None), "xlnet_bi", "full"),
    ("future distances kept", "xlnet:XLNetRelative._term", _as_if_both_ways, "xlnet_uni", "full"),
    ("cut on one side only", "xlnet:XLNetRelative.__init__", _with(lowest=-math.inf), "xlnet_clamped", "full"),
    (
        "table one distance too far",
        f"{SINUSOID}._by_distance",
        _argument(2, lambda d: range(d.start + 1, d.stop + 1)),
        "xlnet_uni",
        "full",
    ),
)


_TILED = _instead(lambda call: call.k.repeat(1, call.q.shape[1] // call.k.shape[1], 1, 1))
_OTHER_WAY = _instead(lambda self, distance, rows: self._rows_at(-distance))
_EDGE = _instead(lambda self, distance: torch.bucketize(distance, self.first_distance))

DEBERTA = _rows(
    "deberta",
    ("the paper's index", "deberta:DisentangledRelative._p2c_rows", _OTHER_WAY, "deberta", "full"),
    ("a row too few", "deberta:DisentangledRelative._rows_at", _EDGE, "deberta_buckets", "full"),
    ("key heads of another group", "_content:Call.keys_per_query_head", _TILED, "deberta_p2c", "full"),
    (
        "scale of one term",
        "deberta:DisentangledRelative.sm_scale",
        _instead(lambda self, d: d**-0.5),
        "deberta",
        "full",
    ),
    (
        "no bucket beyond the exact ones",
        "deberta:DisentangledRelative.__init__",
        _without_buckets,
        "deberta_buckets",
        "full",
    ),
)


def _flex_fault(what: str, name: str, broken: Callable, caught_by: Callable[..., None], **arguments: Any) -> Fault:
    return Fault("kernels.flex_relative", what, f"pe_course.kernels.flex:{name}", broken, caught_by, arguments)


FLEX = [
    _flex_fault(
        "rows not taken as far as they go",
        "_row_of_pair",
        _argument(1, lambda lowest: lowest + 1),
        flex_tests.test_query_rows_are_gathered_by_distance,
        where="shared",
    ),
    _flex_fault(
        "distance key - query",
        "_row_of_pair",
        _argument(0, lambda rows: rows.flip(0)),
        flex_tests.test_key_rows_are_gathered_by_distance,
        where="per_row",
    ),
    _flex_fault(
        "only the last modification",
        "in_turn",
        _instead(lambda *mods: mods[-1]),
        flex_tests.test_modifications_apply_in_turn,
    ),
    _flex_fault(
        "content of the query in place of the key's",
        "from_keys",
        _instead(lambda by_key: lambda score, b, h, i, j: score + by_key[b, h, i]),
        flex_tests.test_one_number_per_key,
    ),
]

FAULTS: list[Fault] = [*SHAW, *HUANG, *TRANSFORMER_XL, *XLNET, *DEBERTA, *FLEX]
