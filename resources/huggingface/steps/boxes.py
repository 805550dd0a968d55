"""Last step of the pipeline: what the model says of an image to the objects that it is sure of.

BOX has the left, upper, right and lower side in pixels of the image that was sent. The images of a request have as many
objects as the one with the most: behind the others' come empty labels.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import triton_python_backend_utils as pb_utils

HERE = Path(__file__).resolve().parent

Array = npt.NDArray[Any]


def softmax(logits: Array) -> Array:
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    scores: Array = powers / powers.sum(axis=-1, keepdims=True)
    return scores


def corners(boxes: Array, sizes: Array) -> Array:
    """[..., 4] in pixels, of centers and sizes relative to those of the image (height, width)."""
    center, half = boxes[..., :2], boxes[..., 2:] / 2
    pixels = sizes[:, None, [1, 0, 1, 0]].astype(np.float32)
    found: Array = np.concatenate([center - half, center + half], axis=-1) * pixels
    return found


class TritonPythonModel:
    """See the documentation of Triton's Python backend."""

    def initialize(self, _args: dict[str, str]) -> None:
        labels = json.loads((HERE / "labels.json").read_text(encoding="utf-8"))
        self.labels = np.array([name.encode() for name in labels["labels"]], object)
        self.threshold = labels["threshold"]

    def execute(self, requests: Sequence[Any]) -> list[Any]:
        return [self.answer(request) for request in requests]

    def answer(self, request: Any) -> Any:
        logits, boxes, sizes = (
            pb_utils.get_input_tensor_by_name(request, name).as_numpy()
            for name in ("logits", "pred_boxes", "image_size")
        )
        # The last class is "nothing".
        scores = softmax(logits)[..., :-1]
        best, score, corner = scores.argmax(axis=-1), scores.max(axis=-1), corners(boxes, sizes)
        found = score > self.threshold
        shape = (len(found), max(1, int(found.sum(axis=1).max())))
        labels, kept = np.full(shape, b"", object), np.zeros(shape, np.float32)
        places = np.zeros((*shape, 4), np.float32)
        for row, sure in enumerate(found):
            count = int(sure.sum())
            labels[row, :count] = self.labels[best[row, sure]]
            kept[row, :count], places[row, :count] = score[row, sure], corner[row, sure]
        tensors = {"LABEL": labels, "SCORE": kept, "BOX": places}
        return pb_utils.InferenceResponse([pb_utils.Tensor(name, array) for name, array in tensors.items()])
