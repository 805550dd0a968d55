"""Last step of the pipeline: the logits of a text to the name of the best label and its score."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable

import numpy as np
import numpy.typing as npt
import triton_python_backend_utils as pb_utils

HERE = Path(__file__).resolve().parent


Array = npt.NDArray[Any]


def softmax(logits: Array) -> Array:
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    scores: Array = powers / powers.sum(axis=-1, keepdims=True)
    return scores


#: As labels.json names them: one of several labels, any number of labels, or a number.
SCORES: dict[str, Callable[[Array], Array]] = {
    "softmax": softmax,
    "sigmoid": lambda logits: 1 / (1 + np.exp(-logits)),
    "none": lambda logits: logits,
}


class TritonPythonModel:
    """See the documentation of Triton's Python backend."""

    def initialize(self, _args: dict[str, str]) -> None:
        labels = json.loads((HERE / "labels.json").read_text(encoding="utf-8"))
        self.labels = np.array([name.encode() for name in labels["labels"]], object)
        self.scores = SCORES[labels["scores"]]

    def execute(self, requests: Sequence[Any]) -> list[Any]:
        responses = []
        for request in requests:
            logits = pb_utils.get_input_tensor_by_name(request, "logits").as_numpy()
            scores = self.scores(logits)
            best = scores.argmax(axis=-1)
            tensors = [
                pb_utils.Tensor("LABEL", self.labels[best].reshape(-1, 1)),
                pb_utils.Tensor("SCORE", scores.max(axis=-1, keepdims=True).astype(np.float32)),
            ]
            responses.append(pb_utils.InferenceResponse(tensors))
        return responses
