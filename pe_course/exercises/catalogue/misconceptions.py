"""What most of us once believed, as questions with one right option and a sentence for each other."""

from __future__ import annotations

from pe_course.exercises.exercise import ChoiceExercise, Option


class SwapTwoTokens(ChoiceExercise):
    id = "swap-two-tokens"
    title = "Swap two tokens"
    chapter = "motivation"
    lecture = ("S2-01", "S3-30")
    claims = ("L-025", "L-100")
    prompt = (
        "Self-attention without mask and without positions gets a sentence with two of its words swapped. "
        "What happens to the outputs?"
    )
    options = (
        Option(
            "a",
            "Nothing: every output row stays where it was.",
            (
                "Then the word at place one would keep its output although another word stands there now. The rows "
                "move along with their words."
            ),
        ),
        Option(
            "b",
            "All output rows change, since every word sees other neighbours.",
            (
                "A word sees the same set of words as before. The weighted sum runs over a set, and a set has no "
                "neighbours."
            ),
        ),
        Option(
            "c",
            "The same two output rows are swapped; no value changes.",
            (
                "Yes. That is equivariance: permuting the input permutes the output. Only a pooled output, a sum "
                "or a mean, stays the same."
            ),
            right=True,
        ),
        Option(
            "d",
            "Only the two swapped rows get new values.",
            "Their places change, their values do not: each word attends to the same set of words as before.",
        ),
    )
    solution = (
        "The outputs are permuted in the same way as the inputs (equivariance). After a mean over the "
        "tokens nothing is left of the order."
    )


class CausalWithoutPositions(ChoiceExercise):
    id = "causal-without-positions"
    title = "A decoder without positions"
    chapter = "motivation"
    lecture = ("S3-02", "S3-30")
    claims = ("L-026", "L-101")
    prompt = "A decoder with a causal mask has no positional encoding. Can it use the order of the tokens?"
    options = (
        Option(
            "a",
            "No, without an encoding a Transformer is a bag of words.",
            (
                "True without the mask. Under a causal mask the first token sees one token and the fifth sees "
                "five, so the outputs do depend on the order."
            ),
        ),
        Option(
            "b",
            "Only if the words are all different.",
            "Repeated words are not what decides. The mask gives each place another set to look at.",
        ),
        Option(
            "c",
            "Only after training on very long texts.",
            "It holds for random weights already; training decides how well it is used.",
        ),
        Option(
            "d",
            "Yes: the mask lets each token see only what stands before it, and that depends on the order.",
            (
                "Yes. One layer shows it where a token sees another set than before. A token that still sees the "
                "same set, such as the last one, notices from the second layer on."
            ),
            right=True,
        ),
    )
    solution = (
        "Yes. The causal mask breaks the symmetry: which tokens a token may see depends on where it "
        "stands. Decoders without an encoding do work; small ones learn more slowly."
    )


class FastAndSlow(ChoiceExercise):
    id = "fast-and-slow"
    title = "Which columns are fast?"
    chapter = "absolute"
    lecture = ("S3-27", "S3-32")
    claims = ("L-094", "L-102")
    prompt = "In the sinusoidal encoding with base 10000, which columns change most from one position to the next?"
    options = (
        Option(
            "a",
            "The last ones: large i, short wavelength.",
            (
                "This is how the lecture puts it, and it is exchanged. A large i makes the denominator large, the "
                "angle small and the wave long."
            ),
        ),
        Option(
            "b",
            "The first ones: small i, short wavelength.",
            (
                "Yes. The exponent 2i/d is zero for the first pair, so it turns one radian per position. The last "
                "pair needs tens of thousands of positions for one turn."
            ),
            right=True,
        ),
        Option(
            "c",
            "All equally; only the phases differ.",
            "The phases are all zero. What differs is the frequency, over four orders of magnitude.",
        ),
        Option(
            "d",
            "The even ones, since they hold the sines.",
            "Sine and cosine of a pair turn at the same speed. Even and odd columns do not differ in it.",
        ),
    )
    solution = (
        "The first columns. The frequency of pair i is base^(−2i/d): one radian per position for i = 0, "
        "nearly 1/10000 for the last pair."
    )


