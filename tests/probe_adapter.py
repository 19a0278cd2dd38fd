"""The package under the names of a public set of probes: NumPy in, NumPy out, lengths where we take positions.

A probe is a small input behind a public bug report. This module translates names (``halves`` is our ``half``, in
sinusoids ``concat``), turns lengths into positions and calls the package; it holds no formula of its own. B batch,
H heads, T tokens, D head width, q and k lengths. "Queries last": the q queries are the last q of the k positions.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from pe_course import nn as pe_nn
from pe_course.reference import absolute, attention, bias, positions, relative, rotary, scaling

SINUSOID_LAYOUTS = {"halves": "concat"}
ROTARY_LAYOUTS = {"halves": "half"}


# Absolute positions


def sinusoidal(n_pos, d_model, base=1e4, layout="interleaved"):
    """[n_pos, d_model]; an odd width is refused."""
    layout = SINUSOID_LAYOUTS.get(layout, layout)
    return absolute.sinusoidal_positions(absolute.integer_positions(n_pos), d_model, base=base, layout=layout)


def add_positional(x, pe, batch_first=True):
    """x [B, T, D] or [T, B, D] with rows 0…T−1 of pe [max_len, D]."""
    x = np.asarray(x)
    if x.ndim != 3:
        raise ValueError(f"x must have 3 axes, got shape {x.shape}")
    length = x.shape[1] if batch_first else x.shape[0]
    rows = absolute.learned_positions(absolute.integer_positions(length), pe)
    if rows.shape[-1] != x.shape[-1]:
        raise ValueError(f"pe must have the width of x, {x.shape[-1]}, got {rows.shape[-1]}")
    return _like(x, x + (rows[None] if batch_first else rows[:, None]))


def lookup_positions(table, positions):
    """Rows of table [N, D]; a position outside 0…N−1 is refused."""
    return absolute.learned_positions(positions, table)


def positions_from_mask(mask):
    return positions.positions_from_mask(mask)


def packed_positions(lengths):
    return positions.packed_positions(lengths)


def roberta_positions(input_ids, padding_idx):
    return positions.roberta_positions(input_ids, padding_idx)


def decode_positions(n_seen, n_new):
    return positions.decode_positions(n_seen, n_new)


def shard_positions(seq_len, world, rank, scheme="contiguous"):
    return positions.shard_positions(seq_len, world, rank, scheme=scheme)


def causal_mask(q, k):
    return attention.causal_mask(q, k)


# Rotary positions


def rope_inv_freq(dim, base=1e4):
    return rotary.rope_frequencies(dim, base=base)


def rope(x, positions, base=1e4, layout="interleaved", rotary_dim=None, inv_freq=None):
    """x [..., T, D] turned at positions [T], or [B, T] beside x [B, H, T, D]."""
    layout = ROTARY_LAYOUTS.get(layout, layout)
    turned = rotary.apply_rope(x, positions, base=base, layout=layout, rotary_dim=rotary_dim, inv_freq=inv_freq)
    return _like(x, turned)


def permute_qk(w, n_heads):
    """Rows of a projection for interleaved pairs, reordered for half-split pairs."""
    return _like(w, rotary.permute_projection(w, n_heads, to="half"))


def rope_attention(q, k, v, q_positions, k_positions, base=1e4):
    """One head, causal by position: a key is seen if its position is not above the query's."""
    mask = np.asarray(k_positions)[None, :] <= np.asarray(q_positions)[:, None]
    rotated = [rope(x, at, base) for x, at in ((q, q_positions), (k, k_positions))]
    return _like(q, attention.attention(*rotated, v, mask=mask))


# A longer context


def pi_inv_freq(dim, base, factor):
    return scaling.rope_scaling_linear(dim, factor=factor, base=base)[0]


def ntk_base(base, factor, dim):
    return scaling.ntk_base(base, factor, dim)


def make_dynamic_ntk(dim, base, factor, orig_max):
    """A function of the present length that remembers no earlier one."""

    def inv_freq_at(seq_len):
        return scaling.rope_scaling_dynamic(
            dim, max_position_embeddings=orig_max, seq_len=seq_len, factor=factor, base=base
        )[0]

    return inv_freq_at


def yarn_inv_freq(dim, base, factor, orig_max, beta_fast=32, beta_slow=1, truncate=True):
    return scaling.rope_scaling_yarn(
        dim,
        factor=factor,
        original_max_position_embeddings=orig_max,
        base=base,
        beta_fast=beta_fast,
        beta_slow=beta_slow,
        truncate=truncate,
    )[0]


def yarn_mscale(factor, mscale=None, mscale_all_dim=None, attention_factor=None):
    """The number on cos and sin. A factor of at most 1 extends nothing, as `scaling.yarn_mscale` has it."""
    scaling.yarn_mscale(factor)
    return scaling.yarn_attention_factor(
        max(factor, 1.0), mscale=mscale, mscale_all_dim=mscale_all_dim, attention_factor=attention_factor
    )


