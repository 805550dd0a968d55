"""Last step of the pipeline: the logits of the tokens to spans of the text, each with its label and score.

Neighboring tokens of the same label are one span; B- begins a new one, and "O" is none. START and END count characters.
The texts of a request have as many spans as the one with the most: behind the others' come empty labels.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import triton_python_backend_utils as pb_utils

Array = npt.NDArray[Any]

HERE = Path(__file__).resolve().parent


class Span(NamedTuple):
    label: str
    score: float
    start: int
    end: int


def softmax(logits: Array) -> Array:
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    scores: Array = powers / powers.sum(axis=-1, keepdims=True)
    return scores


def tag_of(label: str) -> tuple[str, bool]:
    """Label without its prefix, and whether a span begins here."""
    return (label[2:], label.startswith("B-")) if label[:2] in ("B-", "I-") else (label, False)


def spans_of(labels: Sequence[str], scores: Array, special: Array, offsets: Array) -> list[Span]:
    """Of one text, whose tokens are the rows of `scores`."""
    groups: list[list[int]] = []
    best = scores.argmax(axis=-1)
    previous = None
    for token in np.flatnonzero(special == 0):
        tag, begins = tag_of(labels[best[token]])
        if tag != previous or begins:
            groups.append([])
        groups[-1].append(int(token))
        previous = tag
    found = []
    for group in groups:
        label = labels[best[group[0]]].split("-", 1)[-1]
        if label == "O":
            continue
        score = float(np.mean([scores[token, best[token]] for token in group]))
        found.append(Span(label, score, int(offsets[group[0], 0]), int(offsets[group[-1], 1])))
    return found


class TritonPythonModel:
    """See the documentation of Triton's Python backend."""

    def initialize(self, _args: dict[str, str]) -> None:
        self.labels = json.loads((HERE / "labels.json").read_text(encoding="utf-8"))["labels"]

    def execute(self, requests: Sequence[Any]) -> list[Any]:
        return [self.answer(request) for request in requests]

    def answer(self, request: Any) -> Any:
        logits, special, offsets = (
            pb_utils.get_input_tensor_by_name(request, name).as_numpy()
            for name in ("logits", "special_tokens", "offsets")
        )
        texts = [spans_of(self.labels, *text) for text in zip(softmax(logits), special, offsets)]
        shape = (len(texts), max(1, *(len(spans) for spans in texts)))
        label, score = np.full(shape, b"", object), np.zeros(shape, np.float32)
        start, end = np.zeros(shape, np.int32), np.zeros(shape, np.int32)
        for row, spans in enumerate(texts):
            for place, span in enumerate(spans):
                label[row, place] = span.label.encode()
                score[row, place], start[row, place], end[row, place] = span[1:]
        tensors = {"LABEL": label, "SCORE": score, "START": start, "END": end}
        return pb_utils.InferenceResponse([pb_utils.Tensor(name, array) for name, array in tensors.items()])
