"""Last step of the pipeline: what the model says of an image to the class of each pixel of the image that was sent.

CLASS has the numbers of the classes, as config.json of the model names them. The model answers at a quarter of its
image size: its logits are spread over the pixels before the largest is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import triton_python_backend_utils as pb_utils

Array = npt.NDArray[Any]

#: Of the image at a time: a hundred classes of all pixels would take gigabytes.
ROWS = 64


def places(small: int, large: int) -> tuple[Array, Array, Array]:
    """For each of `large` pixels the two of `small` beside it, and how far it is from the first."""
    exact = (np.arange(large, dtype=np.float32) + np.float32(0.5)) * np.float32(small / large) - np.float32(
        0.5
    )
    exact = np.maximum(exact, 0)
    first = np.minimum(exact.astype(np.int64), small - 1)
    return first, np.minimum(first + 1, small - 1), (exact - first).astype(np.float32)


def class_map(logits: Array, height: int, width: int) -> Array:
    """[height, width] of [classes, small height, small width], bilinear between the centers of pixels."""
    upper, lower, down = places(logits.shape[1], height)
    left, right, across = places(logits.shape[2], width)
    found = np.empty((height, width), np.int32)
    for start in range(0, height, ROWS):
        part = slice(start, start + ROWS)
        share = down[part, None]
        rows = logits[:, upper[part]] * (1 - share) + logits[:, lower[part]] * share
        found[part] = (rows[..., left] * (1 - across) + rows[..., right] * across).argmax(axis=0)
    return found


class TritonPythonModel:
    """See the documentation of Triton's Python backend."""

    def execute(self, requests: Sequence[Any]) -> list[Any]:
        return [self.answer(request) for request in requests]

    def answer(self, request: Any) -> Any:
        logits, sizes = (
            pb_utils.get_input_tensor_by_name(request, name).as_numpy() for name in ("logits", "image_size")
        )
        if len({(height, width) for height, width in sizes.tolist()}) > 1:
            text = "The images of a request need one size: send others in requests of their own."
            return pb_utils.InferenceResponse([], pb_utils.TritonError(text))
        maps = [class_map(row, *size) for row, size in zip(logits, sizes.tolist())]
        return pb_utils.InferenceResponse([pb_utils.Tensor("CLASS", np.stack(maps))])
