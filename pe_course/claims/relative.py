"""Relative vectors: what the methods make of the four terms of a score."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pe_course.claims import lab_rows
from pe_course.claims.claim import Claim, Counterfeit, Measured
from pe_course.claims.judge import near
from pe_course.reference import absolute, bias, relative, rotary

WIDTH = 16
QUERY, KEY = [7], [3]

Vectors = NDArray[np.float64]


def parameters(seed: int = 5) -> dict[str, NDArray]:
    """Random parameters of one head of width 16 for every method below."""
    rng = np.random.default_rng(seed)
    return {
        "table": rng.standard_normal((32, 1)),
        "vectors": rng.standard_normal((33, WIDTH)),
        "projection": rng.standard_normal((WIDTH, 1, WIDTH)),
        "u": rng.standard_normal((1, WIDTH)),
        "v": rng.standard_normal((1, WIDTH)),
        "position_keys": rng.standard_normal((64, WIDTH)),
        "position_queries": rng.standard_normal((64, WIDTH)),
        "p_query": rng.standard_normal((1, 1, WIDTH)),
        "p_key": rng.standard_normal((1, 1, WIDTH)),
    }


def added_by(method: str, query: list[int] = QUERY, key: list[int] = KEY) -> Callable[[Vectors, Vectors], float]:
    """What ``method`` adds to q·k, before any scale, as a function of the contents q and k [1, 1, 16]."""
    p = parameters()
    inv_freq = rotary.rope_frequencies(WIDTH)
    distance = query[0] - key[0]
    methods = {
        "absolute": lambda q, k: sum(relative.expanded_score_terms(q, p["p_query"], k, p["p_key"])[1:]),
        "t5": lambda q, k: bias.t5_bias(p["table"], query, key),
        "alibi": lambda q, k: bias.alibi_bias(query, key, [0.5]),
        "kerple": lambda q, k: bias.kerple_log(distance, 1.0, 1.0),
        "shaw": lambda q, k: relative.shaw_scores(q, p["vectors"], query, key),
        "transformer_xl": lambda q, k: relative.transformer_xl_scores(
            q, k, p["projection"], p["u"], p["v"], query, key
        ),
        "xlnet": lambda q, k: relative.xlnet_scores(q, k, p["projection"], p["u"], p["v"], query, key),
        "deberta": lambda q, k: relative.deberta_scores(q, k, query, key, **_deberta_tables(p)),
        "deberta_without_position_queries": lambda q, k: relative.deberta_scores(
            q, k, query, key, **(_deberta_tables(p) | {"position_queries": None})
        ),
        "rope": lambda q, k: rotary.rope_score(q[0, 0], k[0, 0], distance, inv_freq) - q[0, 0] @ k[0, 0],
    }
    return lambda q, k: float(np.squeeze(methods[method](q, k)))


def _deberta_tables(p: dict[str, NDArray]) -> dict:
    tables = {"position_keys": p["position_keys"], "position_queries": p["position_queries"]}
    return tables | {"max_relative_positions": 32}


def contents(seed: int = 7) -> tuple[Vectors, Vectors]:
    q, k = np.random.default_rng(seed).standard_normal((2, 1, 1, WIDTH))
    return q, k


def terms_of(method: str) -> dict[str, float]:
    """The size of what ``method`` adds for a query alone, a key alone, neither, and only for both together."""
    added, (q, k) = added_by(method), contents()
    nothing = np.zeros_like(q)
    alone = added(nothing, nothing)
    query, key = added(q, nothing) - alone, added(nothing, k) - alone
    return {
        "content_to_position": abs(query),
        "position_to_content": abs(key),
        "position_alone": abs(alone),
        "joint": abs(added(q, k) - alone - query - key),
    }


def present(method: str) -> list[str]:
    """The names of the terms that ``method`` has."""
    return [name for name, size in terms_of(method).items() if size > 1e-9]


def four_terms() -> Measured:
    rng = np.random.default_rng(0)
    x_m, p_m, x_n, p_n, p_m_moved, p_n_moved = rng.standard_normal((6, 1, 8))
    terms = relative.expanded_score_terms(x_m, p_m, x_n, p_n)
    moved = relative.expanded_score_terms(x_m, p_m_moved, x_n, p_n_moved)
    whole = (x_m + p_m) @ (x_n + p_n).T
    return {
        "number_of_terms": len(terms),
        "largest_error_of_the_sum": np.abs(sum(terms) - whole).max(),
        "change_when_positions_change": [abs(float(np.squeeze(b - a))) for a, b in zip(terms, moved, strict=True)],
    }


def which_terms_change() -> Measured:
    names = ("absolute", "transformer_xl", "t5", "deberta", "shaw", "alibi", "rope")
    sizes = [sum(terms_of(name).values()) for name in names]
    terms = {f"terms_{name}": present(name) for name in names}
    return terms | {"sizes_of_all_terms": sizes, "shaw_adds_to_values": largest_shaw_value()}


def largest_shaw_value() -> float:
    """What Shaw's value side adds to an output that looks at four tokens alike: its largest channel."""
    return np.abs(relative.shaw_values(np.full((1, 1, 4), 0.25), parameters()["vectors"], [3], range(4))).max()