def llama3_inv_freq(dim, base, factor, low_freq_factor, high_freq_factor, orig_max):
    return scaling.rope_scaling_llama3(
        dim,
        factor=factor,
        low_freq_factor=low_freq_factor,
        high_freq_factor=high_freq_factor,
        original_max_position_embeddings=orig_max,
        base=base,
    )[0]


def longrope_inv_freq(dim, base, short_factor, long_factor, seq_len, orig_max):
    """The frequencies alone; the factor on cos and sin is named as 1 because nothing here asks for it."""
    return scaling.rope_scaling_longrope(
        dim,
        short_factor=short_factor,
        long_factor=long_factor,
        original_max_position_embeddings=orig_max,
        seq_len=seq_len,
        attention_factor=1.0,
        base=base,
    )[0]


def logn_scale(positions, train_len):
    """Positions count from 1 here, ours from 0."""
    return scaling.logn_scale(np.subtract(positions, 1.0), train_len)


def xpos_scores(q, k, q_positions, k_positions, base=1e4, scale_base=512, gamma=0.4):
    """Unscaled logits [Tq, Tk]."""
    options = {"base": base, "scale_base": scale_base, "gamma": gamma}
    queries = rotary.apply_xpos(q, q_positions, role="query", **options)
    keys = rotary.apply_xpos(k, k_positions, role="key", **options)
    return queries @ np.swapaxes(keys, -1, -2)


# Biases and relative vectors


def alibi_slopes(n_heads):
    return bias.alibi_slopes(n_heads)


def alibi_bias(n_heads, q, k, causal=True):
    form = "causal" if causal else "symmetric"
    return bias.alibi_bias(*_queries_last(q, k), bias.alibi_slopes(n_heads), form=form)


def alibi_from_mask(mask, n_heads):
    """[B, H, T, T]; distances count real tokens, whatever padding stands between them."""
    at = positions.positions_from_mask(mask)
    return bias.alibi_bias(at, at, bias.alibi_slopes(n_heads))


def t5_bucket(rel, bidirectional=True, num_buckets=32, max_distance=128):
    """rel is key − query."""
    return bias.t5_relative_position_bucket(
        rel, bidirectional=bidirectional, num_buckets=num_buckets, max_distance=max_distance
    )


def t5_bias(table, q, k, bidirectional=True):
    return bias.t5_bias(table, *_queries_last(q, k), bidirectional=bidirectional)


def shaw_index(q, k, max_rel):
    return relative.relative_position_index(*_queries_last(q, k), max_rel)


def rel_shift(x):
    return relative.rel_shift(x)


def deberta_c2p_p2c(qc, kc, qr, kr, K):
    """qc, kc [T, d] content; qr, kr [2K, d] the projected table; both position terms, unscaled."""
    queries, keys = (absolute.integer_positions(len(rows)) for rows in (qc, kc))
    return relative.deberta_scores(
        qc, kc, queries, keys, position_keys=kr, position_queries=qr, max_relative_positions=K
    )


def kerple_log(r1, r2, q, k):
    """Positive parameters are taken as they are, others raised to the smallest value of the released code."""
    query, key = _queries_last(q, k)
    minimum = None if r1 > 0 and r2 > 0 else 0.01
    return bias.kerple_log(query[:, None] - key[None, :], r1, r2, minimum=minimum)


def fire_input(q, c, L):
    """The causal part; zeros above the diagonal."""
    at = absolute.integer_positions(q)
    return np.tril(bias.fire_input(at, at, c=c, threshold=L, eps=0.0))


# Torch modules


class _Rope(nn.Module):
    def __init__(self, dim, base):
        super().__init__()
        self.method = pe_nn.RotaryEmbedding(dim, base=base, layout="interleaved")

    def forward(self, x, positions):
        heads = x if x.ndim == 4 else x.reshape(1, -1, *x.shape[-2:])
        rotated, _ = self.method.rotate(heads, heads, positions, positions)
        return rotated.reshape(x.shape)


class _AddedToInput(nn.Module):
    def __init__(self, method):
        super().__init__()
        self.method = method

    def forward(self, x):
        return self.method.embed(x, torch.arange(x.shape[1], device=x.device))


def make_rope_module(dim, max_len=64, base=1e4):
    """forward(x [..., T, D], positions [T]). There is no table, so ``max_len`` limits nothing."""
    return _Rope(dim, base)


def make_sinusoidal_module(d_model, max_len=64):
    """forward(x [B, T, D]). There is no table, so ``max_len`` limits nothing."""
    return _AddedToInput(pe_nn.SinusoidalPositionalEncoding(d_model))


def make_learned_module(d_model, max_len=64):
    """forward(x [B, T, D]) with T at most ``max_len``."""
    return _AddedToInput(pe_nn.LearnedPositionalEmbedding(max_len, d_model))


def _queries_last(q, k):
    """Positions of the last q of k tokens, and of all k."""
    return positions.decode_positions(k - q, q), positions.decode_positions(0, k)


def _like(x, result):
    """``result`` in the dtype of ``x`` if that is a float."""
    dtype = np.asarray(x).dtype
    return result.astype(dtype) if np.issubdtype(dtype, np.floating) else result