class RowOfPositionZero(ChoiceExercise):
    id = "row-of-position-zero"
    title = "The row of position 0"
    chapter = "absolute"
    lecture = ("S3-56",)
    claims = ("L-128",)
    prompt = "You print row 0 of a correct sinusoidal encoding. What do you see?"
    options = (
        Option(
            "a",
            "All zeros, because sin 0 = 0.",
            (
                "The even columns are zero. The odd ones hold cosines, and cos 0 = 1. A test for zeros would make "
                "you 'mend' correct code."
            ),
        ),
        Option("b", "All ones.", "That holds for the cosines only."),
        Option(
            "c",
            "A vector of length zero to one, depending on the width.",
            "Every row has the same length: each pair contributes sin² + cos² = 1, so the length is √(d/2).",
        ),
        Option(
            "d",
            "Zeros and ones by turns.",
            "Yes: sin 0 = 0 in the even columns, cos 0 = 1 in the odd ones.",
            right=True,
        ),
    )
    solution = "0, 1, 0, 1, …: sin 0 and cos 0."


class SameCodeTwice(ChoiceExercise):
    id = "same-code-twice"
    title = "Does the encoding repeat?"
    chapter = "absolute"
    lecture = ("S2-07",)
    claims = ("L-034", "L-075")
    prompt = (
        "Every column of a sinusoidal encoding is periodic. Does the whole row therefore repeat within the "
        "first few thousand positions?"
    )
    options = (
        Option(
            "a",
            "Yes, after the shortest wavelength, about six positions.",
            "After about six positions the first pair is nearly back, but no other pair is.",
        ),
        Option(
            "b",
            "Yes, after the longest wavelength.",
            "No whole position is a multiple of any wavelength, and all pairs would have to be back at once.",
        ),
        Option(
            "c",
            (
                "No: the wavelengths differ from pair to pair, and whole positions do not even bring the first "
                "pair back exactly."
            ),
            ("Yes. Every wavelength is irrational, so no whole position is a multiple of one. Each row is unique."),
            right=True,
        ),
    )
    solution = "No. Each component is periodic in a real position; on whole positions no row ever comes back."


class TableTooShort(ChoiceExercise):
    id = "table-too-short"
    title = "Beyond the last row"
    chapter = "absolute"
    lecture = ("S3-49", "S3-65")
    claims = ("L-115", "L-141")
    prompt = "A learned table has 512 rows. Which token is the first that it cannot serve?"
    options = (
        Option("a", "The token at index 511.", "Index 511 is the last row: rows are counted from 0."),
        Option(
            "b",
            "The token at index 513.",
            "That one fails too, but one comes before it. The number of a token and its index differ by one.",
        ),
        Option(
            "c",
            "None; the table wraps around.",
            "It does not wrap. Most libraries raise an index error; some return zeros and say nothing.",
        ),
        Option(
            "d",
            "The token at index 512, the 513th.",
            "Yes: indices 0 to 511 have rows, index 512 has none.",
            right=True,
        ),
    )
    solution = "The 513th token, index 512."


class SymmetricPenalty(ChoiceExercise):
    id = "symmetric-penalty"
    title = "Dog bites man"
    chapter = "continuous"
    lecture = ("S3-09", "S1-16")
    claims = ("L-023",)
    prompt = (
        "An encoder without mask gets the bias −0.5·|i − j| as its only sign of position, and its outputs "
        "are averaged. Can it tell 'dog bites man' from 'man bites dog'?"
    )
    options = (
        Option(
            "a",
            "Yes: the bias depends on positions, so the order is known.",
            (
                "It knows how far apart words are, not which comes first. Reading backwards leaves every |i − j| "
                "as it was."
            ),
        ),
        Option(
            "b",
            "Only if the penalty is strong enough.",
            "No strength helps: a symmetric function of the distance gives both orders the same set of scores.",
        ),
        Option(
            "c",
            "No: the two are reversals of each other, and |i − j| does not change under reversal.",
            (
                "Yes. The averaged output is the same up to rounding. A signed distance, a causal mask, RoPE or "
                "sinusoids would tell them apart."
            ),
            right=True,
        ),
    )
    solution = (
        "No. A bias of |i − j| is unchanged when the sentence is reversed, and these two sentences are reversals."
    )


