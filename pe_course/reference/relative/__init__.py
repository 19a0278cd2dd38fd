"""Relative methods whose score term depends on content: vectors that meet queries and keys.

Every ``*_scores`` function returns what its method adds to the content score q·k **before** the scale::

    scores = (queries @ keysᵀ + term) * scale        scale = 1/√D

DeBERTa's scale is `deberta_scale`. Positions, never lengths, say where queries and keys stand; key heads are already
repeated to the query heads; a causal mask is the caller's.
"""

from pe_course.reference.relative.deberta import (
    deberta_log_bucket,
    deberta_relative_index,
    deberta_scale,
    deberta_scores,
)
from pe_course.reference.relative.expansion import ScoreTerms, expanded_score_terms
from pe_course.reference.relative.huang import huang_scores
from pe_course.reference.relative.shaw import (
    relative_position_index,
    relative_vectors,
    shaw_scores,
    shaw_values,
)
from pe_course.reference.relative.transformer_xl import rel_shift, rel_shift_gather, transformer_xl_scores
from pe_course.reference.relative.xlnet import (
    xlnet_rel_shift,
    xlnet_relative_positions,
    xlnet_scores,
    xlnet_segment_scores,
)

__all__ = [
    "ScoreTerms",
    "deberta_log_bucket",
    "deberta_relative_index",
    "deberta_scale",
    "deberta_scores",
    "expanded_score_terms",
    "huang_scores",
    "rel_shift",
    "rel_shift_gather",
    "relative_position_index",
    "relative_vectors",
    "shaw_scores",
    "shaw_values",
    "transformer_xl_scores",
    "xlnet_rel_shift",
    "xlnet_relative_positions",
    "xlnet_scores",
    "xlnet_segment_scores",
]
