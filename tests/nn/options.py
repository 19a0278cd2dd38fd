"""The options with which each method is built in tests: 4 heads of width 8, a model of width 32."""

from typing import Any

HEADS, HEAD_DIM, DIM = 4, 8, 32

OPTIONS: dict[str, dict[str, Any]] = {
    "nope": {},
}
