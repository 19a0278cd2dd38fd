"""The options with which each method is built in tests: 4 heads of width 8, a model of width 32."""

from typing import Any

HEADS, HEAD_DIM, DIM = 4, 8, 32

OPTIONS: dict[str, dict[str, Any]] = {
    "nope": {},
    "integer": {},
    "normalised": {},
    "sinusoidal": {"dim": DIM},
    "learned": {"max_position_embeddings": 512, "dim": DIM},
    "t5": {"num_heads": HEADS},
    "alibi": {"num_heads": HEADS},
    "kerple": {"num_heads": HEADS},
    "sandwich": {"num_heads": HEADS},
    "fire": {"num_heads": HEADS},
    "continuous": {"num_heads": HEADS},
    "cope": {"npos": 16, "head_dim": HEAD_DIM},
    "forgetting": {"dim": DIM, "num_heads": HEADS},
}
