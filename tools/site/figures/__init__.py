"""Pictures that a reader moves: one module each, drawn once with the package's own functions.

To add one: a module here with a function ``draw(**options) -> MovingFigure``, its line in
`FIGURES`, and a script of the same name in web/src/figures that moves what is drawn here.
"""

from __future__ import annotations

from collections.abc import Callable

from tools.site.figures import (
    alibi_slopes,
    attention_maps,
    bias_to_zero,
    clock_hands,
    ct_slices,
    ecg_buckets,
    frequency_map,
    heat_map,
    integer_bfloat16,
    right_and_wrong,
    rope_rotation,
    score_terms,
    t5_buckets,
    ward_beds,
)
from tools.site.figures.moving_figure import MovingFigure

FIGURES: dict[str, Callable[..., MovingFigure]] = {
    "alibi-slopes": alibi_slopes.draw,
    "attention-maps": attention_maps.draw,
    "bias-to-zero": bias_to_zero.draw,
    "clock-hands": clock_hands.draw,
    "ct-slices": ct_slices.draw,
    "ecg-buckets": ecg_buckets.draw,
    "frequency-map": frequency_map.draw,
    "heat-map": heat_map.draw,
    "integer-bfloat16": integer_bfloat16.draw,
    "right-and-wrong": right_and_wrong.draw,
    "rope-rotation": rope_rotation.draw,
    "score-terms": score_terms.draw,
    "t5-buckets": t5_buckets.draw,
    "ward-beds": ward_beds.draw,
}

__all__ = ["FIGURES", "MovingFigure"]