class BiasThatVanishes(ChoiceExercise):
    id = "bias-that-vanishes"
    title = "A bias that goes to zero"
    chapter = "continuous"
    lecture = ("S1-13",)
    claims = ("L-008", "L-009")
    prompt = (
        "A bias f(d) is added to the scores, and f(d) goes to 0 for large distances. What does that do to far tokens?"
    )
    options = (
        Option(
            "a",
            "Their scores are left as content made them.",
            "Yes. Zero is 'no change'. With many far tokens they together outweigh the near ones.",
            right=True,
        ),
        Option(
            "b",
            "Their weight goes to zero.",
            (
                "A bias of zero leaves a score as it is. The weight is exp(score + bias): to make it vanish the "
                "bias must go to minus infinity."
            ),
        ),
        Option("c", "They get exactly the weight of the nearest token.", "That depends on the content and on f(0)."),
        Option("d", "They are masked.", "A mask is a bias of minus infinity, the opposite end."),
    )
    solution = "Nothing: a bias of 0 is no change. Decay needs a bias that falls without bound."


class BeforeOrAfterSoftmax(ChoiceExercise):
    id = "bias-as-a-factor"
    title = "What a bias does to a weight"
    chapter = "continuous"
    lecture = ("S1-15",)
    claims = ("L-020",)
    prompt = (
        "Two keys have the same content score. One has a bias of −1, the other of 0. How do their "
        "attention weights compare?"
    )
    options = (
        Option(
            "a",
            "The first is smaller by 1.",
            "Weights lie between 0 and 1; the 1 is subtracted before the exponential.",
        ),
        Option(
            "b",
            "It depends on how many other keys there are.",
            "Each weight does, but not their ratio: the denominator is the same for both.",
        ),
        Option(
            "c",
            "The first is e times smaller, whatever the other keys are.",
            "Yes: softmax turns a difference of scores into a ratio of weights, exp(−1).",
            right=True,
        ),
        Option("d", "The first is zero.", "Only a bias of minus infinity gives zero."),
    )
    solution = "The ratio is exp(−1), about 0.37: an added bias is a factor on the weight."


class WhatIsRotated(ChoiceExercise):
    id = "what-is-rotated"
    title = "What does RoPE rotate?"
    chapter = "rotary"
    lecture = ("S3-05", "S3-44")
    claims = ("L-065",)
    prompt = "Where in a Transformer does RoPE act?"
    options = (
        Option(
            "a",
            "On the queries and keys of each layer.",
            "Yes. The values are not rotated, so what is passed on carries no rotation.",
            right=True,
        ),
        Option(
            "b",
            "On the token embeddings, once, at the input.",
            "That is where sinusoids act. RoPE leaves embeddings alone; it turns what has been projected.",
        ),
        Option(
            "c",
            "On queries, keys and values of each layer.",
            (
                "Rotated values would carry the absolute position into the output, and it would have to be taken "
                "out again."
            ),
        ),
        Option(
            "d",
            "On the scores, after the dot product.",
            ("There a bias acts. The rotation comes before the dot product, which is why the kernel needs no change."),
        ),
    )
    solution = "On queries and keys, in each attention layer, before the dot product."


class OnlyTheKeys(ChoiceExercise):
    id = "only-the-keys"
    title = "Only the keys were rotated"
    chapter = "pitfalls"
    lecture = ("S3-55",)
    claims = ("L-125", "L-126")
    prompt = (
        "Someone rotates the keys but not the queries. On what does the score of query m and key n depend, "
        "for fixed contents?"
    )
    options = (
        Option("a", "On m and n separately.", "The query was not rotated, so nothing in the score knows m."),
        Option(
            "b", "On m − n, as it should.", "For that both sides need their own rotation, so that the angles subtract."
        ),
        Option("c", "On m only.", "It is the other way round: the keys carry the angle."),
        Option(
            "d",
            "On n only: the absolute position of the key.",
            "Yes. The query's place is lost, so 'two back' cannot be expressed.",
            right=True,
        ),
    )
    solution = "On n only. The lecture says that it depends on m; the code shows that it is the key's position."


