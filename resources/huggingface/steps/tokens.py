"""Last step of the pipeline: the logits of the tokens to the likeliest ones in the place of the mask token."""

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

#: Tokens of an answer.
MOST = 5


def softmax(logits: Array) -> Array:
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    scores: Array = powers / powers.sum(axis=-1, keepdims=True)
    return scores


class TritonPythonModel:
    """See the documentation of Triton's Python backend."""

    def initialize(self, _args: dict[str, str]) -> None:
        content = json.loads((HERE / "tokens.json").read_text(encoding="utf-8"))
        self.mask, self.mask_id = content["mask"], content["mask_id"]
        self.tokens = np.array([token.encode() for token in content["tokens"]], object)

    def execute(self, requests: Sequence[Any]) -> list[Any]:
        return [self.answer(request) for request in requests]

    def answer(self, request: Any) -> Any:
        logits, ids = (
            pb_utils.get_input_tensor_by_name(request, name).as_numpy() for name in ("logits", "input_ids")
        )
        masks = ids == self.mask_id
        for row, count in enumerate(masks.sum(axis=1)):
            if count != 1:
                error = (
                    f"TEXT needs the mask token {self.mask} once within the tokens that the model takes: "
                    f"text {row + 1} of the request has it {count} times"
                )
                return pb_utils.InferenceResponse([], pb_utils.TritonError(error))
        scores = softmax(logits[masks])
        best = np.argsort(-scores, axis=-1, kind="stable")[:, :MOST]
        tensors = [
            pb_utils.Tensor("TOKEN", self.tokens[best]),
            pb_utils.Tensor("SCORE", np.take_along_axis(scores, best, axis=-1).astype(np.float32)),
        ]
        return pb_utils.InferenceResponse(tensors)
