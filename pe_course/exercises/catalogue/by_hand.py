"""Numbers that a reader should be able to work out with a pencil or a pocket calculator."""

from __future__ import annotations

import math

from pe_course.exercises.exercise import NumberExercise, WrongNumber


class ShortestWave(NumberExercise):
    id = "shortest-wave"
    title = "The shortest wave"
    chapter = "absolute"
    lecture = ("S3-16", "S3-27")
    claims = ("L-074",)
    prompt = "How many positions does the first pair of a sinusoidal encoding need for one full turn?"
    answer = 2 * math.pi
    tolerance = 0.01
    unit = "positions"
    hints = ("Its frequency is one radian per position.", "A full turn is 2π radians.")
    solution = "The first pair turns base^0 = 1 radian per position, so a turn takes 2π ≈ 6.28 positions."
    wrong_numbers = (
        WrongNumber(
            "frequency", 1.0, "That is the frequency, in radians per position. The wavelength is 2π divided by it."
        ),
        WrongNumber("base", 10000.0, "10000 is the base. With exponent 0 it does not enter the first pair at all."),
        WrongNumber(
            "longest",
            2 * math.pi * 10000,
            (
                "That is the upper limit of the wavelengths, which the last pairs approach. The first pair is the "
                "fastest."
            ),
            1.0,
        ),
    )


class LengthOfARow(NumberExercise):
    id = "length-of-a-row"
    title = "How long is a position vector?"
    chapter = "absolute"
    lecture = ("S3-28",)
    claims = ("L-128",)
    prompt = "A sinusoidal encoding is 512 wide. What is the Euclidean length of its row for position 30?"
    answer = 16.0
    tolerance = 0.01
    hints = ("Look at one pair: sin² + cos².", "How many pairs are there?")
    solution = "Each of the 256 pairs contributes sin² + cos² = 1, so the length is √256 = 16, at every position."
    wrong_numbers = (
        WrongNumber(
            "one-per-column", math.sqrt(512), "That counts 1 for each column. Each *pair* gives sin² + cos² = 1."
        ),
        WrongNumber("squared", 256.0, "That is the squared length. Take its root."),
        WrongNumber("unit", 1.0, "Each pair has length 1; the vector has 256 pairs."),
        WrongNumber("zero", 0.0, "No row has length 0, not even the first: cos 0 = 1."),
    )


class FrequencyOfAPair(NumberExercise):
    id = "frequency-of-a-pair"
    title = "The speed of one pair"
    chapter = "rotary"
    lecture = ("S2-15", "S2-06")
    claims = ("L-033", "L-047")
    prompt = (
        "A head is 128 wide, the base is 10000, pairs are counted from 0. By how many radians per position "
        "does pair 32 turn?"
    )
    answer = 0.01
    tolerance = 0.0001
    unit = "radians per position"
    hints = ("The frequency is base^(−2i/d).", "2 · 32 / 128 is one half.")
    solution = "10000^(−64/128) = 10000^(−1/2) = 1/100."
    wrong_numbers = (
        WrongNumber("missing-two", 0.1, "You used i/d. The exponent is 2i/d, since d channels make d/2 pairs."),
        WrongNumber("positive-exponent", 100.0, "The sign of the exponent is lost: the speed falls with i."),
        WrongNumber("wavelength", 2 * math.pi * 100, "That is the wavelength, 2π divided by the frequency.", 0.5),
    )


class LongestWave(NumberExercise):
    id = "longest-wave"
    title = "The slowest pair"
    chapter = "extrapolation"
    lecture = ("S3-22",)
    claims = ("L-055",)
    prompt = (
        "A head is 128 wide, the base is 10000. How many positions does the slowest pair need for one "
        "turn? (To the nearest hundred.)"
    )
    answer = 2 * math.pi * 10000 ** (126 / 128)
    tolerance = 60.0
    unit = "positions"
    hints = ("The last pair has index 63, not 64.", "Its wavelength is 2π · base^(126/128).")
    solution = "2π · 10000^(126/128) ≈ 54 410. A model trained on 4096 positions has seen less than a tenth of a turn."
    wrong_numbers = (
        WrongNumber(
            "limit", 2 * math.pi * 10000, "That uses exponent 1, which no pair has: the last index is d/2 − 1.", 100.0
        ),
        WrongNumber(
            "no-turn", 10000 ** (126 / 128), "You have the positions per radian. One turn is 2π radians.", 60.0
        ),
        WrongNumber("missing-two", 2 * math.pi * 10000 ** (63 / 128), "You used i/d. The exponent is 2i/d.", 10.0),
        WrongNumber("fastest", 2 * math.pi, "That is the fastest pair, index 0."),
    )


