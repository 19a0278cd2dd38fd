"""All methods of `pe_course.nn` side by side: what each costs, knows and allows, measured on the modules themselves.

- `cases`: one entry per method, with the options that a common shape of model gives it
- `probes`: what the hooks of a method do, asked of the hooks
- `maps`: attention maps of all methods on one text
- `table`: all of it in one table
"""

import pe_course._torch  # noqa: F401  (says what to install where torch is missing)
from pe_course.comparison.cases import CASES, Case, Shape
from pe_course.comparison.maps import SENTENCES, Sentence, attention_map
from pe_course.comparison.table import comparison, rows

__all__ = ["CASES", "SENTENCES", "Case", "Sentence", "Shape", "attention_map", "comparison", "rows"]
