"""The options with which each method is built in tests: 4 heads of width 8, a model of width 32."""

from typing import Any

HEADS, HEAD_DIM, DIM = 4, 8, 32

_SHORT, _LONG = (1.0, 1.1, 1.2, 1.3), (1.0, 2.0, 3.0, 4.0)

OPTIONS: dict[str, dict[str, Any]] = {
    "nope": {},
    "rope": {"head_dim": HEAD_DIM},
    "rope_linear": {"head_dim": HEAD_DIM, "factor": 2.0},
    "rope_ntk": {"head_dim": HEAD_DIM, "factor": 2.0},
    "rope_dynamic": {"head_dim": HEAD_DIM, "factor": 2.0, "max_position_embeddings": 64},
    "rope_ntk_by_parts": {"head_dim": HEAD_DIM, "factor": 4.0, "original_max_position_embeddings": 64},
    "rope_yarn": {"head_dim": HEAD_DIM, "factor": 4.0, "original_max_position_embeddings": 64},
    "rope_llama3": {
        **{"head_dim": HEAD_DIM, "factor": 8.0, "original_max_position_embeddings": 64},
        **{"low_freq_factor": 1.0, "high_freq_factor": 4.0},
    },
    "rope_longrope": {
        **{"head_dim": HEAD_DIM, "short_factor": _SHORT, "long_factor": _LONG},
        **{"original_max_position_embeddings": 64, "factor": 4.0},
    },
    "p_rope": {"head_dim": HEAD_DIM, "partial_rotary_factor": 0.5},
    "xpos": {"head_dim": HEAD_DIM},
    "axial_rope": {"head_dim": HEAD_DIM},
    "mrope": {"head_dim": HEAD_DIM, "mrope_section": (2, 1, 1)},
    "rerope": {"head_dim": HEAD_DIM, "window": 4},
    "logn": {"train_length": 8},
    "llama4_temperature": {"floor_scale": 4},
    "ministral_scale": {"original_max_position_embeddings": 4},
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
    "shaw": {"max_relative_position": 4, "head_dim": HEAD_DIM},
    "huang": {"max_relative_position": 4, "head_dim": HEAD_DIM},
    "transformer_xl": {"num_heads": HEADS, "head_dim": HEAD_DIM},
    "xlnet": {"num_heads": HEADS, "head_dim": HEAD_DIM},
    "deberta": {"num_heads": HEADS, "head_dim": HEAD_DIM},
}
