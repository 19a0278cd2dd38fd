"""Faults of the rotations on the device."""

from __future__ import annotations

import numpy as np
import torch
from faults.fault import Fault
from nn import test_rotary as tests

from pe_course.reference import rotary, scaling

ROTARY = "pe_course.nn.rotary"
METHOD = f"{ROTARY}.turning:RotationMethod"
ROPE = f"{ROTARY}.rope:RotaryEmbedding"
OTHER_LAYOUT = {"half": "interleaved", "interleaved": "half"}


def fault(method, what, target, broken, caught_by, /, **arguments) -> Fault:
    return Fault(method, what, target, broken, caught_by, arguments)


def _turn(change):
    """`turn` of changed cos and sin."""
    return lambda right: lambda x, cos, sin, **options: right(x, *change(cos, sin), **options)


def _turn_options(change):
    return lambda right: lambda x, cos, sin, **options: right(x, cos, sin, **{**options, **change(options)})


def _angles_in(dtype):
    """Angles in a narrow dtype, as libraries compute them."""

    def broken(right):
        def cos_sin(self, positions, inv_freq):
            angles = positions.to(dtype)[..., None] * inv_freq.to(dtype)
            return angles.cos(), angles.sin()

        return cos_sin

    return broken


def _positions_from_zero(right):
    return lambda self, positions, inv_freq: right(self, positions - positions[..., :1], inv_freq)


def _first_row_only(right):
    def broken(self, positions, inv_freq):
        return right(self, positions[:1] if positions.ndim == 2 else positions, inv_freq)

    return broken


def _keys_with_the_queries_positions(right):
    def broken(self, inv_freq, q, k, pos_q, pos_k):
        return right(self, inv_freq, q, k, pos_q, pos_q if pos_q.shape == pos_k.shape else pos_k)

    return broken


def _values_too_soon_rounded(right):
    """cos and sin in the dtype of the activations."""

    def broken(x, cos, sin, **options):
        return right(x, cos.to(x.dtype).double(), sin.to(x.dtype).double(), **options)

    return broken


def _cast_with_the_module(right):
    """Tables go where the module goes, and lose their digits on the way."""
    return lambda self, fn, recurse=True: torch.nn.Module._apply(self, fn, recurse)


