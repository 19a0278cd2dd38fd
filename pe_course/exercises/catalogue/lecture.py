"""The ten questions that close the lecture, with answers that hold."""

from __future__ import annotations

from pe_course.exercises.exercise import OpenExercise


class SinusoidalOrLearned(OpenExercise):
    id = "sinusoidal-or-learned"
    title = "A formula or a table"
    chapter = "self-test"
    lecture = ("S3-61",)
    claims = ("L-036", "L-081", "L-082", "L-116")
    prompt = (
        "What can a sinusoidal encoding do that a learned table of position vectors cannot, and what does "
        "it *not* give you?"
    )
    hints = (
        "Ask each of them for the vector of a position that training never showed.",
        "For a fixed offset k, how do you get from the code of position p to the code of p + k?",
    )
    solution = (
        "The formula has a value at every position, so nothing breaks when the input is longer than in "
        "training. A table has no row there. The formula also has a structure that a table must first "
        "learn: for each offset k, one fixed matrix takes the code of p to the code of p + k, whatever p "
        "is. So a model can learn to use distances, though nothing makes it. What the formula does not "
        "give you is quality at new lengths: the values exist, but no weight was trained on them, and the "
        "loss rises right after the training length."
    )
    points = (
        "The formula has a value at every position; a table ends at its last row.",
        "A shift by k is one fixed linear map of the code (a rotation of each sine and cosine pair).",
        "A table has to learn such relations, if it finds them at all.",
        "A value that exists is not a value that was trained: quality falls beyond the training length.",
    )


class RotationInOneLine(OpenExercise):
    id = "rotation-in-one-line"
    title = "Why rotation makes the score relative"
    chapter = "self-test"
    lecture = ("S3-62",)
    claims = ("L-045", "L-046", "L-079", "L-137")
    prompt = (
        "Show with complex numbers why the rotated score depends on positions m and n only through m − n. "
        "Is the rotated score the original score times a factor that depends on m − n?"
    )
    hints = (
        (
            "Write a pair of channels as one complex number; the score of a pair is the real part of q times "
            "the conjugate of k."
        ),
        "Take q = 1 and k = i. What is their score before, and after a rotation?",
    )
    solution = (
        "Read each pair of channels as a complex number. Then the score of a pair is Re(q · conj(k)). "
        "Rotation multiplies q by e^(imθ) and k by e^(inθ). The conjugate turns the second into e^(−inθ), "
        "so the product carries e^(i(m−n)θ): only m − n is left. The lecture then says that the score is "
        "the original one times a factor of m − n. It is not: the factor stands *inside* the real part. "
        "With q = 1 and k = i the original score is zero, and a quarter turn makes it one, and no factor "
        "does that. Each pair also turns at its own speed θ."
    )
    points = (
        "A pair of channels is one complex number, and the score of a pair is Re(q · conj(k)).",
        "The conjugate makes the exponents subtract, which leaves e^(i(m−n)θ).",
        "The factor stands inside the real part, so it is no factor of the score.",
        "Every pair has its own θ; the score sums over the pairs.",
    )


class CostAtInference(OpenExercise):
    id = "cost-at-inference"
    title = "What T5 and RoPE cost when the model runs"
    chapter = "self-test"
    lecture = ("S3-63",)
    claims = ("L-138", "L-139")
    prompt = (
        "Compare what a T5 bias and RoPE cost at inference. Which of them suits fused attention kernels "
        "better, and why?"
    )
    hints = (
        "Count how many numbers each touches for n tokens: n times n, or n times d.",
        ("A fused kernel never writes the score matrix to memory. Where does that leave a bias of the same shape?"),
    )
    solution = (
        "Both are small beside the matrix products. RoPE multiplies every entry of Q and K once by its "
        "cosine and sine: work that grows with n · d, done before the score. A T5 bias is gathered from "
        "its table and added to the scores: n · n numbers per head. A fused kernel never stores the "
        "scores, so rotated queries and keys fit it as they are, while a bias has to be read from memory "
        "or computed inside the kernel. While a decoder writes, RoPE turns one query and one key per new "
        "token, and the bias adds one number per token so far: in a short text that is less."
    )
    points = (
        "RoPE: elementwise on Q and K, so n · d, before the score.",
        "T5: gather and add, n · n per head, after the score.",
        "Fused kernels take RoPE unchanged; a bias must be read or computed inside the kernel.",
        "Both are few operations beside the matrix products; a bias that is written and read costs memory traffic.",
    )