class FifteenDegrees(NumberExercise):
    id = "fifteen-degrees"
    title = "Fifteen degrees apart"
    chapter = "rotary"
    lecture = ("S3-20",)
    claims = ("L-080",)
    prompt = (
        "One pair turns by 15° per position. q = k = (1, 0), q stands at position 1, k at position 2. What "
        "is their score?"
    )
    answer = math.cos(math.radians(15))
    tolerance = 0.005
    hints = ("Turn both, then take the dot product.", "The angle between them is 30° − 15°.")
    solution = "Both are turned, the angle between them is 15°, so the score is cos 15° ≈ 0.966."
    wrong_numbers = (
        WrongNumber(
            "angles-added",
            math.cos(math.radians(45)),
            "The angles were added. The score depends on their difference: 30° − 15°.",
        ),
        WrongNumber("one-side", math.cos(math.radians(30)), "Only k was turned. The query turns too, by 15°."),
        WrongNumber("not-rotated", 1.0, "That is the score without rotation, or at distance 0."),
        WrongNumber("radians", math.cos(15), "Your calculator took 15 for radians. 15° are 0.262 radians."),
    )


class AQuarterApart(NumberExercise):
    id = "sign-of-the-distance"
    title = "One step, contents a quarter turn apart"
    chapter = "rotary"
    lecture = ("S3-67", "S3-62")
    claims = ("L-137", "L-146")
    prompt = (
        "One pair with θ = 1 radian per position, position + 1 turns (1, 0) towards (0, 1). q = (1, 0) "
        "stands at position 1, k = (0, 1) at position 0. What is their score?"
    )
    answer = math.sin(1)
    tolerance = 0.005
    hints = ("k is at position 0 and is not turned.", "q becomes (cos 1, sin 1).")
    solution = (
        "q becomes (cos 1, sin 1) and k stays (0, 1), so the score is sin 1 ≈ 0.841. With the positions "
        "exchanged it is −0.841."
    )
    wrong_numbers = (
        WrongNumber(
            "turned-backwards",
            -math.sin(1),
            "The sign shows that q was turned backwards, or that the positions were exchanged.",
        ),
        WrongNumber(
            "cosine", math.cos(1), "That would be the score of equal contents, q = k. Here k is a quarter turn ahead."
        ),
        WrongNumber(
            "not-rotated",
            0.0,
            "That is the score without rotation: q and k are orthogonal. One step apart they are not.",
        ),
        WrongNumber("degrees", math.sin(math.radians(1)), "Your calculator took 1 for degrees. θ is 1 radian."),
    )


class SlopeOfTheThirdHead(NumberExercise):
    id = "slope-of-the-third-head"
    title = "A slope of ALiBi"
    chapter = "alibi"
    lecture = ("S2-17",)
    claims = ("L-051",)
    prompt = "A model has 8 heads. What is the slope of ALiBi in the third of them, counted from one?"
    answer = 0.125
    tolerance = 0.0005
    hints = ("The slopes form a geometric series that begins with 2^(−8/n).", "For 8 heads the ratio is one half.")
    solution = "The slopes are 1/2, 1/4, 1/8, …: the third is 2^(−3) = 0.125."
    wrong_numbers = (
        WrongNumber("starts-at-one", 0.25, "You began with 1. The series begins with its own ratio, 2^(−8/8) = 1/2."),
        WrongNumber("upside-down", 8.0, "That is 2^3. The slopes are at most 1."),
        WrongNumber("counted-from-zero", 0.0625, "That is the fourth head. The question counts from one."),
        WrongNumber("linear", 0.375, "Slopes are not multiples of 1/8; each is half of the one before."),
    )


class TwoFurther(NumberExercise):
    id = "two-tokens-further"
    title = "Two tokens further away"
    chapter = "alibi"
    lecture = ("S2-17",)
    claims = ("L-050",)
    prompt = (
        "In a head of slope 1/2, two keys have the same content score. One is 2 tokens away, the other 4. "
        "What is the weight of the farther one divided by that of the nearer one?"
    )
    answer = math.exp(-1)
    tolerance = 0.005
    hints = ("Their scores differ by slope · 2.", "Softmax turns a difference into a ratio.")
    solution = "Their scores differ by ½ · 2 = 1, so the ratio is exp(−1) ≈ 0.368, whatever other keys there are."
    wrong_numbers = (
        WrongNumber(
            "difference", -1.0, "That is the difference of the scores. The weights stand in the ratio exp(−1)."
        ),
        WrongNumber(
            "distance-alone",
            math.exp(-2),
            (
                "That is the factor of the farther key alone, slope · 4. The nearer one is penalised as well, by "
                "slope · 2."
            ),
        ),
        WrongNumber(
            "inverse-distance", 0.5, "That is 2/4, a weight that falls like 1/distance. ALiBi's falls exponentially."
        ),
        WrongNumber("upside-down", math.e, "The farther key has the smaller weight."),
    )


