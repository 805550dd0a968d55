"""Samples of texts for a golden file and for a load: requests, and what transformers answers to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Optional

from .labeled_texts import Given, Truth

Output = dict[str, Any]

#: Scores may differ by this much, absolute and relative to the score.
TOLERANCE = 1e-4
#: Elements of vectors, as those of a model that is served as tensors.
VECTOR_TOLERANCE = {"by": "numbers", "atol": 2e-4, "rtol": 1e-3}
#: Texts of the smaller batch.
FEW = 3


class Answer(NamedTuple):
    """Of one text. `tied`: its labels are not compared."""

    outputs: dict[str, list[Any]]
    tied: bool


#: Datatypes of the outputs of the pipeline, and what their values may differ by; None: not at all.
OUTPUTS: dict[str, tuple[str, Optional[dict[str, Any]]]] = {
    "LABEL": ("BYTES", None),
    "SCORE": ("FP32", {"by": "numbers", "atol": TOLERANCE, "rtol": TOLERANCE}),
    "START": ("INT32", None),
    "END": ("INT32", None),
    "EMBEDDING": ("FP32", VECTOR_TOLERANCE),
    "ANSWER": ("BYTES", None),
    "TOKEN": ("BYTES", None),
    "TRUNCATED": ("BOOL", None),
}
#: Of one word of thousands, or of one span of many: the scores are small.
SMALL_SCORES = {"by": "numbers", "atol": 1e-6, "rtol": 1e-3}


def rule_of(task: str, output: str) -> Optional[dict[str, Any]]:
    """How the output is compared; None: exactly."""
    is_small = output == "SCORE" and task in ("question-answering", "fill-mask")
    return SMALL_SCORES if is_small else OUTPUTS[output][1]


def named(given: Given) -> Mapping[str, str]:
    """By the names of the inputs."""
    return {"TEXT": given} if isinstance(given, str) else given


def size(given: Given) -> int:
    """Characters of all texts."""
    return sum(map(len, named(given).values()))


def tensor(name: str, datatype: str, rows: Sequence[Sequence[Any]]) -> Output:
    """Rows of one length in Triton's JSON form."""
    shape = [len(rows), len(rows[0])]
    return {
        "name": name,
        "datatype": datatype,
        "shape": shape,
        "data": [value for row in rows for value in row],
    }


_EMPTY = {"BYTES": "", "FP32": 0.0, "INT32": 0}


def _padded(rows: Sequence[list[Any]], datatype: str) -> list[list[Any]]:
    longest = max(len(row) for row in rows)
    return [[*row, *[_EMPTY[datatype]] * (longest - len(row))] if datatype in _EMPTY else row for row in rows]


def _outputs(names: Sequence[str], answers: Sequence[Answer]) -> list[Output]:
    outputs = []
    for one in names:
        datatype, _ = OUTPUTS[one]
        outputs.append(tensor(one, datatype, _padded([answer.outputs[one] for answer in answers], datatype)))
    return outputs


def sample(
    name: str, texts: Sequence[Given], answers: Sequence[Answer], truth: Optional[Truth] = None
) -> dict[str, Any]:
    """A request of these texts, and what it has to be answered with. `truth`: of its only text, also of a tie."""
    tied = any(answer.tied for answer in answers)
    names = [one for one in answers[0].outputs if not tied or one == "TRUNCATED"]
    inputs = [tensor(one, "BYTES", [[named(text)[one]] for text in texts]) for one in named(texts[0])]
    made = {"id": name, "inputs": inputs, "outputs": _outputs(names, answers)}
    if truth is None:
        return made
    others = [one for one in answers[0].outputs if one not in names]
    return {
        **made,
        **({"notCompared": _outputs(others, answers)} if others else {}),
        "truth": dict(truth),
    }


def batches_of(count: int, size: int) -> list[list[int]]:
    """Places in a list of texts by length, at most three times: each batch has the shortest and the longest texts."""
    batches = []
    for start in range(min(3, count // 2)):
        most = min(size, count - 2 * start)
        if most < 2:
            break
        step = (count - 1 - 2 * start) / (most - 1)
        batches.append([start + round(place * step) for place in range(most)])
        if most == count - 2 * start:
            break
    return batches


def samples_of(
    texts: Sequence[Given],
    answers: Sequence[Answer],
    most_texts: int,
    noun: str = "text",
    truths: Sequence[Optional[Truth]] = (),
) -> list[dict[str, Any]]:
    """One by one, in full batches, and in a small one; the kinds in turns, as a reader may take the first ones only.
    `truths`: of the first texts, each counted once, where it is by itself.
    """
    singles = [
        sample(f"{noun} {place}", [text], [answer], truths[place] if place < len(truths) else None)
        for place, (text, answer) in enumerate(zip(texts, answers))
    ]
    decided = [place for place, answer in enumerate(answers) if not answer.tied]
    by_length = sorted(decided, key=lambda place: size(texts[place]))

    def batch(places: Sequence[int]) -> dict[str, Any]:
        chosen = [by_length[place] for place in places]
        name = f"{noun}s {', '.join(map(str, chosen))}"
        return sample(name, [texts[place] for place in chosen], [answers[place] for place in chosen])

    full = batches_of(len(by_length), most_texts)
    few = [places for places in batches_of(len(by_length), min(FEW, most_texts))[:1] if places not in full]
    return [*singles[:2], *map(batch, [*full, *few]), *singles[2:]]


def load_entries(texts: Sequence[Given], answers: Sequence[Answer], fixed: bool) -> dict[str, Any]:
    """Texts as load tools send them, with what comes back, where all outputs have one size."""
    decided = [(text, answer) for text, answer in zip(texts, answers) if not answer.tied]
    data = {"data": [{name: [text] for name, text in named(given).items()} for given, _ in decided]}
    if not fixed:
        return data
    return {**data, "validation_data": [answer.outputs for _, answer in decided]}


def in_turns(some: Sequence[Output], others: Sequence[Output]) -> list[Output]:
    """One of each as long as there are others."""
    both = [one for pair in zip(some, others) for one in pair]
    return [*both, *some[len(others) :], *others[len(some) :]]
