"""Last step of the pipeline: the logits of the tokens to the part of the context that answers the question.

The score of an answer is the product of two probabilities: that it begins with its first token, and that it ends with
its last one. Whole words are answered, and START and END count characters of CONTEXT.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Optional

import numpy as np
import numpy.typing as npt
import triton_python_backend_utils as pb_utils

Array = npt.NDArray[Any]

#: Longer answers are not looked for.
MOST_TOKENS = 15
#: As the tokenizer numbers the texts of a pair.
CONTEXT, SPECIAL = 1, -1


class Span(NamedTuple):
    first: int
    last: int
    score: float


def softmax(logits: Array, candidates: Array) -> Array:
    """Over the candidates; 0 for the other tokens."""
    powers = np.where(candidates, np.exp(logits - logits[candidates].max()), 0)
    scores: Array = powers / powers.sum()
    return scores


def best_span(start: Array, end: Array, mask: Array, sequence: Array) -> Optional[Span]:
    """Of one text, in tokens; None where the context has none. `start`, `end`: logits."""
    context = sequence == CONTEXT
    if not context.any():
        return None
    # The first token of all means that nothing answers the question: it has a part of the probability.
    candidates = context.copy()
    first = int(mask.argmax())
    candidates[first] |= sequence[first] == SPECIAL
    scores = np.outer(softmax(start, candidates), softmax(end, candidates))
    allowed = np.tril(np.triu(np.outer(context, context)), MOST_TOKENS - 1)
    best = int(np.where(allowed, scores, -1).argmax())
    begin, finish = divmod(best, len(context))
    return Span(begin, finish, float(scores[begin, finish]))


class TritonPythonModel:
    """See the documentation of Triton's Python backend."""

    def execute(self, requests: Sequence[Any]) -> list[Any]:
        return [self.answer(request) for request in requests]

    def answer(self, request: Any) -> Any:
        names = ("start_logits", "end_logits", "attention_mask", "sequence", "words", "CONTEXT")
        rows = zip(*(pb_utils.get_input_tensor_by_name(request, name).as_numpy() for name in names))
        found = []
        for start, end, mask, sequence, words, (context,) in rows:
            # As the tokenizer reads it, so that its places are right.
            text = context.decode("utf-8", "replace")
            span = best_span(start, end, mask, sequence)
            begin, finish = (0, 0) if span is None else (int(words[span.first, 0]), int(words[span.last, 1]))
            score = 0.0 if span is None else span.score
            found.append((text[begin:finish].encode(), score, begin, finish))
        types = {"ANSWER": object, "SCORE": np.float32, "START": np.int32, "END": np.int32}
        columns = zip(types.items(), zip(*found))
        tensors = [
            pb_utils.Tensor(name, np.array(column, dtype).reshape(-1, 1)) for (name, dtype), column in columns
        ]
        return pb_utils.InferenceResponse(tensors)
