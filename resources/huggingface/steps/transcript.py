"""Last step of the pipeline: the logits of the frames of a recording to its text.

Each frame has the token with the largest value. Frames of one token in a row are that token once, and the blank is
none.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import triton_python_backend_utils as pb_utils

HERE = Path(__file__).resolve().parent


class TritonPythonModel:
    """See the documentation of Triton's Python backend."""

    def initialize(self, _args: dict[str, str]) -> None:
        self.vocabulary = json.loads((HERE / "vocabulary.json").read_text(encoding="utf-8"))

    def text_of(self, ids: Sequence[int]) -> str:
        """Of the best tokens of the frames."""
        tokens, blank = self.vocabulary["tokens"], self.vocabulary["blank"]
        kept = [token for token, _ in groupby(tokens[one] for one in ids) if token != blank]
        spaces = self.vocabulary["space"]
        text = "".join(spaces["to"] if token == spaces["from"] else token for token in kept).strip()
        return text.lower() if self.vocabulary["lower"] else text

    def execute(self, requests: Sequence[Any]) -> list[Any]:
        responses = []
        for request in requests:
            logits = pb_utils.get_input_tensor_by_name(request, "logits").as_numpy()
            texts = [[self.text_of(row).encode()] for row in logits.argmax(axis=-1).tolist()]
            responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("TEXT", np.array(texts, object))]))
        return responses