class DoesItDecay(ChoiceExercise):
    id = "does-rope-decay"
    title = "Does RoPE decay with distance?"
    chapter = "rotary"
    lecture = ("S3-15", "S3-46")
    claims = ("L-073",)
    prompt = "Two tokens move apart, contents fixed. What does the RoPE score do?"
    options = (
        Option(
            "a",
            "It oscillates; whether it is larger near or far depends on the contents.",
            (
                "Yes. Each pair contributes a cosine of the distance with a phase from q and k. A query and key "
                "can be made to match best at any distance."
            ),
            right=True,
        ),
        Option(
            "b",
            "It falls with every step.",
            "For q = k with equal entries it falls on the whole, but nearly every second step goes up.",
        ),
        Option("c", "It is constant: rotation keeps lengths.", "Lengths stay, the angle between q and k changes."),
        Option("d", "It falls like 1/distance.", "Nothing in a sum of cosines has such a law."),
    )
    solution = "It oscillates. The decay that is often drawn is an upper bound of the score, and that wobbles too."


class SharedByHeads(ChoiceExercise):
    id = "t5-shared-by-heads"
    title = "The table of T5"
    chapter = "relative"
    lecture = ("S3-39", "S3-42", "S3-50")
    claims = ("L-106", "L-109")
    prompt = "What does the relative bias of T5 learn?"
    options = (
        Option(
            "a",
            "One number for each distance from −127 to 127.",
            (
                "128 sets the scale of the logarithm. Only distances up to 7 (15 in a decoder) have a bucket of "
                "their own; farther ones share."
            ),
        ),
        Option(
            "b",
            "One number for each bucket and each head.",
            "Yes: 32 buckets times the heads, shared by the layers of a stack.",
            right=True,
        ),
        Option(
            "c",
            "One number for each bucket, the same for all heads.",
            "Each head has its own column in the table: one head can look near and another far.",
        ),
        Option("d", "A vector for each distance, as wide as a head.", "That is Shaw's method. T5 learns scalars."),
    )
    solution = "One scalar per bucket and head; the layers of a stack share the table."


class FarTokensInT5(ChoiceExercise):
    id = "far-tokens-in-t5"
    title = "Ten minutes ago, twelve hours ago"
    chapter = "relative"
    lecture = ("S3-38", "S3-39")
    claims = ("L-107",)
    prompt = (
        "In a bidirectional T5 with 32 buckets and a maximum distance of 128, key A stands 700 tokens "
        "before the query and key B 50 400 before it. How do their biases compare?"
    )
    options = (
        Option(
            "a",
            "They are the same number.",
            "Yes. All distances past the maximum share the last bucket of their side.",
            right=True,
        ),
        Option(
            "b",
            "B's is smaller, since it is further away.",
            "Both lie beyond the maximum distance on the same side, so both read the same entry of the table.",
        ),
        Option("c", "Both are zero.", "The last bucket is learned like every other; it need not be zero."),
        Option("d", "Undefined: such distances raise an error.", "No error: the last bucket takes all of them."),
    )
    solution = "The same: one last bucket per side holds everything beyond the maximum distance."


class FlatLoss(ChoiceExercise):
    id = "flat-loss"
    title = "What a flat loss shows"
    chapter = "alibi"
    lecture = ("S2-18", "S3-53")
    claims = ("L-052",)
    prompt = "A model with ALiBi keeps its loss at sixteen times its training length. What does that show by itself?"
    options = (
        Option(
            "a",
            "It uses all sixteen lengths of context.",
            (
                "The loss could be the same if it ignored everything beyond a short window. Compare with a hard "
                "window before concluding."
            ),
        ),
        Option(
            "b",
            "That it has learned the longer distances.",
            "It never saw them in training; its penalty was fixed by hand.",
        ),
        Option(
            "c",
            "That the longer input does it no harm; whether it uses the far part needs another test.",
            "Yes. A window mask, the loss per position or a retrieval task tells more.",
            right=True,
        ),
    )
    solution = "No harm, not use. Test use with a window mask or with retrieval at a distance."


class NoPositionalEncoding(ChoiceExercise):
    id = "is-alibi-nope"
    title = "Is ALiBi 'no positional encoding'?"
    chapter = "alibi"
    lecture = ("S3-06", "S3-53")
    claims = ("L-067", "L-154")
    prompt = "Which of these models has *no* positional encoding?"
    options = (
        Option(
            "a",
            "A model with ALiBi: nothing is added to the embeddings.",
            (
                "Its scores carry a penalty that depends on positions. Nothing at the input is not the same as "
                "nothing at all."
            ),
        ),
        Option(
            "b",
            "A decoder whose only trace of order is its causal mask.",
            "Yes. This is what the literature calls NoPE.",
            right=True,
        ),
        Option(
            "c", "A model with a T5 bias.", "The bias is a learned function of the distance, so it encodes positions."
        ),
        Option(
            "d",
            "A model with RoPE: nothing is added anywhere.",
            "Rotation multiplies instead of adding; it encodes the position in queries and keys.",
        ),
    )
    solution = "The decoder with nothing but its causal mask (NoPE)."


