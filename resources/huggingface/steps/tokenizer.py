"""First step of the pipeline: texts, or pairs of two texts, to the tensors of the model.

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


def words(encoding: Any) -> list[tuple[int, int]]:
    """Where in its text the word of each token is; where the tokenizer knows no words, the token itself."""
    of_tokens = zip(encoding.word_ids, encoding.sequence_ids, encoding.offsets)
    return [
        offsets if word is None else encoding.word_to_chars(word, sequence) or offsets
        for word, sequence, offsets in of_tokens
    ]


#: Rows of a tokenized text, by the name of the output.
ROWS: dict[str, Callable[[Any], Any]] = {
    "input_ids": lambda encoding: encoding.ids,
    "attention_mask": lambda encoding: encoding.attention_mask,
    "token_type_ids": lambda encoding: encoding.type_ids,
    # For the last step: tokens that are not part of the text, and where in the text the others are.
    "special_tokens": lambda encoding: encoding.special_tokens_mask,
    "offsets": lambda encoding: encoding.offsets,
    # 0 in the first text, 1 in the second one, -1 in neither.
    "sequence": lambda encoding: [-1 if one is None else one for one in encoding.sequence_ids],
    "words": words,
}


class TritonPythonModel:
    """See the documentation of Triton's Python backend."""

    def initialize(self, args: dict[str, str]) -> None:
        # The library lies beside this file, so that the step needs nothing of the server's environment but numpy.
        sys.path.insert(0, str(HERE / "packages"))
        from tokenizers import Tokenizer

        config = json.loads(args["model_config"])
        self.inputs = [tensor["name"] for tensor in config["input"]]
        self.names = [tensor["name"] for tensor in config["output"] if tensor["name"] in ROWS]
        # The file also says how long a text may be, and with what and on which side a shorter one is padded.
        self.tokenizer = Tokenizer.from_file(str(HERE / "tokenizer.json"))

    def texts(self, request: Any) -> list[Any]:
        """The texts of a request; pairs where it has two of each."""
        given = [pb_utils.get_input_tensor_by_name(request, name) for name in self.inputs]
        # Bytes that are not UTF-8 become the replacement character.
        columns = [
            [text.decode("utf-8", "replace") for text in tensor.as_numpy().reshape(-1)]
            for tensor in given
            if tensor is not None
        ]
        return columns[0] if len(columns) == 1 else list(zip(*columns))

    def error_of(self, texts: Sequence[Any]) -> str | None:
        """What keeps the texts of one request from being tokenized."""
        try:
            self.tokenizer.encode_batch(texts)
        except Exception as error:
            return f"A first text is so long that the second one has no place beside it: {error}"
        return None

    def execute(self, requests: Sequence[Any]) -> list[Any]:
        texts = [self.texts(request) for request in requests]
        errors: list[str | None] = [None for _ in texts]
        try:
            encodings = self.tokenizer.encode_batch([text for rows in texts for text in rows])
        except Exception:
            # Of one request; those beside it are answered.
            errors = [self.error_of(rows) for rows in texts]
            fitting = [rows for rows, error in zip(texts, errors) if error is None]
            encodings = self.tokenizer.encode_batch([text for rows in fitting for text in rows])
        arrays = {
            name: np.array([ROWS[name](encoding) for encoding in encodings], np.int64) for name in self.names
        }
        arrays["TRUNCATED"] = np.array([[len(encoding.overflowing) > 0] for encoding in encodings], bool)
        responses, start = [], 0
        for rows, error in zip(texts, errors):
            if error is not None:
                responses.append(pb_utils.InferenceResponse([], pb_utils.TritonError(error)))
                continue
            end = start + len(rows)
            tensors = [pb_utils.Tensor(name, array[start:end]) for name, array in arrays.items()]
            responses.append(pb_utils.InferenceResponse(tensors))
            start = end
        return responses