def formula_of_xlnet() -> Measured:
    """Transformer-XL's scores against the four terms with p_n replaced by R and p_m by u and by v."""
    q, k = contents()
    p = parameters()
    sinusoid = absolute.sinusoidal_positions(QUERY[0] - KEY[0], WIDTH, layout="concat")
    r = (sinusoid @ p["projection"][:, 0])[None, None]
    with_u = relative.expanded_score_terms(q, p["u"][None], k, r)
    with_v = relative.expanded_score_terms(q, p["v"][None], k, r)
    by_hand = with_u.content_position + with_u.position_content + with_v.position_position
    both_r = relative.expanded_score_terms(q, r, k, r)
    xl, xlnet = added_by("transformer_xl")(q, k), added_by("xlnet")(q, k)
    return {
        "difference_to_transformer_xl": abs(xl - float(np.squeeze(by_hand))),
        "difference_of_xlnet_to_transformer_xl": abs(xlnet - xl),
        "difference_if_r_replaced_p_m_too": abs(xl - float(np.squeeze(sum(both_r[1:])))),
        "learned_vectors_per_head": len([p["u"], p["v"]]),
    }


def formula_of_deberta() -> Measured:
    q, k = contents()
    p = parameters()
    row = relative.deberta_relative_index(QUERY, KEY, max_relative_positions=32)[0, 0]
    by_hand = q[0, 0] @ p["position_keys"][row] + k[0, 0] @ p["position_queries"][row]
    paper = relative.deberta_scores(q, k, QUERY, KEY, p2c_index="paper", **_deberta_tables(p))[0, 0, 0]
    far = relative.deberta_relative_index([1000], [0], max_relative_positions=512)[0, 0]
    return {
        "terms": present("deberta"),
        "difference_to_the_two_terms": abs(added_by("deberta")(q, k) - by_hand),
        "difference_of_paper_and_code": abs(paper - by_hand),
        "scale_times_root_of_width": relative.deberta_scale(64) * 8,
        "row_of_distance_4": row,
        "row_of_distance_1000": far,
        "row_of_distance_1000_with_log_buckets": relative.deberta_relative_index(
            [1000], [0], max_relative_positions=512, position_buckets=256
        )[0, 0],
    }


def key_and_distance(method: str) -> float:
    """How much of what ``method`` adds depends on the key's content and on the distance together."""
    q, k = contents()
    other = contents(seed=8)[1]
    near_by, far = added_by(method), added_by(method, [7], [1])
    return abs((near_by(q, k) - near_by(q, other)) - (far(q, k) - far(q, other)))


def both_directions_of_deberta() -> Measured:
    return {
        "terms": present("deberta"),
        "key_with_distance_both_terms": key_and_distance("deberta"),
        "key_with_distance_content_to_position_alone": key_and_distance("deberta_without_position_queries"),
    }


def relative_methods_on_longer_text() -> Measured:
    names = ("sinusoidal", "rope", "t5", "alibi", "nope")
    at = {"training_length": 1, "2_times": 2, "4_times": 4, "16_times": 16}
    return {f"{name}_at_{where}": lab_rows.loss(name, multiple) for name in names for where, multiple in at.items()}