class PositionsInTheCache(ChoiceExercise):
    id = "position-of-the-next-token"
    title = "The position of the next token"
    chapter = "pitfalls"
    lecture = ("S3-55",)
    prompt = (
        "A cache holds the keys of 7 tokens, rotated at positions 0 to 6. The next token arrives alone. At "
        "which position are its query and key rotated?"
    )
    options = (
        Option("a", "At 7, the number of tokens before it.", "Yes: the offset is the length of the cache.", right=True),
        Option(
            "b",
            "At 0: it is the first token of this call.",
            (
                "Then every earlier key seems to stand at its place or after it, and the scores are those of other "
                "distances. Nothing raises an error."
            ),
        ),
        Option(
            "c",
            "At 6, the last position in the cache.",
            ("Then it shares a position with the token before it: an error by one that short tests do not notice."),
        ),
        Option(
            "d",
            "At 8, because positions count from 1.",
            "They count from 0 in the cache, so the eighth token stands at 7.",
        ),
    )
    solution = "At position 7: as many as there are tokens before it."


class WhichScaling(ChoiceExercise):
    id = "what-interpolation-does"
    title = "What position interpolation does"
    chapter = "extrapolation"
    lecture = ("S2-20",)
    claims = ("L-057", "L-058")
    prompt = "A RoPE model trained on 4096 positions shall run on 16384. What does position interpolation change?"
    options = (
        Option(
            "a",
            "It multiplies the base by 4.",
            (
                "Multiplying the base slows the pairs unevenly and the slowest by less than 4. NTK-aware scaling "
                "chooses the base so that the slowest is slowed by exactly 4."
            ),
        ),
        Option(
            "b", "It drops all tokens but every fourth.", "No token is dropped; their positions move closer together."
        ),
        Option(
            "c",
            "It divides the positions by 4, so that no angle exceeds what training showed.",
            (
                "Yes. All pairs are slowed alike; the fast ones lose resolution between neighbours, and some "
                "tuning is needed."
            ),
            right=True,
        ),
        Option("d", "It repeats the angles after position 4096.", "Then tokens 4096 apart would share a position."),
    )
    solution = "Positions are divided by the factor: every pair is slowed by it, fast and slow alike."


class AlwaysBetter(ChoiceExercise):
    id = "relative-always-better"
    title = "Is relative always better?"
    chapter = "comparison"
    lecture = ("S3-54",)
    claims = ("L-062", "L-120", "L-124")
    prompt = "Which statement about relative encodings holds?"
    options = (
        Option(
            "a",
            "They always extrapolate.",
            ("Plain RoPE is relative and breaks beyond its training length; a T5 bias holds for some lengths only."),
        ),
        Option(
            "b",
            "They need a table of n times n vectors.",
            "Tables are as long as the number of distances or buckets, and RoPE and ALiBi have none.",
        ),
        Option("c", "They replace the causal mask.", "Distance does not hide the future; a mask does."),
        Option(
            "d",
            ("Where they act on the scores alone, they cannot tell places apart if every token has the same content."),
            (
                "Yes. If all tokens are alike, the values are alike, and every weighted mean of them is the same, "
                "whatever the weights."
            ),
            right=True,
        ),
    )
    solution = (
        "With identical tokens no method that acts on the score alone can mark a place. Where the start or "
        "end counts, an absolute signal helps."
    )


class FactorOfNtk(ChoiceExercise):
    id = "which-pairs-need-scaling"
    title = "Which pairs are in danger?"
    chapter = "extrapolation"
    lecture = ("S2-19", "S2-20")
    claims = ("L-055", "L-133")
    prompt = "Which rotary pairs meet angles at a new length that training never showed?"
    options = (
        Option(
            "a",
            "The slow ones that did not complete a turn within the training length.",
            "Yes. This is why NTK-aware scaling and YaRN slow these and spare the fast ones.",
            right=True,
        ),
        Option(
            "b",
            "The fastest: they turn most.",
            "They have turned full circle many times in training; every angle is familiar to them.",
        ),
        Option("c", "All alike.", "An angle is known modulo a full turn; fast pairs have seen them all."),
        Option("d", "None: sine and cosine are bounded.", "Bounded values can still be new combinations of values."),
    )
    solution = "The slow pairs, whose wavelength exceeds the training length."