class BucketAhead(NumberExercise):
    id = "bucket-ahead"
    title = "Three tokens ahead"
    chapter = "relative"
    lecture = ("S3-39",)
    claims = ("L-106",)
    prompt = "T5, bidirectional, 32 buckets: in which bucket is a key that stands 3 tokens *after* the query?"
    answer = 19.0
    tolerance = 0.0
    hints = (
        "The buckets are shared by two sides, 16 each.",
        "T5 counts key − query: the keys ahead have the upper half.",
    )
    solution = "Key − query = +3 is on the upper side, which begins at 16; distance 3 is exact, so 16 + 3 = 19."
    wrong_numbers = (
        WrongNumber(
            "other-side",
            3.0,
            (
                "That is the bucket for 3 tokens *before* the query. T5 takes key − query, and positive values get "
                "the upper half."
            ),
        ),
        WrongNumber("unsplit", 35.0, "There are only 32 buckets: the upper side begins at 16, not at 32."),
        WrongNumber(
            "exact-half", 11.0, "8 is where the logarithmic buckets begin on one side, the upper side begins at 16."
        ),
    )


class BucketFarBehind(NumberExercise):
    id = "bucket-far-behind"
    title = "A hundred tokens behind"
    chapter = "relative"
    lecture = ("S3-50",)
    claims = ("L-107",)
    prompt = (
        "T5, bidirectional, 32 buckets, maximum distance 128: in which bucket is a key that stands 100 "
        "tokens *before* the query?"
    )
    answer = 15.0
    tolerance = 0.0
    hints = (
        "The side of the past has buckets 0 to 15.",
        "Buckets 8 to 15 are logarithmic up to the maximum distance. How much of that way is 100?",
    )
    solution = "8 + ⌊8 · ln(100/8) / ln(128/8)⌋ = 8 + ⌊7.29⌋ = 15, the last bucket of the past."
    wrong_numbers = (
        WrongNumber(
            "other-side", 31.0, "That is the last bucket of the side ahead. Before the query the buckets are 0 to 15."
        ),
        WrongNumber(
            "clipped-only",
            100.0,
            "T5 does not give each distance a bucket of its own: beyond 7 they grow logarithmically.",
        ),
        WrongNumber(
            "rounded-up",
            16.0,
            "Bucket 16 belongs to the other side. The logarithm is rounded down, and the last bucket caps it.",
        ),
        WrongNumber("not-halved", 30.0, "You used all 32 buckets for one side, as the causal decoder does."),
    )


class TableOfShaw(NumberExercise):
    id = "rows-of-shaws-table"
    title = "Rows in Shaw's table"
    chapter = "relative"
    lecture = ("S3-19", "S3-57")
    claims = ("L-117", "L-129")
    prompt = "Shaw's method clips distances at 4. How many vectors does its table for the keys hold?"
    answer = 9.0
    tolerance = 0.0
    hints = ("Which clipped distances are there, from the smallest to the largest?",)
    solution = "−4, −3, …, 3, 4: 2 · 4 + 1 = 9 vectors."
    wrong_numbers = (
        WrongNumber("no-zero", 8.0, "You left out distance 0, the token itself."),
        WrongNumber("one-side", 5.0, "That counts one side. Shaw's distances have a sign."),
        WrongNumber("one-side-no-zero", 4.0, "That counts neither the other side nor distance 0."),
        WrongNumber("squared", 16.0, "No table over pairs is needed, only one row per distance."),
    )