class RecordsWithDates(OpenExercise):
    id = "records-with-dates"
    title = "Medical records with uneven gaps"
    chapter = "self-test"
    lecture = ("S3-64",)
    claims = ("L-140",)
    prompt = (
        "A patient's record spans decades, with visits days or years apart. Which positional method would "
        "you choose, and what do you hand it as the position?"
    )
    hints = (
        ("Two visits are neighbours in the sequence. Does the model know whether days or years lie between them?"),
        "Which methods accept a position that is not a whole number?",
    )
    solution = (
        "The method matters less than the position. RoPE or a T5 bias over token *indices* knows how many "
        "entries lie between two visits, and nothing about the time: a gap of three days and one of three "
        "thousand look alike. Hand the time stamp to a method that accepts real positions: rotary with "
        "times in a unit that suits its slowest and fastest pair, or a continuous bias of the time "
        "difference. An index next to it keeps the order of entries on one day. Long-range facts, such as "
        "an old allergy, are a reason against a bias that punishes distance."
    )
    points = (
        "Index is not time: relative indices cannot see the length of a gap.",
        "Use the time stamp as position, in a method that takes real numbers.",
        "Choose the unit or the frequencies so that days and decades both turn a pair visibly.",
        "A strong decay would hide old but decisive facts.",
    )


class TwiceTheLength(OpenExercise):
    id = "twice-the-length"
    title = "Trained on 512 tokens, given 1024"
    chapter = "self-test"
    lecture = ("S3-65",)
    claims = ("L-116", "L-141")
    prompt = (
        "A model was trained with at most 512 tokens and now gets 1024. What happens with a learned table, "
        "and what with sinusoids?"
    )
    hints = (
        "Positions count from zero: what is the index of token number 513?",
        "No error is not the same as no damage.",
    )
    solution = (
        "The table has rows 0 to 511. Token number 513 has index 512 and falls out of the table: an index "
        "error in PyTorch on the CPU, while TensorFlow documents zeros on a GPU. Sinusoids have a value "
        "there, so nothing is raised. The model has never been trained on it, and the loss rises sharply "
        "beyond the training length."
    )
    points = (
        "Rows 0 to 511: the first failure is index 512, token number 513.",
        "Learned table: an error, or silent zeros, depending on the software.",
        "Sinusoids: no error, but markedly worse predictions.",
    )


class ProteinsWithoutOrder(OpenExercise):
    id = "proteins-without-order"
    title = "Dropping the order of a protein"
    chapter = "self-test"
    lecture = ("S3-66",)
    claims = ("L-142", "L-143", "L-144")
    prompt = (
        "Somebody classifies proteins with an encoder and drops the positional encoding. When is that "
        "reasonable, when is it a disaster, and is a point mutation a change of order?"
    )
    hints = (
        "Which properties follow from how often each amino acid occurs?",
        "A point mutation replaces one amino acid by another. What does that do to the composition?",
    )
    solution = (
        "It is reasonable where only the composition counts: an estimate of the isoelectric point adds up "
        "the charges of the residues and of the two ends, and needs no order (an average over the chain "
        "cannot count the ends). It is a disaster where structure or domains count: two chains of the "
        "same composition are one bag to such an encoder. A point mutation is "
        "*not* a change of order. It changes the composition, so an encoder without positions can see it. "
        "What it cannot see is a rearrangement of the same residues. And two proteins of similar, not "
        "equal, composition remain different inputs."
    )
    points = (
        "Fine for what the composition decides, such as an estimate of the isoelectric point.",
        "Useless for what the arrangement decides: same composition, same output.",
        "A point mutation changes the composition; it is visible without positions.",
        "Similar composition is not equal composition.",
    )


class BeforeAndAfter(OpenExercise):
    id = "before-and-after"
    title = "Telling before from after"
    chapter = "self-test"
    lecture = ("S3-67",)
    claims = ("L-145", "L-146", "L-147")
    prompt = (
        "You need score(i, j) ≠ score(j, i) even where two tokens have the same content. Which methods give you that?"
    )
    hints = (
        "Does the bias of T5 depend on the sign of the distance? Does the bias of ALiBi?",
        "For RoPE take θ = 1, distance 1, q = (1, 0), k = (0, 1), and swap the positions.",
    )
    solution = (
        "A bidirectional T5 bias has separate buckets for the two sides, and Transformer-XL has a vector "
        "for each signed distance: both can. ALiBi's bias uses |i − j| and cannot by itself. RoPE can too, "
        "against what the lecture says: swapping the positions changes the sign of the angle, and the "
        "score in general changes with it, unless q and k are parallel in every pair. Since q and k come from "
        "different weight matrices, the same token has a different q and k. A causal mask makes any method "
        "one-sided."
    )
    points = (
        "T5 (bidirectional) and Transformer-XL: signed distances, so yes.",
        "ALiBi: |i − j|, so not by itself.",
        (
            "RoPE: yes; the sine part of the score changes sign with the distance, and vanishes at every "
            "distance only if q and k are parallel in each pair."
        ),
        "A causal mask also separates before from after.",
    )