def _exponent_by_the_head(right):
    return lambda self: {"inv_freq": rotary.rope_frequencies(self.head_dim)[: self.rotary_dim // 2]}


def _length_of_the_keys(right):
    """The number of keys in place of the positions, and one short."""

    def broken(self, pos_q, pos_k):
        self._seq_len = pos_k.shape[-1] - 1
        inv_freq = torch.tensor(self._rule(self._seq_len)[0])
        self._seq_len = None
        return inv_freq

    return broken


def _longest_so_far(right):
    """Keeps the length of the longest call."""

    def broken(self, pos_q, pos_k):
        self.__dict__["longest"] = max(self.__dict__.get("longest", 0), int(pos_k.max()) + 1)
        return torch.tensor(self._rule(self.__dict__["longest"])[0])

    return broken


def _same_axis(right):
    return lambda self: {**right(self), "pair_axis": np.zeros(len(right(self)["pair_axis"]), int)}


def _axes_reversed(right):
    return lambda self: {**right(self), "pair_axis": right(self)["pair_axis"][::-1].copy()}


def _frequencies_reversed(right):
    return lambda self: {**right(self), "inv_freq": right(self)["inv_freq"][::-1].copy()}


def _both_like_queries(right):
    return lambda self, x, positions, *, sign: right(self, x, positions, sign=1.0)


def _roles_exchanged(right):
    return lambda self, x, positions, *, sign: right(self, x, positions, sign=-sign)


def _decay_unscaled(right):
    def broken(self):
        tables = right(self)
        return {**tables, "log_scale": tables["log_scale"] * self.scale_base / 512}

    return broken


def _no_bias(right):
    return lambda self, pos_q, pos_k, **content: 0 * right(self, pos_q, pos_k, **content)


def _bias_unscaled(right):
    return lambda self, pos_q, pos_k, **content: right(self, pos_q, pos_k, **content) * 8**0.5


def _bias_minus(right):
    return lambda self, pos_q, pos_k, **content: -right(self, pos_q, pos_k, **content)


def _window_one_more(right):
    def broken(self, pos_q, pos_k, **content):
        self.window += 1
        bias = right(self, pos_q, pos_k, **content)
        self.window -= 1
        return bias

    return broken


def _scale_forgotten(right):
    return lambda config, parameters, rope_type: 1.0


def _scale_not_squared(right):
    return lambda config, parameters, rope_type: right(config, parameters, rope_type) ** 0.5


def _scale_for_everyone(right):
    return lambda config, parameters, rope_type: scaling.yarn_softmax_scale_factor(
        parameters["factor"], mscale_all_dim=parameters["mscale_all_dim"]
    )


def _first_channels(right):
    return lambda config, found: (right(config, found)[0], 0)


FAULTS = [
    fault(
        "RoPE module",
        "clockwise",
        f"{ROTARY}.turning:turn",
        _turn(lambda c, s: (c, -s)),
        tests.test_the_default_layout_is_half,
    ),
    fault(
        "RoPE module",
        "cosine for sine",
        f"{ROTARY}.turning:turn",
        _turn(lambda c, s: (s, c)),
        tests.test_the_default_layout_is_half,
    ),
    fault(
        "RoPE module",
        "other layout",
        f"{ROTARY}.turning:turn",
        _turn_options(lambda o: {"layout": OTHER_LAYOUT[o["layout"]]}),
        tests.test_rope_is_the_reference,
        layout="interleaved",
        rotary_dim=None,
    ),
    fault(
        "RoPE module",
        "wrong channels",
        f"{ROTARY}.turning:turn",
        _turn_options(lambda o: {"start": 0}),
        tests.test_channels_before_the_start_pass_unchanged,
    ),
    fault(
        "RoPE module",
        "rounded tables",
        f"{ROTARY}.turning:turn",
        _values_too_soon_rounded,
        tests.test_half_precision_is_rounded_once,
        dtype=torch.bfloat16,
    ),
    fault(
        "RoPE module",
        "float32 angles",
        f"{METHOD}._cos_sin",
        _angles_in(torch.float32),
        tests.test_float32_is_right_far_out,
        name="rope",
        position=4095,
        limit=5e-7,
        device="cpu",
    ),
    fault(
        "RoPE module",
        "positions from 0",
        f"{METHOD}._cos_sin",
        _positions_from_zero,
        tests.test_rope_is_the_reference,
        layout="half",
        rotary_dim=None,
    ),
    fault(
        "RoPE module",
        "first batch row only",
        f"{METHOD}._cos_sin",
        _first_row_only,
        tests.test_positions_of_a_batch_belong_to_its_rows,
    ),
    fault(
        "RoPE module",
        "one position for both",
        f"{METHOD}._rotate_with",
        _keys_with_the_queries_positions,
        tests.test_positions_of_a_batch_belong_to_its_rows,
    ),
    fault(
        "RoPE module",
        "attention factor ignored",
        f"{METHOD}._turned",
        lambda right: lambda self, x, c, s: right(self, x, c / self.attention_factor, s / self.attention_factor),
        tests.test_every_scaling_is_the_reference,
        **dict(zip(("name", "options", "expected"), tests.SCALED[4], strict=True)),
    ),
    fault(
        "RoPE module",
        "tables cast with the module",
        "pe_course.nn.base:TableModule._apply",
        _cast_with_the_module,
        tests.test_tables_survive_casts_moves_copies_and_the_meta_device,
        name="rope",
    ),
    fault(
        "RoPE module",
        "exponent divided by the head",
        f"{ROPE}._tables",
        _exponent_by_the_head,
        tests.test_rope_is_the_reference,
        layout="half",
        rotary_dim=4,
    ),
    fault(
        "RoPE module",
        "scale of the scores ignored",
        f"{ROPE}.sm_scale",
        lambda right: lambda self, head_dim: head_dim**-0.5,
        tests.test_the_scale_of_the_scores,
    ),
    fault(
        "dynamic RoPE module",
        "one token short",
        f"{ROPE}._frequencies",
        _length_of_the_keys,
        tests.test_dynamic_frequencies_follow_the_longest_position,
        length=20,
    ),
    fault(
        "dynamic RoPE module",
        "length never shrinks",
        f"{ROPE}._frequencies",
        _longest_so_far,
        tests.test_a_short_call_after_a_long_one_gets_the_trained_frequencies,
    ),
    fault(
        "dynamic RoPE module",
        "trained frequencies always",
        f"{ROPE}._frequencies",
        lambda right: lambda self, pos_q, pos_k: self.inv_freq,
        tests.test_longrope_switches_its_list,
        length=20,
    ),
    fault(
        "dynamic RoPE module",
        "seq_len ignored",
        f"{ROPE}._tables",
        lambda right: lambda self: {"inv_freq": self._rule(None)[0]},
        tests.test_seq_len_survives_a_cast,
    ),
    fault(
        "dynamic RoPE module",
        "rotated keys said to last",
        f"{ROPE}.cache_rotated_ok",
        lambda right: True,
        tests.test_only_methods_that_follow_the_length_forbid_cached_rotations,
    ),
    fault(
        "RoPE from a config",
        "scale forgotten",
        f"{ROTARY}.config:_softmax_factor",
        _scale_forgotten,
        tests.test_a_config_of_deepseek,
    ),
    fault(
        "RoPE from a config",
        "scale not squared",
        f"{ROTARY}.config:_softmax_factor",
        _scale_not_squared,
        tests.test_a_config_of_deepseek,
    ),
    fault(
        "RoPE from a config",
        "scale for every model",
        f"{ROTARY}.config:_softmax_factor",
        _scale_for_everyone,
        tests.test_mscale_alone_leaves_other_models_their_scale,
    ),
    fault(
        "RoPE from a config",
        "first channels turn",
        f"{ROTARY}.config:_head",
        _first_channels,
        tests.test_a_config_of_deepseek,
    ),
    fault(
        "RoPE from a config",
        "layers mixed up",
        f"{ROTARY}.config:_parameters_of_layer",
        lambda right: lambda config, layer_type: {},
        tests.test_a_config_with_sections_is_mrope,
    ),
    fault(
        "xPos module",
        "keys scaled like queries",
        f"{ROTARY}.xpos:XPos._scaled",
        _both_like_queries,
        tests.test_xpos_decays_and_its_centre_cancels,
    ),
    fault(
        "xPos module",
        "roles exchanged",
        f"{ROTARY}.xpos:XPos._scaled",
        _roles_exchanged,
        tests.test_xpos_decays_and_its_centre_cancels,
    ),
    fault(
        "xPos module",
        "scale base ignored",
        f"{ROTARY}.xpos:XPos._tables",
        _decay_unscaled,
        tests.test_xpos_is_the_reference,
        layout="half",
        rotary_dim=None,
    ),
    fault(
        "xPos module",
        "reach not checked",
        f"{ROTARY}.xpos:XPos._check_reach",
        lambda right: lambda self, *a: None,
        tests.test_bad_calls,
        **dict(
            zip(
                ("name", "changed", "error", "pattern"),
                next(row for row in tests.BAD_CALLS if row[0] == "xpos"),
                strict=True,
            )
        ),
    ),
    fault(
        "axial RoPE module",
        "one axis for all",
        f"{ROTARY}.axial:AxialRotaryEmbedding._tables",
        _same_axis,
        tests.test_axial_rope_is_the_reference,
        variant="lang",
    ),
    fault(
        "axial RoPE module",
        "axes exchanged",
        f"{ROTARY}.axial:AxialRotaryEmbedding._tables",
        _axes_reversed,
        tests.test_axial_rope_is_the_reference,
        variant="qwen2_vl",
    ),
    fault(
        "axial RoPE module",
        "frequencies reversed",
        f"{ROTARY}.axial:AxialRotaryEmbedding._tables",
        _frequencies_reversed,
        tests.test_axial_rope_is_the_reference,
        variant="dinov3",
    ),
    fault(
        "M-RoPE module",
        "time for every pair",
        f"{ROTARY}.multimodal:MRope._tables",
        _same_axis,
        tests.test_mrope_is_the_reference,
        interleaved=False,
    ),
    fault(
        "M-RoPE module",
        "sections reversed",
        f"{ROTARY}.multimodal:MRope._tables",
        _axes_reversed,
        tests.test_mrope_is_the_reference,
        interleaved=False,
    ),
    fault(
        "M-RoPE module",
        "frequencies reversed",
        f"{ROTARY}.multimodal:MRope._tables",
        _frequencies_reversed,
        tests.test_mrope_is_the_reference,
        interleaved=True,
    ),
    fault(
        "ReRoPE module",
        "nothing clamped",
        f"{ROTARY}.rectified:ReRoPE.score_bias",
        _no_bias,
        tests.test_rerope_scores_are_the_reference,
        leaky_factor=None,
        layout="half",
    ),
    fault(
        "ReRoPE module",
        "plain minus clamped",
        f"{ROTARY}.rectified:ReRoPE.score_bias",
        _bias_minus,
        tests.test_rerope_scores_are_the_reference,
        leaky_factor=None,
        layout="half",
    ),
    fault(
        "ReRoPE module",
        "bias not scaled",
        f"{ROTARY}.rectified:ReRoPE.score_bias",
        _bias_unscaled,
        tests.test_rerope_scores_are_the_reference,
        leaky_factor=4.0,
        layout="half",
    ),
    fault(
        "ReRoPE module",
        "window one too far",
        f"{ROTARY}.rectified:ReRoPE.score_bias",
        _window_one_more,
        tests.test_rerope_scores_are_the_reference,
        leaky_factor=4.0,
        layout="half",
    ),
    fault(
        "ReRoPE module",
        "length of the far positions",
        f"{ROTARY}.rectified:ReRoPE._rotate_with",
        lambda right: (
            lambda self, inv_freq, q, k, pos_q, pos_k: right(self, self._frequencies(pos_q, pos_k), q, k, pos_q, pos_k)
        ),
        tests.test_rerope_keeps_the_length_of_the_call,
    ),
    fault(
        "ReRoPE module",
        "leak ignored",
        f"{ROTARY}.rectified:ReRoPE._reference_distance",
        lambda right: lambda self, distance: rotary.rerope_distance(distance, window=self.window),
        tests.test_rerope_scores_are_the_reference,
        leaky_factor=4.0,
        layout="half",
    ),
]
