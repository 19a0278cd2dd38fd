"""What attention knows of order without positions, and what a mask changes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pe_course.claims.claim import Claim, Counterfeit, Measured
from pe_course.reference import absolute, attention, bias, rotary

CLAIMS: list[Claim] = []
SWAP = [1, 0, 2, 3, 4, 5]
PAIRS = {
    "love": ("我爱你", "你爱我"),
    "bites": ("狗咬人", "人咬狗"),
    "morphine": ("給予這個病人", "這個病人給予"),
    "morphine_in_english": ("give this patient morphine", "this patient gives morphine"),
}


def six_tokens() -> tuple[NDArray, Callable[..., NDArray]]:
    """Six random tokens of width 8 and one attention layer, the ones of the motivation chapter (seed 42)."""
    rng = np.random.default_rng(42)
    x = rng.standard_normal((6, 8))
    w_q, w_k, w_v = (rng.standard_normal((8, 8)) / np.sqrt(8) for _ in range(3))

    def layer(x, rotate_to=None, **options):
        q, k = x @ w_q, x @ w_k
        if rotate_to is not None:
            q, k = rotary.apply_rope(q, rotate_to), rotary.apply_rope(k, rotate_to)
        return attention.attention(q, k, x @ w_v, **options)

    return x, layer


def three_words() -> tuple[dict[str, NDArray], list[NDArray]]:
    """Random vectors of three words, and W_q, W_k, W_v: those of the motivation chapter (seed 3)."""
    rng = np.random.default_rng(3)
    words = {word: rng.standard_normal(8) for word in ("dog", "bites", "man")}
    return words, [rng.standard_normal((8, 8)) / np.sqrt(8) for _ in range(3)]


def largest(difference: NDArray) -> float:
    return float(np.abs(difference).max())


# Counterfeits: implementations in which order leaks in, or a mask does nothing.


def order_leaks_in(attend: Callable) -> Callable:
    """Attention with a bias that nobody asked for: each query prefers the first keys."""

    def broken(q, k, v, **options):
        return attend(q, k, v, **{"bias": -0.3 * np.arange(np.shape(k)[-2])[None, :], **options})

    return broken


def mask_ignored(attend: Callable) -> Callable:
    return lambda q, k, v, mask=None, **options: attend(q, k, v, **options)


def mask_allows_all(causal_mask: Callable) -> Callable:
    return lambda *lengths: np.ones_like(causal_mask(*lengths))


LEAK = Counterfeit(
    "order leaks into attention", target="pe_course.reference.attention:attention", broken=order_leaks_in
)
NO_MASK = Counterfeit("attention drops its mask", target="pe_course.reference.attention:attention", broken=mask_ignored)
OPEN_MASK = Counterfeit(
    "the causal mask hides nothing", target="pe_course.reference.attention:causal_mask", broken=mask_allows_all
)


def scores_of_permuted_tokens() -> Measured:
    rng = np.random.default_rng(42)
    x, w_q, w_k = (rng.standard_normal(shape) for shape in ((6, 8), (8, 8), (8, 8)))
    order = [3, 0, 5, 1, 4, 2]
    matrix = attention.permutation_matrix(order)
    moved = attention.permute(x, order)
    scores, scores_moved = (x @ w_q) @ (x @ w_k).T, (moved @ w_q) @ (moved @ w_k).T
    return {
        "difference_from_permuted_scores": largest(scores_moved - matrix @ scores @ matrix.T),
        "difference_from_unpermuted_scores": largest(scores_moved - scores),
    }


CLAIMS.append(
    Claim(
        id="L-024",
        claim="The scores QKᵀ depend on content only.",
        verdict="true",
        holds="Each entry depends on the two token vectors, not on where they stand: reordering the tokens reorders "
        "rows and columns of the scores and changes nothing else.",
        evidence="algebraic",
        digest=("S1-15",),
        references=("vaswani2017attention",),
        measure=scores_of_permuted_tokens,
        decides=lambda m: m["difference_from_permuted_scores"] < 1e-12 < m["difference_from_unpermuted_scores"],
        counterfeits=(
            Counterfeit(
                "the tokens are moved by another permutation than the matrix",
                target="pe_course.reference.attention:permute",
                broken=lambda permute: lambda x, order, **axis: permute(x, np.roll(order, 1), **axis),
            ),
        ),
    )
)


def two_tokens_swapped() -> Measured:
    """Six tokens, the first two of them (A and B) swapped; what changes in the rows and in their average."""
    x, layer = six_tokens()
    mask = attention.causal_mask(6)

    def two_layers(x, **options):
        once = x + layer(x, **options)
        return once + layer(once, **options)

    def changes(model, **options):
        moved = attention.permute(model(attention.permute(x, SWAP), **options), SWAP)
        return np.abs(moved - model(x, **options)).max(axis=1)

    original, swapped = layer(x), layer(attention.permute(x, SWAP))
    masked, masked_swapped = layer(x, mask=mask), layer(attention.permute(x, SWAP), mask=mask)
    return {
        "rows": largest(swapped - original),
        "rows_moved_along": largest(swapped - attention.permute(original, SWAP)),
        "average": largest(swapped.mean(axis=0) - original.mean(axis=0)),
        "two_layers_moved_along": changes(two_layers).max(),
        "causal_token_a": changes(layer, mask=mask)[0],
        "causal_last_token": changes(layer, mask=mask)[-1],
        "causal_two_layers_last_token": changes(two_layers, mask=mask)[-1],
        "causal_average": largest(masked_swapped.mean(axis=0) - masked.mean(axis=0)),
    }


def equivariant(m: Measured) -> bool:
    return (
        round(m["rows"], 4) == 0.6071 and max(m["rows_moved_along"], m["average"], m["two_layers_moved_along"]) < 1e-12
    )


def order_seen_through_mask(m: Measured) -> bool:
    return (
        m["causal_last_token"] < 1e-12
        and round(m["causal_token_a"], 4) == 0.9758
        and round(m["causal_two_layers_last_token"], 4) == 0.2336
        and round(m["causal_average"], 4) == 0.2353
    )


CLAIMS.append(
    Claim(
        id="L-025",
        claim="Exchanging two tokens leaves the result of self-attention completely unchanged.",
        verdict="imprecise",
        holds="Without mask and positions attention is permutation equivariant, f(PX) = P f(X): each token keeps its "
        "own output, so row by row the result changes (by up to {rows:.4f}). Only the average over all rows is "
        "unchanged.",
        evidence="algebraic",
        digest=("S2-01", "S2-23", "S3-14", "S3-30"),
        references=("dufter2022position",),
        measure=two_tokens_swapped,
        decides=lambda m: equivariant(m) and round(m["rows"], 4) == 0.6071,
        counterfeits=(LEAK, Counterfeit("the rows do not change either", {"rows": 0.0})),
    )
)

CLAIMS.append(
    Claim(
        id="L-026",
        claim="Without positional encoding a model cannot distinguish sentences made of the same words.",
        verdict="true with conditions",
        holds="True at any depth for a model without a mask whose rows are pooled. False with a causal mask: when "
        "the first two of six tokens swap places, the one that stood first has another output after one layer, by up "
        "to {causal_token_a:.4f}; the last token notices nothing after one layer, and after two it differs by "
        "{causal_two_layers_last_token:.4f}.",
        evidence="numeric",
        digest=("S2-01", "S3-08"),
        references=("haviv2022transformer", "kazemnejad2023impact"),
        measure=two_tokens_swapped,
        decides=lambda m: equivariant(m) and order_seen_through_mask(m),
        counterfeits=(LEAK, NO_MASK, OPEN_MASK),
    )
)


def scores_of_ordered_pairs() -> Measured:
    """Rows are tokens and q = x W: with q = W x the first two numbers change places."""
    x_m, x_n = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    to_query, to_key = np.eye(2), np.array([[0.0, 1.0], [-2.0, 0.0]])
    words, (w_q, w_k, _) = three_words()
    shares = []
    for sentence in (["dog", "bites", "man"], ["man", "bites", "dog"]):
        x = np.stack([words[word] for word in sentence])
        weights = attention.attention_weights(x @ w_q, x @ w_k)
        shares.append(weights[sentence.index("dog"), sentence.index("bites")])
    return {
        "q_m_k_n": (x_m @ to_query) @ (x_n @ to_key),
        "q_n_k_m": (x_n @ to_query) @ (x_m @ to_key),
        "share_from_dog_to_bites": shares[0],
        "share_in_the_other_sentence": shares[1],
    }


CLAIMS.append(
    Claim(
        id="L-027",
        claim="After two words change places, the score q_n · k_m equals q_m · k_n.",
        verdict="wrong",
        holds="Asking and being asked are different roles, because queries and keys come from different matrices: the "
        "two products of the example are {q_m_k_n:.0f} and {q_n_k_m:.0f}. What never changes is the score of an "
        "ordered pair of words: 'dog' gives 'bites' the share {share_from_dog_to_bites:.4f} in both sentences.",
        evidence="numeric",
        digest=("S2-02",),
        references=("vaswani2017attention",),
        measure=scores_of_ordered_pairs,
        decides=lambda m: (
            (m["q_m_k_n"], m["q_n_k_m"]) == (-2, 1)
            and round(m["share_from_dog_to_bites"], 4) == round(m["share_in_the_other_sentence"], 4) == 0.8604
        ),
        counterfeits=(
            Counterfeit("one matrix for queries and keys", {"q_m_k_n": 1.0}),
            Counterfeit(
                "the weights depend on where a key stands",
                target="pe_course.reference.attention:attention_weights",
                broken=lambda weights: lambda q, k: weights(q, k, bias=-0.3 * np.arange(len(k))[None, :]),
            ),
        ),
        note="The convention is q = x W; with q = W x the two numbers change places.",
    )
)


def bias_that_favours_far_words() -> Measured:
    farther_is_more = -bias.linear_distance_bias(np.arange(5), slope=0.5)
    weights = attention.attention_weights(np.zeros((1, 8)), np.zeros((5, 8)), bias=farther_is_more[None, :])
    return {"weights_by_distance": weights[0]}


CLAIMS.append(
    Claim(
        id="L-028",
        claim="Closer words should always get larger attention weights.",
        verdict="imprecise",
        holds="Nearness is a useful habit for many heads, not a law. A bias that a model learns may as well favour "
        "the far end: with +0.5 per step the farthest of five equal words gets {weights_by_distance[4]:.4f} of the "
        "weight, the nearest {weights_by_distance[0]:.4f}. Heads of a trained BERT look at the previous word, at "
        "separators, or broadly over the sentence.",
        evidence="numeric",
        digest=("S2-03",),
        references=("clark2019what", "barbero2025round", "kazemnejad2023impact"),
        measure=bias_that_favours_far_words,
        decides=lambda m: [round(w, 4) for w in m["weights_by_distance"]] == [0.058, 0.0956, 0.1577, 0.26, 0.4287],
        counterfeits=(
            Counterfeit(
                "the bias is a penalty after all",
                target="pe_course.reference.bias:linear_distance_bias",
                broken=lambda linear: lambda distance, slope: -linear(distance, slope),
            ),
        ),
    )
)


def sentence_said_twice() -> Measured:
    words, (w_q, w_k, w_v) = three_words()

    def attend(*sentence):
        x = np.stack([words[word] for word in sentence])
        return attention.attention(x @ w_q, x @ w_k, x @ w_v)

    once, twice = attend("dog", "bites", "man"), attend(*2 * ("dog", "bites", "man"))
    return {
        "average_once_against_twice": largest(once.mean(axis=0) - twice.mean(axis=0)),
        "dog_with_man_or_without": largest(attend("dog", "bites")[0] - once[0]),
    }


CLAIMS.append(
    Claim(
        id="L-064",
        claim="Self-attention is a bag of words.",
        verdict="imprecise",
        holds="A good first picture, with two limits. A bag counts: pooled attention sees only shares, and a sentence "
        "and the same sentence said twice give one and the same average. And in a bag words do not meet: here 'dog' "
        "changes by {dog_with_man_or_without:.4f} when 'man' is present.",
        evidence="numeric",
        digest=("S3-02",),
        references=("dufter2022position", "kazemnejad2023impact"),
        measure=sentence_said_twice,
        decides=lambda m: m["average_once_against_twice"] < 1e-12 and round(m["dog_with_man_or_without"], 4) == 0.2362,
        counterfeits=(
            Counterfeit(
                "weights that do not sum to one, so that counts show",
                target="pe_course.reference.attention:attention",
                broken=lambda attend: lambda q, k, v: len(v) * attend(q, k, v),
            ),
            Counterfeit("words that do not meet", {"dog_with_man_or_without": 0.0}),
        ),
    )
)


def five_equal_words() -> Measured:
    equal, visible, places = np.zeros((5, 8)), attention.causal_mask(5), np.arange(5)
    marked_first = np.eye(5)[:, :1]
    penalty = bias.alibi_bias(places, places, [0.5])[0]
    return {
        "counting_head": attention.attention(equal, equal, marked_first, mask=visible)[:, 0],
        "last_row_without_positions": attention.attention_weights(equal, equal, mask=visible)[-1],
        "last_row_with_alibi": attention.attention_weights(equal, equal, bias=penalty, mask=visible)[-1],
    }


CLAIMS.append(
    Claim(
        id="L-067",
        claim="ALiBi is the best-known example of having no positional embedding.",
        verdict="wrong",
        holds="ALiBi adds a penalty for distance to the score: of five equal words the nearest gets "
        "{last_row_with_alibi[4]:.4f} of the weight, the farthest {last_row_with_alibi[0]:.4f}. NoPE means no "
        "positional signal but the causal mask: there each gets {last_row_without_positions[0]:.4f}. Such a decoder "
        "can still count: with the value 1 at the first token a uniform head gives {counting_head[0]:.0f}, "
        "{counting_head[1]:.1f}, {counting_head[2]:.4f}, {counting_head[3]:.2f}, {counting_head[4]:.1f}.",
        evidence="numeric",
        digest=("S3-06", "S3-53"),
        references=("press2022train", "haviv2022transformer", "kazemnejad2023impact"),
        measure=five_equal_words,
        decides=lambda m: (
            np.allclose(m["counting_head"], 1 / np.arange(1, 6), rtol=0, atol=1e-12)
            and np.allclose(m["last_row_without_positions"], 0.2, rtol=0, atol=1e-12)
            and np.allclose(np.diff(np.log(m["last_row_with_alibi"])), 0.5, rtol=0, atol=1e-12)
        ),
        counterfeits=(
            NO_MASK,
            OPEN_MASK,
            Counterfeit(
                "an ALiBi without its penalty",
                target="pe_course.reference.bias:alibi_bias",
                broken=lambda alibi: lambda query, key, slopes: alibi(query, key, np.zeros(1)),
            ),
        ),
    )
)


def scores_by_length() -> Measured:
    short, long = (attention.causal_mask(length).size for length in (1024, 4096))
    return {"scores_1024": short, "scores_4096": long, "growth_for_4_times_the_length": long / short}


CLAIMS.append(
    Claim(
        id="L-068",
        claim="Computing in parallel lets attention process extremely long sequences, its advantage over RNNs.",
        verdict="imprecise",
        holds="Parallel work makes training fast. Length is where attention pays: {scores_1024:,} scores per head for "
        "1024 tokens, {scores_4096:,} for 4096, {growth_for_4_times_the_length:.0f} times as many for 4 times the "
        "length. A recurrent network's work grows linearly.",
        evidence="algebraic",
        digest=("S3-07",),
        references=("vaswani2017attention",),
        measure=scores_by_length,
        decides=lambda m: (
            (m["scores_1024"], m["scores_4096"], m["growth_for_4_times_the_length"]) == (1024**2, 4096**2, 16)
        ),
        counterfeits=(
            Counterfeit(
                "a window of 64 keys, whose scores grow linearly",
                target="pe_course.reference.attention:causal_mask",
                broken=lambda mask: lambda length: mask(length)[:, :64],
            ),
        ),
    )
)


def same_tokens(one: str, other: str) -> bool:
    """Whether both hold the same words, or characters where no spaces part them."""
    split = str.split if " " in one else list
    return sorted(split(one)) == sorted(split(other))


def fair_examples() -> Measured:
    return {f"{name}_has_the_same_tokens": same_tokens(one, other) for name, (one, other) in PAIRS.items()}


CLAIMS.append(
    Claim(
        id="L-069",
        claim="'Give this patient morphine' and 'this patient gives morphine' have the same words, and the second is "
        "impossible.",
        verdict="imprecise",
        holds="In Chinese, character by character, the pair is fair: both have the same characters. In "
        "English 'give' becomes 'gives', so the words are not the same, and a tokenizer that cuts words into pieces "
        "may split the two differently. A patient who hands out morphine is unusual, not "
        "impossible.",
        evidence="numeric",
        digest=("S3-09",),
        measure=fair_examples,
        decides=lambda m: m["morphine_has_the_same_tokens"] and not m["morphine_in_english_has_the_same_tokens"],
        counterfeits=(
            Counterfeit(
                "sentences compared in their order",
                target="pe_course.claims.attention:same_tokens",
                broken=lambda same: lambda one, other: one.split() == other.split(),
            ),
            Counterfeit(
                "sentences compared by their number of words",
                target="pe_course.claims.attention:same_tokens",
                broken=lambda same: lambda one, other: len(one.split()) == len(other.split()),
            ),
        ),
    )
)


def run_recurrence(signal: NDArray, decay: float, activation: Callable = lambda state: state) -> NDArray:
    """h_t = activation(decay · h_{t−1} + x_t), one step after the other."""
    state, states = 0.0, []
    for value in signal:
        state = activation(decay * state + value)
        states.append(state)
    return np.array(states)


def recurrence_at_once() -> Measured:
    signal, decay, steps = np.random.default_rng(0).standard_normal(12), 0.8, np.arange(12)
    powers = np.where(steps[:, None] >= steps, decay ** np.abs(steps[:, None] - steps), 0.0)
    return {
        "linear_recurrence": largest(run_recurrence(signal, decay) - powers @ signal),
        "tanh_recurrence": largest(run_recurrence(signal, decay, np.tanh) - powers @ signal),
        "order_seen": largest(run_recurrence(signal[::-1], decay)[-1] - run_recurrence(signal, decay)[-1]),
    }


CLAIMS.append(
    Claim(
        id="L-070",
        claim="RNNs and LSTMs carry order in their hidden state, but cannot be computed in parallel and forget.",
        verdict="true with conditions",
        holds="True of recurrences that are non-linear along time. A linear recurrence can be computed for all steps "
        "at once and still knows order: here the reversed input changes its last state by {order_seen:.4f}. With a "
        "tanh the same product is off by {tanh_recurrence:.4f}.",
        evidence="algebraic",
        digest=("S3-10",),
        references=("vaswani2017attention", "martin2018parallelizing"),
        measure=recurrence_at_once,
        decides=lambda m: (
            m["linear_recurrence"] < 1e-12
            and (round(m["tanh_recurrence"], 4), round(m["order_seen"], 4)) == (1.2603, 1.3015)
        ),
        counterfeits=(
            Counterfeit(
                "a tanh in every recurrence",
                target="pe_course.claims.attention:run_recurrence",
                broken=lambda run: lambda signal, decay, activation=None: run(signal, decay, np.tanh),
            ),
        ),
    )
)


def integers_and_sinusoids_as_positions() -> Measured:
    near, far = (absolute.sinusoidal_positions([m, m + 1], 64) for m in (5, 500))
    numbers = absolute.integer_positions(502)
    shares = attention.attention_weights(numbers[10:11, None], numbers[:11, None])
    return {
        "step_5_to_6": numbers[6] - numbers[5],
        "step_500_to_501": numbers[501] - numbers[500],
        "product_5_6": numbers[5] * numbers[6],
        "product_500_501": numbers[500] * numbers[501],
        "sinusoids_5_6": near[0] @ near[1],
        "sinusoids_500_501": far[0] @ far[1],
        "share_from_10_to_itself": shares[0, -1],
        "normalised_step_of_10": absolute.normalised_positions(10)[1],
        "ratio_of_513_to_512": absolute.integer_positions(514)[513] / absolute.integer_positions(514)[512],
        "normalised_step_of_100": absolute.normalised_positions(100)[1],
    }


CLAIMS.append(
    Claim(
        id="L-071",
        claim="Raw integers are unsuitable as positions: unbounded, unknown past the training length, and it is "
        "unclear that 5 and 6 are as adjacent as 500 and 501.",
        verdict="imprecise",
        holds="The first reason is sound: products of integers grow, {product_5_6:.0f} and {product_500_501:.0f} for "
        "two pairs of neighbours. The second is true of sinusoids as well. The third is wrong: both pairs differ by "
        "{step_5_to_6:.0f}. What fails is the product, the only thing a score reads; for sinusoids of width 64 it is "
        "{sinusoids_5_6:.4f} for both pairs.",
        evidence="numeric",
        digest=("S3-11", "S3-48"),
        references=("vaswani2017attention",),
        measure=integers_and_sinusoids_as_positions,
        decides=lambda m: (
            (m["product_5_6"], m["product_500_501"]) == (30, 250500)
            and m["step_5_to_6"] == m["step_500_to_501"] == 1
            and round(m["sinusoids_5_6"], 4) == round(m["sinusoids_500_501"], 4) == 30.9168
            and round(m["share_from_10_to_itself"], 6) == 0.999955
            and m["ratio_of_513_to_512"] == 513 / 512
            and (round(m["normalised_step_of_10"], 4), round(m["normalised_step_of_100"], 4)) == (0.1111, 0.0101)
        ),
        counterfeits=(
            Counterfeit(
                "positions that start at 1",
                target="pe_course.reference.absolute:integer_positions",
                broken=lambda positions: lambda length: positions(length) + 1,
            ),
            Counterfeit(
                "sines without their cosines",
                target="pe_course.reference.absolute:sinusoidal_positions",
                broken=lambda sinusoids: lambda positions, dim: sinusoids(positions, 2 * dim)[..., ::2],
            ),
        ),
    )
)


def projection_length(a: NDArray, b: NDArray) -> float:
    return a @ b / np.sqrt(b @ b)


def dot_products() -> Measured:
    a, b = np.array([3.0, 0.0]), np.array([2.0, 2.0])
    unit, long_and_oblique = np.array([1.0, 0.0]), np.array([3.0, 3.0])
    return {
        "dot": a @ b,
        "projection_of_a_on_b": projection_length(a, b),
        "projection_times_length_of_b": projection_length(a, b) * np.sqrt(b @ b),
        "dot_of_parallel_unit_vectors": unit @ unit,
        "dot_with_a_long_oblique_vector": unit @ long_and_oblique,
    }


CLAIMS.append(
    Claim(
        id="L-072",
        claim="The dot product is the length of the projection of one vector on the other, and largest when both are "
        "parallel.",
        verdict="imprecise",
        holds="It is that projection times the length of the other vector: for (3, 0) and (2, 2) the product is "
        "{dot:.0f}, the projection on (2, 2) {projection_of_a_on_b:.4f}. 'Largest when parallel' holds for fixed "
        "lengths only: (1, 0) with itself gives {dot_of_parallel_unit_vectors:.0f}, with (3, 3) "
        "{dot_with_a_long_oblique_vector:.0f}.",
        evidence="algebraic",
        digest=("S3-15",),
        measure=dot_products,
        decides=lambda m: (
            m["dot"] == 6
            and round(m["projection_of_a_on_b"], 4) == 2.1213
            and abs(m["projection_times_length_of_b"] - m["dot"]) < 1e-12
            and (m["dot_of_parallel_unit_vectors"], m["dot_with_a_long_oblique_vector"]) == (1, 3)
        ),
        counterfeits=(
            Counterfeit(
                "the dot product taken for the projection",
                target="pe_course.claims.attention:projection_length",
                broken=lambda projection: lambda a, b: a @ b,
            ),
        ),
    )
)

CLAIMS.append(
    Claim(
        id="L-100",
        claim="Without positional encoding ['I', 'am'] and ['am', 'I'] are indistinguishable: attention is "
        "permutation-invariant.",
        verdict="imprecise",
        holds="It is equivariant: rows move with their tokens (they change by up to {rows:.4f}) and the average "
        "stays. With a causal mask the two orders differ even so, because the first token sees itself only: the "
        "output of the one that loses the first place changes by up to {causal_token_a:.4f}.",
        evidence="numeric",
        digest=("S3-30",),
        references=("haviv2022transformer",),
        measure=two_tokens_swapped,
        decides=lambda m: equivariant(m) and order_seen_through_mask(m),
        counterfeits=(LEAK, NO_MASK, OPEN_MASK),
    )
)

CLAIMS.append(
    Claim(
        id="L-101",
        claim="Positional encoding is absolutely necessary.",
        verdict="wrong",
        holds="It is necessary for models that see the whole text. Through a causal mask order shows without any: "
        "after two layers the last token differs by {causal_two_layers_last_token:.4f} when the first two swap "
        "places. Causal language models without positions were found competitive, and on small reasoning tasks they "
        "carried over to longer inputs better than models with positions.",
        evidence="numeric",
        digest=("S3-30",),
        references=("haviv2022transformer", "kazemnejad2023impact"),
        measure=two_tokens_swapped,
        decides=order_seen_through_mask,
        counterfeits=(NO_MASK, OPEN_MASK),
    )
)


def order_through_three_places() -> Measured:
    """How far the average output changes when two tokens swap places, by where positions enter."""
    x, layer = six_tokens()
    places = np.arange(6)
    signed = bias.alibi_bias(places, places, [0.5], form="causal")[0]
    models = {
        "nothing": layer,
        "input": lambda x: layer(x + absolute.sinusoidal_positions(places, 8)),
        "query_and_key": lambda x: layer(x, rotate_to=places),
        "score": lambda x: layer(x, bias=signed),
    }
    swapped = attention.permute(x, SWAP)
    return {name: largest(model(swapped).mean(axis=0) - model(x).mean(axis=0)) for name, model in models.items()}


def order_enters_anywhere(m: Measured) -> bool:
    changes = [round(m[place], 6) for place in ("input", "query_and_key", "score")]
    return m["nothing"] < 1e-12 and changes == [0.079388, 0.025165, 0.024182]


CLAIMS.append(
    Claim(
        id="L-123",
        claim="Positions can be injected by addition, by a bias on the score or by rotation.",
        verdict="true",
        holds="Correct; values, convolutions and the mask are further ways. When two tokens swap places, the average "
        "output changes by {input:.4f} with sinusoids added to the input, {query_and_key:.4f} with rotated queries "
        "and keys and {score:.4f} with a bias on the score, and not at all without the three.",
        evidence="numeric",
        digest=("S3-54",),
        references=("dufter2022position",),
        measure=order_through_three_places,
        decides=lambda m: order_enters_anywhere(m),
        counterfeits=(
            Counterfeit(
                "sinusoids that are the same everywhere",
                target="pe_course.reference.absolute:sinusoidal_positions",
                broken=lambda sinusoids: lambda positions, dim: sinusoids(0 * positions, dim),
            ),
            Counterfeit(
                "one rotation for all positions",
                target="pe_course.reference.rotary:apply_rope",
                broken=lambda rope: lambda x, positions: rope(x, 0 * positions + 7),
            ),
            Counterfeit(
                "a bias of zero",
                target="pe_course.reference.bias:alibi_bias",
                broken=lambda alibi: lambda query, key, slopes, form: alibi(query, key, [0.0], form=form),
            ),
        ),
    )
)
