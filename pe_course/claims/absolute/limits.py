"""Where tables end, and where models stop working: learned tables and training lengths."""

from __future__ import annotations

import numpy as np

from pe_course.claims import lab_rows
from pe_course.claims.absolute.shared import INTEGER_DIVISION, NO_POSITIONS, WRAPPING_TABLE, raises
from pe_course.claims.claim import Claim, Counterfeit, Measured
from pe_course.reference import absolute

CLAIMS: list[Claim] = []


def table_and_sinusoid_at_512() -> Measured:
    table = np.random.default_rng(0).standard_normal((512, 8))
    return {
        "table_has_row_511": not raises(IndexError, absolute.learned_positions, [511], table),
        "table_has_row_512": not raises(IndexError, absolute.learned_positions, [512], table),
        "length_of_the_sinusoid_512": np.linalg.norm(absolute.sinusoidal_positions(512, 8)),
        "length_of_the_sinusoid_100000": np.linalg.norm(absolute.sinusoidal_positions(100000, 512)),
    }


def table_ends_where_sinusoids_go_on(m: Measured) -> bool:
    return (
        m["table_has_row_511"]
        and not m["table_has_row_512"]
        and abs(m["length_of_the_sinusoid_512"] - 2) < 1e-12
        and abs(m["length_of_the_sinusoid_100000"] - 16) < 1e-12
    )


CLAIMS.append(
    Claim(
        id="L-002",
        claim="With absolute positions, nothing past the training length can be handled.",
        verdict="true with conditions",
        holds="True of a learned table: 512 rows are numbered 0 to 511, and there is no row 512. A sinusoid has a "
        "vector for every position (at width 8 of length {length_of_the_sinusoid_512:.4f}); what fails there is the "
        "model, which never learned to use it.",
        evidence="numeric",
        digest=("S1-03", "S1-06"),
        references=("vaswani2017attention", "tensorflow2024gather"),
        measure=table_and_sinusoid_at_512,
        decides=table_ends_where_sinusoids_go_on,
        counterfeits=(WRAPPING_TABLE, NO_POSITIONS),
    )
)


def table_of_bert() -> Measured:
    return {"bert_base_parameters": absolute.learned_positions(np.arange(512), np.zeros((512, 768))).size}


CLAIMS.append(
    Claim(
        id="L-030",
        claim="BERT, GPT and ALBERT use trained position embeddings.",
        verdict="true",
        holds="Correct: 512 rows in BERT, GPT and ALBERT, 1024 in GPT-2. The table of BERT-base, 512 rows of width "
        "768, has {bert_base_parameters:,} parameters.",
        evidence="source",
        digest=("S2-05",),
        references=("devlin2019bert", "radford2018improving", "lan2020albert"),
        measure=table_of_bert,
        decides=lambda m: m["bert_base_parameters"] == 393216,
        counterfeits=(
            Counterfeit(
                "a table with two more rows, as in RoBERTa",
                target="pe_course.reference.absolute:learned_positions",
                broken=lambda right: lambda positions, table: right([*positions, 0, 0], table),
            ),
        ),
    )
)


CLAIMS.append(
    Claim(
        id="L-031",
        claim="Trained position embeddings do not extrapolate: positions past the table cannot be processed.",
        verdict="true with conditions",
        holds="True as the table stands: row 511 exists, row 512 does not. But tables are extended in practice: "
        "Longformer copied one of 512 rows several times over and trained on. And the failure may be silent: "
        "TensorFlow's gather documents an error on the CPU and zeros on the GPU.",
        evidence="numeric",
        digest=("S2-05",),
        references=("beltagy2020longformer", "tensorflow2024gather"),
        measure=table_and_sinusoid_at_512,
        decides=table_ends_where_sinusoids_go_on,
        counterfeits=(
            WRAPPING_TABLE,
            Counterfeit(
                "zeros past the last row, as on a GPU with TensorFlow",
                target="pe_course.reference.absolute:learned_positions",
                broken=lambda right: (
                    lambda p, table: right(np.minimum(p, len(table)), np.vstack([table, 0 * table[:1]]))
                ),
            ),
        ),
    )
)


def sinusoids_past_training() -> Measured:
    """The lab's language model, trained on 64 tokens: loss in nats, by position and by length."""
    before, after = lab_rows.loss_before_and_after("sinusoidal")
    wavelengths = 2 * np.pi / absolute.sinusoidal_frequencies(512)
    return {
        "training_length": lab_rows.training_length("sinusoidal"),
        "seeds": len(lab_rows.text_rows("sinusoidal")),
        "loss_before_the_training_length": before,
        "loss_right_after_it": after,
        "loss_at_16_times_the_length": lab_rows.loss("sinusoidal", 16),
        "without_positions_at_16_times": lab_rows.loss("nope", 16),
        "pairs_without_a_full_turn_in_512": (wavelengths > 512).sum(),
        "length_of_the_vector_100000": np.linalg.norm(absolute.sinusoidal_positions(100000, 512)),
    }