def convention_of_t5() -> Measured:
    query, key = 5, 3
    offset = key - query
    return {
        "key_minus_query": offset,
        "t5_bucket": bias.t5_relative_position_bucket(offset),
        "t5_bucket_of_opposite": bias.t5_relative_position_bucket(-offset),
        "shaw_row_in_a_window_of_4": relative.relative_position_index([query], [key], 4)[0, 0],
    }


def bias_or_vectors() -> Measured:
    """Which terms of each method depend on content."""
    names = ("t5", "alibi", "shaw", "transformer_xl", "deberta")
    dependent = {f"content_terms_{name}": [t for t in present(name) if t != "position_alone"] for name in names}
    sizes = [sum(terms_of(name).values()) for name in names]
    return dependent | {"sizes_of_all_terms": sizes, "shaw_adds_to_values": largest_shaw_value()}


def _broken(what: str, function: str, broken: Callable[[Callable], Callable], module: str = "relative") -> Counterfeit:
    return Counterfeit(what, target=f"pe_course.reference.{module}:{function}", broken=broken)


_TERMS_SWAPPED = _broken(
    "terms in another order",
    "expanded_score_terms",
    lambda right: lambda *args: type(right(*args))(*right(*args)[::-1]),
)
_XL_WITHOUT_U = _broken(
    "Transformer-XL without u",
    "transformer_xl_scores",
    lambda right: lambda q, k, w, u, v, *positions: right(q, k, w, np.zeros_like(u), v, *positions),
)
_XL_U_IS_V = _broken(
    "Transformer-XL with u and v exchanged",
    "transformer_xl_scores",
    lambda right: lambda q, k, w, u, v, *positions: right(q, k, w, v, u, *positions),
)
_DEBERTA_PAPER = _broken(
    "DeBERTa with the paper's index in the third term",
    "deberta_scores",
    lambda right: lambda *args, **options: right(*args, **{**options, "p2c_index": "paper"}),
)
_DEBERTA_ONE_TERM = _broken(
    "DeBERTa without its third term",
    "deberta_scores",
    lambda right: lambda *args, **options: right(*args, **{**options, "position_queries": None}),
)
_USUAL_SCALE = _broken("the usual scale 1/√d", "deberta_scale", lambda right: lambda width, *args: width**-0.5)
_SHAW_WITHOUT_QUERY = _broken(
    "Shaw's term as a plain bias",
    "shaw_scores",
    lambda right: lambda q, *args, **options: right(np.ones_like(q), *args, **options),
)
_T5_REVERSED = _broken(
    "query − key in place of key − query",
    "t5_relative_position_bucket",
    lambda right: lambda r, **options: right(-np.asarray(r), **options),
    module="bias",
)