class ScalarsOfT5(NumberExercise):
    id = "scalars-of-t5"
    title = "Parameters of a T5 bias"
    chapter = "relative"
    lecture = ("S3-39", "S3-69")
    claims = ("L-041", "L-109")
    prompt = (
        "A stack of 12 layers with 12 heads uses the T5 bias with 32 buckets. How many numbers does it "
        "learn for positions?"
    )
    answer = 384.0
    tolerance = 0.0
    hints = ("Each head has its own column.", "Do the layers have a table each?")
    solution = "32 buckets · 12 heads = 384. The layers of a stack share the table."
    wrong_numbers = (
        WrongNumber("one-head", 32.0, "Each head has its own bias: multiply by the heads."),
        WrongNumber("per-layer", 4608.0, "The layers of a T5 stack share one table."),
        WrongNumber("exact", 3060.0, "That is 255 distances times 12. Buckets are what makes the table small."),
    )


class MemoryOfABias(NumberExercise):
    id = "memory-of-a-bias"
    title = "How much memory a bias takes"
    chapter = "pitfalls"
    lecture = ("S3-69", "S3-57")
    claims = ("L-130", "L-150")
    prompt = (
        "A correct T5 layer adds its bias to 4096 × 4096 scores in each of 12 heads, in float32. How many "
        "megabytes (10⁶ bytes) does the gathered bias take?"
    )
    answer = 805.306368
    tolerance = 1.0
    unit = "MB"
    hints = ("Count the numbers: heads · n · n.", "A float32 has 4 bytes.")
    solution = "12 · 4096² · 4 bytes ≈ 805 MB. So a large bias is no sign of forgotten buckets."
    wrong_numbers = (
        WrongNumber("numbers", 201.326592, "That counts the numbers, in millions. Each has 4 bytes.", 0.5),
        WrongNumber("one-head", 67.108864, "That is one head. There are 12.", 0.2),
        WrongNumber("half", 402.653184, "That would be 2 bytes each, as in float16.", 0.5),
        WrongNumber(
            "mebibytes", 768.0, "That is in mebibytes (2²⁰ bytes). In units of 10⁶ bytes it is a little more.", 0.5
        ),
    )


class MiddleWord(NumberExercise):
    id = "the-middle-word"
    title = "The middle row of the worked example"
    chapter = "worked-example"
    lecture = ("S1-18",)
    claims = ("L-016", "L-020")
    prompt = (
        "The middle of three words scores 3 with each word. The bias −0.5·|i − j| is added. How much "
        "weight does it give itself?"
    )
    answer = 1 / (1 + 2 * math.exp(-0.5))
    tolerance = 0.005
    hints = ("The biased scores are 2.5, 3 and 2.5.", "Softmax: subtract 3 from each, then exponentiate.")
    solution = "Scores 2.5, 3, 2.5: weight 1/(1 + 2·exp(−½)) ≈ 0.452."
    wrong_numbers = (
        WrongNumber("no-bias", 1 / 3, "That is the weight without the bias: equal scores, equal weights."),
        WrongNumber("no-softmax", 3 / 8, "You divided the scores by their sum. Softmax exponentiates first."),
        WrongNumber("neighbour", 1 / (2 + math.exp(0.5)), "That is the weight of a neighbour."),
        WrongNumber(
            "wrong-sign",
            1 / (1 + 2 * math.exp(0.5)),
            "The bias was added with a plus: neighbours would outweigh the word itself.",
        ),
    )


class PaddedOnTheLeft(NumberExercise):
    id = "padded-on-the-left"
    title = "Padded on the left"
    chapter = "pitfalls"
    prompt = "A row has the mask 0 0 1 1 1. Positions count real tokens from 0. Which position does its last token get?"
    answer = 2.0
    tolerance = 0.0
    hints = ("Only real tokens are counted.", "The first real token gets 0.")
    solution = "The real tokens get 0, 1 and 2."
    wrong_numbers = (
        WrongNumber("arange", 4.0, "That is its index in the padded row. Padding does not count."),
        WrongNumber(
            "one-based", 3.0, "A running sum of the mask gives 3; the first real token shall have 0, so subtract 1."
        ),
    )


class InterpolatedPosition(NumberExercise):
    id = "interpolated-position"
    title = "An interpolated position"
    chapter = "extrapolation"
    lecture = ("S2-20",)
    claims = ("L-057",)
    prompt = (
        "A model trained on 4096 positions is run on 16384 by position interpolation. Which position does "
        "the rotation use for index 6000?"
    )
    answer = 1500.0
    tolerance = 0.01
    hints = (
        "The factor is the new length divided by the old one.",
        "Interpolation squeezes positions into the old range.",
    )
    solution = "The factor is 16384/4096 = 4, so 6000 is rotated as 1500."
    wrong_numbers = (
        WrongNumber(
            "stretched",
            24000.0,
            "Positions are divided by the factor, not multiplied: they shall stay within what was trained.",
        ),
        WrongNumber("unchanged", 6000.0, "That is beyond the 4096 positions of training, which interpolation avoids."),
        WrongNumber("wrapped", 1904.0, "That wraps around after 4096. Interpolation divides instead."),
        WrongNumber("clipped", 4095.0, "That clips. Then all far tokens would share a position."),
    )


