"""The seven interview questions of the lecture: answer aloud, then compare."""

from __future__ import annotations

from pe_course.exercises.exercise import OpenExercise


class WhyPositions(OpenExercise):
    id = "interview-why-positions"
    title = "Why does a Transformer need positions?"
    chapter = "questions"
    lecture = ("S2-23",)
    claims = ("L-025", "L-026", "L-101")
    prompt = (
        "In an interview: why does a Transformer need a positional encoding? Answer in three sentences, then compare."
    )
    hints = (
        "What happens to the outputs of self-attention when you permute its inputs?",
        "Is that also true under a causal mask?",
    )
    solution = (
        "Self-attention without a mask treats its input as a set: permute the tokens, and each token gets "
        "the same output, moved along with it. So nothing in it can tell two orders of the same words "
        "apart. A causal mask already breaks this, which is why decoders without any encoding work. An "
        "encoder needs order put in, and most decoders get it too: small ones learn faster with it."
    )
    points = (
        "Permuting the inputs permutes the outputs (equivariant, not unchanged).",
        "Without a mask, two orders of the same words cannot be told apart after pooling.",
        "A causal mask carries order by itself, so 'absolutely necessary' is too strong.",
    )


class AbsoluteOrRelative(OpenExercise):
    id = "interview-absolute-or-relative"
    title = "Absolute or relative?"
    chapter = "questions"
    lecture = ("S2-24",)
    claims = ("L-062", "L-078", "L-123")
    prompt = (
        "In an interview: what is the difference between absolute and relative positional encodings, and "
        "is one of them better?"
    )
    hints = ("Where in the layer does each of them enter?", "Name a task where the absolute position is what counts.")
    solution = (
        "An absolute encoding gives each index a vector, usually added to the embedding at the input. A "
        "relative one makes the attention score depend on the distance between query and key: by a bias, "
        "by extra terms with content, or by rotating both. Relative ones fit the wish that a phrase means "
        "the same wherever it stands. Some hold longer beyond the training length, RoPE by itself does "
        "not, and where the start or the end of the input matters an absolute signal helps."
    )
    points = (
        "Absolute: a vector per index, mostly at the input.",
        "Relative: the score depends on the distance (bias, content terms or rotation).",
        "Not every relative method extrapolates.",
        "Absolute positions help where start or end count.",
    )


class ExplainRotary(OpenExercise):
    id = "interview-explain-rope"
    title = "Explain RoPE"
    chapter = "questions"
    lecture = ("S2-25",)
    claims = ("L-049", "L-065", "L-073", "L-079")
    prompt = (
        "In an interview: explain RoPE and its merits. Which three things are often said about it that do not hold?"
    )
    hints = (
        "What exactly is rotated: embeddings, queries and keys, or values?",
        "What do trained models do beyond their length?",
    )
    solution = (
        "RoPE pairs up the channels of each query and key and turns every pair by an angle proportional to "
        "the position, each pair at its own speed. The score then depends on content and on the distance "
        "only. It has no parameters, keeps lengths, and leaves the attention kernel as it is. What does "
        "not hold: that it rotates the token embedding (queries and keys are rotated, in each layer, "
        "values are not); that the score decays by nature with distance (it oscillates, and content "
        "decides); and that it extrapolates far beyond its training length (it needs rescaling or tuning)."
    )
    points = (
        "Queries and keys are rotated in every layer, not the embeddings and not the values.",
        "Angle = position times the frequency of the pair; the score sees the distance only.",
        "No parameters; keys can be cached after rotation; attention kernels stay as they are.",
        "No guaranteed decay, and no far extrapolation by itself.",
    )