CLAIMS: list[Claim] = [
    Claim(
        id="L-037",
        claim="(x_m + p_m)·(x_n + p_n) has four terms, of which the first alone is free of positions.",
        verdict="true",
        holds="It has: content with content, content with position, position with content, position with position. "
        "Their sum is the product, and with other position vectors the first stays while the other three change. The "
        "projections are left out here, as in the lecture.",
        evidence="algebraic",
        digest=("S2-08",),
        references=("dai2019transformerxl",),
        measure=four_terms,
        decides=lambda m: (
            m["number_of_terms"] == 4
            and m["largest_error_of_the_sum"] < 1e-12
            and m["change_when_positions_change"][0] == 0
            and min(m["change_when_positions_change"][1:]) > 0.01
        ),
        counterfeits=(
            _TERMS_SWAPPED,
            _broken(
                "a product without the cross terms",
                "expanded_score_terms",
                lambda right: lambda *args: right(*args)._replace(content_position=np.zeros((1, 1))),
            ),
        ),
    ),
    Claim(
        id="L-038",
        claim="Relative encodings modify the last three of the four terms.",
        verdict="true with conditions",
        holds="That describes Transformer-XL, T5 and DeBERTa. Shaw et al. add vectors to the keys and to the values, "
        "too. ALiBi adds a bias without starting from the four terms. RoPE multiplies: it adds nothing for a query "
        "alone, a key alone or neither, only for both together.",
        evidence="algebraic",
        digest=("S2-08",),
        references=("shaw2018self", "su2021roformer", "dufter2022position"),
        measure=which_terms_change,
        decides=lambda m: (
            m["terms_absolute"]
            == m["terms_transformer_xl"]
            == ["content_to_position", "position_to_content", "position_alone"]
            and m["terms_t5"] == m["terms_alibi"] == ["position_alone"]
            and m["terms_deberta"] == ["content_to_position", "position_to_content"]
            and m["terms_shaw"] == ["content_to_position"]
            and m["terms_rope"] == ["joint"]
            and near(m["sizes_of_all_terms"], [6.376217, 26.145188, 1.136047, 5.080899, 3.825925, 2, 1.122043], 1e-6)
            and near(m["shaw_adds_to_values"], 1.022516, 1e-6)
        ),
        counterfeits=(_SHAW_WITHOUT_QUERY, _XL_WITHOUT_U, _DEBERTA_ONE_TERM),
    ),
    Claim(
        id="L-039",
        claim="XLNet replaces p_n and p_m by R_(m−n) and adds learned u and v: x_m·x_n + x_m·R + u·x_n + v·R.",
        verdict="imprecise",
        holds="The formula is right up to projections, and it is Transformer-XL's; XLNet took it over. R, a fixed "
        "sinusoid with a projection of its own, replaces p_n alone. The query's p_m is replaced by two learned "
        "vectors per head: u where it meets content, v where it meets position. Put R in place of p_m too and the "
        "score is another one, by {difference_if_r_replaced_p_m_too:.2f} in this draw.",
        evidence="algebraic",
        digest=("S2-09",),
        references=("dai2019transformerxl", "yang2019xlnet"),
        measure=formula_of_xlnet,
        decides=lambda m: (
            m["difference_to_transformer_xl"] < 1e-9
            and m["difference_of_xlnet_to_transformer_xl"] < 1e-9
            and near(m["difference_if_r_replaced_p_m_too"], 115.195405, 1e-6)
        ),
        counterfeits=(_XL_WITHOUT_U, _XL_U_IS_V),
    ),
    Claim(
        id="L-042",
        claim="DeBERTa's score is x_m·x_n + x_m·r_(m−n) + x_n·r_(n−m).",
        verdict="true with conditions",
        holds="The structure is right. Left out are: projections of their own for positions, distances that are "
        "clipped to a table of 2k rows (in logarithmic buckets from version 2 on), the scale 1/√(3d), "
        "{scale_times_root_of_width:.4f} of the usual one, and absolute positions before the output layer. The "
        "r_(n−m) is the paper's; both released codes use the row of m − n in the third term as well, which changes "
        "the score by {difference_of_paper_and_code:.2f} in this draw.",
        evidence="algebraic",
        digest=("S2-11",),
        references=("he2021deberta",),
        measure=formula_of_deberta,
        decides=lambda m: (
            m["terms"] == ["content_to_position", "position_to_content"]
            and m["difference_to_the_two_terms"] < 1e-9
            and near(m["difference_of_paper_and_code"], 7.744835, 1e-6)
            and near(m["scale_times_root_of_width"], 3**-0.5)
            and (m["row_of_distance_4"], m["row_of_distance_1000"], m["row_of_distance_1000_with_log_buckets"])
            == (36, 1023, 511)
        ),
        counterfeits=(_USUAL_SCALE, _DEBERTA_ONE_TERM, _DEBERTA_PAPER),
    ),
    Claim(
        id="L-043",
        claim="DeBERTa keeps the terms from content to position and from position to content, and drops the last.",
        verdict="true",
        holds="It does: between relative positions the last term says nothing new. Both kept terms matter. With the "
        "first alone, no part of the score depends on the key's content and the distance together "
        "({key_with_distance_content_to_position_alone:.4f}); with both, it does ({key_with_distance_both_terms:.4f} "
        "in this draw).",
        evidence="algebraic",
        digest=("S2-11",),
        references=("he2021deberta",),
        measure=both_directions_of_deberta,
        decides=lambda m: (
            m["terms"] == ["content_to_position", "position_to_content"]
            and m["key_with_distance_content_to_position_alone"] < 1e-9
            and near(m["key_with_distance_both_terms"], 2.852102, 1e-6)
        ),
        counterfeits=(
            _DEBERTA_ONE_TERM,
            Counterfeit("a score that mixes key and distance", {"key_with_distance_content_to_position_alone": 0.5}),
        ),
    ),
    Claim(
        id="L-062",
        claim="Relative encodings usually extrapolate better and are better on long sequences.",
        verdict="true with conditions",
        holds="It depends on the method. In the lab's text runs, from the training length to four times as many "
        "tokens, T5's bias goes from {t5_at_training_length:.2f} to {t5_at_4_times:.2f} nats and ALiBi from "
        "{alibi_at_training_length:.2f} to {alibi_at_4_times:.2f}. RoPE, also relative, goes from "
        "{rope_at_training_length:.2f} to {rope_at_4_times:.2f}, absolute sinusoids from "
        "{sinusoidal_at_training_length:.2f} to {sinusoidal_at_4_times:.2f}. Without any positions it is "
        "{nope_at_training_length:.2f} and {nope_at_4_times:.2f}. On synthetic tasks no positions at all can do best.",
        evidence="experiment",
        digest=("S2-24", "S3-41", "S3-54"),
        references=("press2022train", "kazemnejad2023impact"),
        measure=relative_methods_on_longer_text,
        decides=lambda m: (
            max(m[f"{name}_at_4_times"] - m[f"{name}_at_training_length"] for name in ("t5", "alibi")) < 0.1
            and min(m[f"{name}_at_4_times"] - m[f"{name}_at_training_length"] for name in ("rope", "sinusoidal")) > 0.2
        ),
        counterfeits=(
            Counterfeit(
                "one loss for all methods and lengths",
                target="pe_course.claims.lab_rows:loss",
                broken=lambda right: lambda method, multiple: 1.0,
            ),
        ),
        note=lab_rows.PROVENANCE,
    ),
    Claim(
        id="L-077",
        claim="Seen from word 5, word 3 has the relative position −2.",
        verdict="true",
        holds="With key minus query it is {key_minus_query}, the convention of T5 and of Shaw et al. T5 then puts −2 "
        "into bucket {t5_bucket} and +2 into bucket {t5_bucket_of_opposite}. Elsewhere the lecture counts query minus "
        "key, as this course does in prose; a program must choose one.",
        evidence="numeric",
        digest=("S3-19",),
        references=("raffel2020exploring", "shaw2018self"),
        measure=convention_of_t5,
        decides=lambda m: (
            (m["key_minus_query"], m["t5_bucket"], m["t5_bucket_of_opposite"], m["shaw_row_in_a_window_of_4"])
            == (-2, 2, 18, 2)
        ),
        counterfeits=(
            _T5_REVERSED,
            _broken(
                "a table that counts query − key",
                "relative_position_index",
                lambda right: lambda *args: right(*args, direction="query_minus_key"),
            ),
        ),
    ),
    Claim(
        id="L-078",
        claim="Relative encoding is a bias on the score that depends on j − i, not an embedding.",
        verdict="imprecise",
        holds="True for T5 and ALiBi. Shaw et al., Transformer-XL and DeBERTa learn or project *vectors* that meet "
        "the query or the key, so what they add depends on content; Shaw et al. add vectors to the values as well.",
        evidence="algebraic",
        digest=("S3-19",),
        references=("shaw2018self", "dai2019transformerxl", "he2021deberta"),
        measure=bias_or_vectors,
        decides=lambda m: (
            m["content_terms_t5"] == m["content_terms_alibi"] == []
            and m["content_terms_shaw"] == ["content_to_position"]
            and m["content_terms_transformer_xl"]
            == m["content_terms_deberta"]
            == ["content_to_position", "position_to_content"]
            and near(m["sizes_of_all_terms"], [1.136047, 2, 3.825925, 26.145188, 5.080899], 1e-6)
            and near(m["shaw_adds_to_values"], 1.022516, 1e-6)
        ),
        counterfeits=(_SHAW_WITHOUT_QUERY, _DEBERTA_ONE_TERM),
    ),
]