class BaseOfNtk(NumberExercise):
    id = "base-for-four-times"
    title = "A new base"
    chapter = "extrapolation"
    lecture = ("S2-20", "S3-59")
    claims = ("L-057", "L-133")
    prompt = (
        "A head is 128 wide and has base 10000. Which base does the NTK-aware rule give for a factor of 4? "
        "(To the nearest ten.)"
    )
    answer = 10000 * 4 ** (128 / 126)
    tolerance = 6.0
    hints = (
        "The slowest pair shall be slowed by exactly 4.",
        "Its exponent is (d − 2)/d, so the factor gets the exponent d/(d − 2).",
    )
    solution = "10000 · 4^(128/126) ≈ 40 890."
    wrong_numbers = (
        WrongNumber(
            "factor-alone",
            40000.0,
            (
                "Then the slowest pair, whose exponent is below 1, is slowed by less than 4. The factor needs the "
                "exponent d/(d − 2)."
            ),
        ),
        WrongNumber("upside-down", 10000 * 4 ** (126 / 128), "The exponent is upside down: d/(d − 2), not (d − 2)/d."),
        WrongNumber(
            "interpolation",
            10000.0,
            "The base stays as it is in position interpolation, where the positions are divided instead.",
        ),
    )


class TwiceAsManyKeys(NumberExercise):
    id = "twice-as-many-keys"
    title = "Twice as many keys"
    chapter = "extrapolation"
    lecture = ("S2-21",)
    claims = ("L-060", "L-061")
    prompt = (
        "A model was trained on 512 tokens. By which factor does log-n scaling multiply the scores of a "
        "query that sees 1024?"
    )
    answer = math.log(1024) / math.log(512)
    tolerance = 0.005
    hints = ("The factor is log n / log 512.", "Base 2 makes it easy: 1024 = 2^10.")
    solution = "log 1024 / log 512 = 10/9 ≈ 1.111, in any base of the logarithm."
    wrong_numbers = (
        WrongNumber("ratio", 2.0, "That is the ratio of the lengths. The rule takes the ratio of their logarithms."),
        WrongNumber(
            "log-of-ratio",
            math.log(2),
            "That is the logarithm of the ratio. The rule takes the ratio of the logarithms.",
        ),
        WrongNumber(
            "upside-down",
            0.9,
            (
                "The fraction is upside down: with more keys the scores are made larger, so that attention stays "
                "as sharp."
            ),
        ),
        WrongNumber("within", 1.0, "1 is the factor up to the training length. Here there are more keys."),
    )


class TwoScores(NumberExercise):
    id = "softmax-of-two"
    title = "Softmax of two scores"
    chapter = "prerequisites"
    lecture = ("S3-14",)
    prompt = "A query has the scores 2 and 1 for two keys. How much weight does the first key get?"
    answer = 1 / (1 + math.exp(-1))
    tolerance = 0.005
    hints = ("Only the difference of the scores counts.", "The weight is 1 / (1 + exp(−difference)).")
    solution = "exp(2) / (exp(2) + exp(1)) = 1 / (1 + exp(−1)) ≈ 0.731."
    wrong_numbers = (
        WrongNumber(
            "no-exponential", 2 / 3, "You divided by the sum of the scores. Softmax exponentiates first.", 0.004
        ),
        WrongNumber("other-key", 1 / (1 + math.e), "That is the weight of the second key."),
        WrongNumber("equal", 0.5, "Equal weights come from equal scores."),
    )


class ScaledScore(NumberExercise):
    id = "a-scaled-score"
    title = "A scaled score"
    chapter = "prerequisites"
    lecture = ("S3-14",)
    claims = ("L-022",)
    prompt = "A head is 64 wide, and q·k = 16. What is the score after the scaling of the standard Transformer?"
    answer = 2.0
    tolerance = 0.001
    hints = ("The score is divided by a root.",)
    solution = "16 / √64 = 2."
    wrong_numbers = (
        WrongNumber("by-width", 0.25, "You divided by the width. The standard divides by its root."),
        WrongNumber("unscaled", 16.0, "That is the score before scaling."),
        WrongNumber("multiplied", 128.0, "The root divides; multiplying would sharpen the softmax still further."),
    )