class ParallelIsNotAll(ChoiceExercise):
    id = "what-the-dot-product-measures"
    title = "What a dot product measures"
    chapter = "prerequisites"
    lecture = ("S3-15",)
    claims = ("L-072",)
    prompt = (
        "q is fixed. Two keys point in the same direction as q, and the second is twice as long as the "
        "first. How do their scores compare?"
    )
    options = (
        Option(
            "a",
            "They are equal: the dot product measures the direction.",
            "The cosine would be equal. A dot product is the cosine times both lengths.",
        ),
        Option(
            "b",
            "They are equal: the first already has the largest value there is.",
            "Parallel gives the largest value among keys of *the same length*. A longer key scores higher.",
        ),
        Option(
            "c",
            "The second is twice as large.",
            (
                "Yes. A dot product is the cosine times both lengths, so it is more than a measure of direction, "
                "and it is no projection unless q has length one."
            ),
            right=True,
        ),
        Option("d", "The second is four times as large.", "Each length enters once; only one of them was doubled."),
    )
    solution = "Twice as large: q·k is the cosine of the angle times the length of q times the length of k."


class SlicesFartherDown(ChoiceExercise):
    id = "slices-further-down"
    title = "Slices 50 and 52, slices 150 and 152"
    chapter = "analogies"
    lecture = ("S3-44", "S3-46")
    claims = ("L-049", "L-111")
    prompt = (
        "With RoPE, slices 50 and 52 have the same score as slices 150 and 152 of the same content. Does a "
        "model trained on 300 slices therefore read 600 as well?"
    )
    options = (
        Option(
            "a",
            "No: pairs up to 599 apart now exist, and their angles were never trained.",
            "Yes. Equal treatment of equal distances says nothing about distances that are new.",
            right=True,
        ),
        Option(
            "b",
            "Yes: only distances count, and those are the same.",
            "Distances up to 299 are the same. With 600 slices there are larger ones.",
        ),
        Option(
            "c",
            "No: the score of slices 350 and 352 differs from that of 50 and 52.",
            "It does not: at the same distance and content it is the same, wherever the pair stands.",
        ),
    )
    solution = (
        "No. RoPE is the same at every place for the distances it knows; the larger distances of a longer scan are new."
    )


class TimesOrIndices(ChoiceExercise):
    id = "times-or-indices"
    title = "Three days or eight years"
    chapter = "analogies"
    lecture = ("S3-64",)
    claims = ("L-140",)
    prompt = (
        "Visits of a patient are numbered 0, 1, 2, … and RoPE rotates by these numbers. What does the "
        "score know about the time between two neighbouring visits?"
    )
    options = (
        Option(
            "a",
            "The time itself, since RoPE is relative.",
            (
                "It is relative to the numbers it was given. Neighbouring visits have distance 1 whatever the "
                "calendar says."
            ),
        ),
        Option(
            "b",
            "The order of magnitude: the slow pairs measure years.",
            "Slow pairs measure large *numbers* of visits.",
        ),
        Option(
            "c",
            "Nothing that the text of the visits does not say.",
            "Yes. To let it see time, hand over time stamps as positions.",
            right=True,
        ),
    )
    solution = "Nothing: index is not time. Use the time stamp as position."


class AbnormalWave(ChoiceExercise):
    id = "abnormal-wave"
    title = "An abnormal wave"
    chapter = "analogies"
    lecture = ("S3-42",)
    claims = ("L-110",)
    prompt = (
        "A physician looks longer at an abnormal P wave, however far away it is. Which part of a T5 layer "
        "can do the same?"
    )
    options = (
        Option(
            "a",
            "The relative bias: it is learned, so it learns what matters.",
            "It learns one number per bucket and head. What the token contains does not enter.",
        ),
        Option(
            "b", "The buckets: an abnormal wave falls into another bucket.", "Buckets are chosen by the distance alone."
        ),
        Option(
            "c",
            "None: a T5 layer weighs by distance only.",
            "Then content would not matter at all. The product of query and key is still there.",
        ),
        Option(
            "d",
            "The product of query and key, to which the bias is added.",
            "Yes. Content decides there; the bias only shifts it by an amount that depends on the distance.",
            right=True,
        ),
    )
    solution = "The content score q·k. The bias is independent of content."