class AbsoluteInTheScore(OpenExercise):
    id = "absolute-in-the-score"
    title = "A RoPE score that depends on where it stands"
    chapter = "self-test"
    lecture = ("S3-68",)
    claims = ("L-126", "L-148", "L-149")
    prompt = (
        "Your RoPE scores change when you shift both positions by the same amount. The lecture suspects "
        "(R_m q)·(R_m k) or q·(R_(m−n) k). Are they to blame? What would you look for?"
    )
    hints = (
        "Compute both suspects for (m, n) and for (m + 100, n + 100).",
        "What does rotating q backwards do? And angles laid out for one pairing, applied with the other?",
    )
    solution = (
        "Neither is to blame. (R_m q)·(R_m k) equals q·k: no position at all. q·(R_(m−n) k) depends on m − "
        "n only; it is RoPE with the distance turned around. Real culprits: one side rotated in the wrong "
        "direction (the angles then add: m + n), only one side rotated, angles laid out for neighbouring "
        "pairs but applied to halves, or angles rounded to bfloat16 before the cosine. The test: shift "
        "both positions by the same whole number, and compare scores."
    )
    points = (
        "(R_m q)·(R_m k) = q·k: positions are lost, not absolute.",
        "q·(R_(m−n) k) is relative.",
        ("Suspects: a wrong sign on one side, rotation of one side only, mixed layouts, low precision of the angles."),
        "Test: shift both positions equally; the scores must stay.",
    )


class BiasThatEatsMemory(OpenExercise):
    id = "bias-that-eats-memory"
    title = "A bias matrix that eats the memory"
    chapter = "self-test"
    lecture = ("S3-69",)
    claims = ("L-129", "L-130", "L-150", "L-151")
    prompt = (
        "A T5-like model holds a bias of shape [heads, n, n] and runs out of memory on long inputs. Was "
        "bucketing forgotten?"
    )
    hints = (
        "How many numbers does the learned table hold, with and without buckets?",
        "What shape does the bias have at the moment when it is added to the scores?",
    )
    solution = (
        "Not necessarily. Correct T5 code also spreads its small table to [heads, n, n] when it adds the "
        "bias: that is what eats the memory. Buckets keep the *parameters* few, and let far distances "
        "share what was trained. Without them the table would have 2n − 1 entries per head: long, but no "
        "matrix. To save memory, gather inside the kernel, keep one number per diagonal, or work in blocks. "
        "And T5 does not clip first: near distances have buckets of their own, further ones share "
        "logarithmic ones, and all beyond the maximum share the last."
    )
    points = (
        "The table is small; the gathered bias is heads · n · n in correct code too.",
        "Without buckets the table would hold 2n − 1 numbers per head, not n · n.",
        "Buckets: exact near, logarithmic further out, one last bucket per side.",
        "Memory is saved by computing the bias where it is used.",
    )


class AllColumnsAlike(OpenExercise):
    id = "all-columns-alike"
    title = "Sinusoids and integer division"
    chapter = "self-test"
    lecture = ("S3-70",)
    claims = ("L-134", "L-135", "L-136")
    prompt = (
        "A sinusoidal encoding was computed with the exponent 2*i // d_model in integer division. What "
        "does a row look like, does every position still differ, and can a model learn from it?"
    )
    hints = (
        "What is 2*i // d_model for every i below d_model / 2?",
        "Sines stand in the even columns and cosines in the odd ones.",
    )
    solution = (
        "The exponent is zero for every pair, so each pair turns at the speed of the first: the row "
        "repeats sin(p), cos(p). The values in a row are not all equal: sines and cosines alternate. Rows "
        "of different positions still differ: 2π is irrational, so no two whole numbers are a multiple of "
        "it apart. So a model can learn from it, worse at positions that come close to that. The fix is "
        "true division. The test: compare columns 2 and 3 with the formula, or count the different columns."
    )
    points = (
        "The exponent is zero everywhere: all pairs share one frequency.",
        "A row alternates sin(p), cos(p): two values, not one.",
        "Rows still differ, and a model still learns something.",
        "What is lost is the range of scales; a test on a pair past the first finds it.",
    )
