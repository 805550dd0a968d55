"""First step of the pipeline: texts to the tensors of the model.

The texts of all requests that Triton hands over together are padded to the longest of them, so that the model can take
them in one batch. A text that is longer than the model takes is cut, and TRUNCATED is true for it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable

import numpy as np
import triton_python_backend_utils as pb_utils

HERE = Path(__file__).resolve().parent

#: Rows of a tokenized text, by the name of the output.
ROWS: dict[str, Callable[[Any], Any]] = {
    "input_ids": lambda encoding: encoding.ids,
    "attention_mask": lambda encoding: encoding.attention_mask,
    "token_type_ids": lambda encoding: encoding.type_ids,
    # For the last step: tokens that are not part of the text, and where in the text the others are.
    "special_tokens": lambda encoding: encoding.special_tokens_mask,
    "offsets": lambda encoding: encoding.offsets,
}


class TritonPythonModel:
    """See the documentation of Triton's Python backend."""

    def initialize(self, args: dict[str, str]) -> None:
        # The library lies beside this file, so that the step needs nothing of the server's environment but numpy.
        sys.path.insert(0, str(HERE / "packages"))
        from tokenizers import Tokenizer

        outputs = [output["name"] for output in json.loads(args["model_config"])["output"]]
        self.names = [name for name in outputs if name in ROWS]
        # The file also says how long a text may be, and with what and on which side a shorter one is padded.
        self.tokenizer = Tokenizer.from_file(str(HERE / "tokenizer.json"))

    def execute(self, requests: Sequence[Any]) -> list[Any]:
        texts = [
            pb_utils.get_input_tensor_by_name(request, "TEXT").as_numpy().reshape(-1) for request in requests
        ]
        # Bytes that are not UTF-8 become the replacement character.
        encodings = self.tokenizer.encode_batch(
            [text.decode("utf-8", "replace") for rows in texts for text in rows]
        )
        arrays = {
            name: np.array([ROWS[name](encoding) for encoding in encodings], np.int64) for name in self.names
        }
        arrays["TRUNCATED"] = np.array([[len(encoding.overflowing) > 0] for encoding in encodings], bool)
        responses, start = [], 0
        for rows in texts:
            end = start + len(rows)
            tensors = [pb_utils.Tensor(name, array[start:end]) for name, array in arrays.items()]
            responses.append(pb_utils.InferenceResponse(tensors))
            start = end
        return responses