class WorseOrUntrained(ChoiceExercise):
    id = "worse-or-slower"
    title = "Worse, or trained with the wrong rate?"
    chapter = "lab"
    claims = ("L-062",)
    prompt = (
        "In a small experiment a T5 bias does worse on long texts than ALiBi. All parameters shared one "
        "learning rate. What do you do before you rank the two?"
    )
    options = (
        Option(
            "a",
            "Train with more seeds, until the difference is significant.",
            "More seeds make an artefact of the optimiser certain, not true.",
        ),
        Option(
            "b",
            "Train the bias with a learning rate of its own, and compare again.",
            (
                "Yes. A table that starts at zero and is read everywhere learns slowly at a rate chosen for "
                "matrices. ALiBi has nothing to learn."
            ),
            right=True,
        ),
        Option(
            "c",
            "Nothing: the conditions were the same for both.",
            "The same rate is not the same chance: one has parameters for positions, the other none.",
        ),
        Option(
            "d",
            "Take the better of the two at the training length only.",
            "That drops the question, which was about longer texts.",
        ),
    )
    solution = "Give the positional parameters their own learning rate first; otherwise you rank optimisers."


class NotLearned(ChoiceExercise):
    id = "not-learned-is-not-robust"
    title = "Flat from the start"
    chapter = "lab"
    prompt = (
        "On a retrieval task a method scores near chance at its training length, and just the same at "
        "sixteen times that length. May you write that it extrapolates well?"
    )
    options = (
        Option(
            "a",
            "No: it has not learned the task, so there is nothing to carry over.",
            "Yes. Such a method belongs in no ranking of extrapolation; it is marked as not learned.",
            right=True,
        ),
        Option(
            "b",
            "Yes: its result does not depend on the length.",
            "Neither does a coin's. What does not work cannot break.",
        ),
        Option("c", "Only if three seeds agree.", "Three coins agree as well."),
    )
    solution = "No. Extrapolation is measured on what was learned at the training length."


class CachedKeys(ChoiceExercise):
    id = "keys-that-go-stale"
    title = "Keys that go stale"
    chapter = "comparison"
    lecture = ("S2-20",)
    claims = ("L-057",)
    prompt = "You cache keys after rotation. Under which rule do cached keys no longer fit once the text has grown?"
    options = (
        Option(
            "a", "Position interpolation with a fixed factor.", "The factor is fixed, so a key's angle never changes."
        ),
        Option(
            "b",
            "Dynamic NTK, whose base follows the current length.",
            "Yes. Each new length changes the frequencies, and keys rotated earlier carry old ones.",
            right=True,
        ),
        Option("c", "YaRN with the factor of the configuration.", "Its frequencies are computed once."),
        Option("d", "Plain RoPE.", "A key's angle depends on its own position only."),
    )
    solution = (
        "Dynamic NTK: the frequencies depend on the current length, so either cache keys before rotation "
        "or fix the length."
    )


class BaseFromTheConfiguration(ChoiceExercise):
    id = "base-from-the-configuration"
    title = "The base that was not read"
    chapter = "models"
    prompt = (
        "A checkpoint was trained with base 500000. A loader misses the entry and uses 10000. What will you see first?"
    )
    options = (
        Option("a", "An error about shapes.", "The base changes no shape. Nothing is raised."),
        Option(
            "b",
            "Garbage from the first token on.",
            (
                "The first token is at position 0, where no base turns anything, and near tokens turn nearly alike "
                "in the fast pairs."
            ),
        ),
        Option(
            "c",
            "Near tokens are nearly right and far ones wrong, so the text gets worse with length.",
            "Yes. The slow pairs now turn too fast; the error grows with the distance.",
            right=True,
        ),
        Option(
            "d",
            "Nothing: the model adapts at run time.",
            "Frequencies are not adapted; the weights expect those of training.",
        ),
    )
    solution = (
        "Near tokens nearly right, far ones wrong. Compare the frequencies with the configuration; the first "
        "pair is the same for every base, so look at the last."
    )