class ProsAndConsOfAlibi(OpenExercise):
    id = "interview-alibi"
    title = "ALiBi, for and against"
    chapter = "questions"
    lecture = ("S2-26",)
    claims = ("L-051", "L-052", "L-063", "L-122")
    prompt = "In an interview: what speaks for ALiBi, and what against it?"
    hints = (
        "What happens to tokens that are far away, in every head?",
        "What does 'it extrapolates' mean for a model that looks only nearby?",
    )
    solution = (
        "For: a fixed penalty, slope times distance, per head; no parameters, nothing at the input, and a "
        "loss that stays flat on inputs many times longer than in training. Against: it stays flat largely "
        "because distant tokens hardly count, so it does not use a long context as its flat curve "
        "suggests, and what stands far away is hard to retrieve. Whether its quality is behind RoPE's is not "
        "settled: reports differ. The slopes for head counts that are no power of two need their own rule."
    )
    points = (
        "Fixed linear penalty per head, no parameters.",
        "The loss stays flat at greater lengths.",
        "Flat is not the same as using the far context.",
        "Distance is punished in every head, so far retrieval is hard.",
    )


class WhatIsExtrapolation(OpenExercise):
    id = "interview-extrapolation"
    title = "What is length extrapolation?"
    chapter = "questions"
    lecture = ("S2-27",)
    claims = ("L-055", "L-056", "L-083")
    prompt = "In an interview: what is length extrapolation, why does one want it, and what makes it fail?"
    hints = ("What does training at length n cost?", "Two things are new to the model at a new length: name them.")
    solution = (
        "That a model works on inputs longer than those of its training; running without an error is not "
        "enough. One wants it because training on long inputs is expensive. It fails for two reasons: "
        "positions, or distances, that no weight was trained on; and attention that has to be shared "
        "among more tokens than ever before, so its distribution flattens. Whether a model extrapolates "
        "has to be judged by what it does with the far context, not by a flat loss alone."
    )
    points = (
        "Trained short, and good on long inputs; running is not enough.",
        "Attention over n tokens costs n squared in training.",
        "Unseen positions or distances; and more keys than ever, so higher entropy.",
        "A flat loss may come from ignoring what is far.",
    )


class MeritsOfSinusoids(OpenExercise):
    id = "interview-sinusoids"
    title = "Merits of sinusoids"
    chapter = "questions"
    lecture = ("S2-28",)
    claims = ("L-034", "L-035", "L-036")
    prompt = (
        "In an interview: what are the merits of the sinusoidal encoding, and where is their usual "
        "description too kind?"
    )
    hints = (
        "Is the vector of a position periodic, or only each of its components?",
        "Does the inner product of two codes fall steadily with distance?",
    )
    solution = (
        "No parameters; a value for every position; neighbours alike and all positions different; a shift "
        "is one linear map. Too kind: each component is periodic, but with different periods, so the "
        "vector as a whole does not repeat within any usable length; the inner product of two codes falls "
        "only roughly and ripples; and a value beyond the training length does not mean that the model can "
        "use it."
    )
    points = (
        "No parameters, defined everywhere, bounded.",
        "A shift by k is one fixed linear map.",
        "The inner product depends on the distance only, but falls with ripples.",
        "Defined is not trained: quality falls beyond the training length.",
    )


class WhyModelsChooseRotary(OpenExercise):
    id = "interview-why-rope"
    title = "Why large models choose RoPE"
    chapter = "questions"
    lecture = ("S2-29",)
    claims = ("L-044", "L-048", "L-057", "L-133")
    prompt = (
        "In an interview: why do so many large language models use RoPE? Separate the technical reasons "
        "from the historical ones."
    )
    hints = ("What does the attention kernel see of RoPE?", "How is the context of a trained RoPE model extended?")
    solution = (
        "Technical: relative scores without parameters; queries and keys are rotated before attention, so "
        "fused kernels and key caches work unchanged; and its frequencies can be rescaled after training "
        "(position interpolation, NTK-aware, YaRN), which gave it a well-trodden way to longer contexts. "
        "Historical: widely used open models chose it, and tools, checkpoints and experience followed. "
        "That it extrapolates by itself is not among the reasons."
    )
    points = (
        "Relative, no parameters, good quality at the training length; that it is the best is not settled.",
        "Nothing changes inside the attention kernel; rotated keys can be cached.",
        "Known recipes extend the context by rescaling frequencies.",
        "Ecosystem: open models and their tools use it.",
    )