def vectors_go_on_and_the_model_does_not(m: Measured) -> bool:
    return (
        abs(m["length_of_the_vector_100000"] - 16) < 1e-12
        and m["pairs_without_a_full_turn_in_512"] == 133
        and m["loss_right_after_it"] > m["loss_before_the_training_length"] + 0.3
        and m["loss_at_16_times_the_length"] > m["without_positions_at_16_times"]
    )


SAME_AFTER_TRAINING = Counterfeit(
    "a model that does not notice the end of training",
    target="pe_course.claims.lab_rows:loss_before_and_after",
    broken=lambda right: lambda method: 2 * right(method)[:1],
)


CLAIMS.append(
    Claim(
        id="L-036",
        claim="Sinusoidal encoding extrapolates to any length without training.",
        verdict="imprecise",
        holds="The vectors extrapolate, the model does not. In the lab a model trained on {training_length} tokens "
        "has the loss {loss_before_the_training_length:.2f} nats at the last positions it knows and "
        "{loss_right_after_it:.2f} right after them; at 16 times the length it is worse "
        "({loss_at_16_times_the_length:.2f}) than one without any positions ({without_positions_at_16_times:.2f}). "
        "Press et al. measured a perplexity of 20.05 at their training length of 512 tokens and 43.54 at 1012.",
        evidence="experiment",
        digest=("S2-07", "S2-28"),
        references=("press2022train",),
        measure=sinusoids_past_training,
        decides=vectors_go_on_and_the_model_does_not,
        counterfeits=(SAME_AFTER_TRAINING, INTEGER_DIVISION),
        note=lab_rows.PROVENANCE,
    )
)


CLAIMS.append(
    Claim(
        id="L-103",
        claim="The fixed number of beds shows why absolute encodings need a preset maximum length.",
        verdict="imprecise",
        holds="A learned table needs one. The sinusoids of this analogy do not: bed 100000 has a code like every "
        "other, of length {length_of_the_sinusoid_100000:.4f}.",
        evidence="numeric",
        digest=("S3-35",),
        references=("vaswani2017attention",),
        measure=table_and_sinusoid_at_512,
        decides=table_ends_where_sinusoids_go_on,
        counterfeits=(WRAPPING_TABLE, NO_POSITIONS),
    )
)


CLAIMS.append(
    Claim(
        id="L-115",
        claim="A learned table of 512 rows fails for instance at position 513, and the model is then paralysed.",
        verdict="imprecise",
        holds="It fails one earlier: the 513th token has index 512, and there is no row 512. How it fails depends on "
        "the software: PyTorch raises an error on the CPU, and so does this package; TensorFlow documents zeros on "
        "the GPU. And it is not for good: tables are extended and trained on.",
        evidence="numeric",
        digest=("S3-49",),
        references=("tensorflow2024gather", "beltagy2020longformer"),
        measure=table_and_sinusoid_at_512,
        decides=table_ends_where_sinusoids_go_on,
        counterfeits=(
            WRAPPING_TABLE,
            Counterfeit(
                "a table whose first row is number 1",
                target="pe_course.reference.absolute:learned_positions",
                broken=lambda right: lambda positions, table: right(np.asarray(positions) - 1, table),
            ),
        ),
    )
)


CLAIMS.append(
    Claim(
        id="L-116",
        claim="Past the training length a sinusoidal model gives no error, but its quality drops markedly.",
        verdict="true",
        holds="Correct, and it drops at once. In the lab's model, trained on {training_length} tokens, the loss rises "
        "from {loss_before_the_training_length:.2f} nats to {loss_right_after_it:.2f} within the next eighth of that "
        "length.",
        evidence="experiment",
        digest=("S3-49", "S3-65"),
        references=("press2022train",),
        measure=sinusoids_past_training,
        decides=vectors_go_on_and_the_model_does_not,
        counterfeits=(SAME_AFTER_TRAINING, INTEGER_DIVISION),
        note=lab_rows.PROVENANCE,
    )
)


CLAIMS.append(
    Claim(
        id="L-141",
        claim="A table [512, d] meets 1024 tokens: the 513th token, index 512, is out of bounds.",
        verdict="true",
        holds="Correct: index 511 is the last row.",
        evidence="numeric",
        digest=("S3-65",),
        references=("tensorflow2024gather",),
        measure=table_and_sinusoid_at_512,
        decides=table_ends_where_sinusoids_go_on,
        counterfeits=(WRAPPING_TABLE,),
    )
)
