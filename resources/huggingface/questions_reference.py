"""Answers to questions as the question-answering pipeline of transformers 4 gives them, of the model itself.

Version 5 has no such pipeline. This one takes no windows of a long context: it is cut, as in Triton.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

from .labeled_texts import Given, Labeled, questions
from .pipeline import Reference
from .tables import Table
from .text_samples import Answer, named
from .texts_file import read_lines

#: The default of the former pipeline.
MOST_ANSWER_TOKENS = 15
#: The best answer is a tie where it leads the next one by a smaller share of its score.
LEAST_SHARE = 1e-3

#: Characters of the context.
Place = tuple[int, int]


def answers_of(
    start: Any, end: Any, places: Sequence[Optional[Place]], null: Optional[int]
) -> dict[Place, float]:
    """Scores of all answers by their places, the best spans of tokens of each.

    `start`, `end`: logits [tokens]; `places`: of each token's word, None outside of the context; `null`: the token that
    means "no answer", and has a part of the probability.
    """
    import torch

    outside = torch.tensor([place is None and token != null for token, place in enumerate(places)])
    starts, ends = (
        logits.masked_fill(outside, float("-inf")).softmax(dim=0).tolist() for logits in (start, end)
    )
    found: dict[Place, float] = {}
    for first, begin in enumerate(places):
        for last, finish in enumerate(places[first : first + MOST_ANSWER_TOKENS], first):
            if begin is None or finish is None:
                continue
            place, score = (begin[0], finish[1]), starts[first] * ends[last]
            found[place] = max(score, found.get(place, score))
    return found


class QuestionsReference(Reference):
    """Asks the model for one question and its context at a time."""

    cut = "only_second"

    def __init__(self, _task: str, model: Any, tokenizer: Any, most: int, _sentence: object) -> None:
        self._tokenizer = tokenizer
        self._model = model
        self._most = most
        self._answers = self._answer

    def read(self, path: Path) -> list[Given]:
        """A question, a tab and its context per line."""
        found: list[Given] = []
        for number, line in read_lines(path):
            texts = line.split("\t")
            if len(texts) != 2 or "" in map(str.strip, texts):
                raise ValueError(f"Line {number} of {path} is not a question, a tab and its context")
            self._check_question(texts[0], f"line {number} of {path}")
            found.append({"QUESTION": texts[0], "CONTEXT": texts[1]})
        return found

    def read_table(self, table: Table) -> list[Labeled]:
        return questions(table, self._check_question)

    def _check_question(self, question: str, place: str) -> None:
        if len(self._tokenizer(question, "")["input_ids"]) >= self._most:
            raise ValueError(
                f"The question in {place} is so long that its context has no place in the {self._most} tokens that the "
                f"model takes"
            )

    def lengthened(self, texts: Sequence[Given], filler: str) -> Given:
        return {**named(texts[0]), "CONTEXT": filler}

    def _answer(self, given: Mapping[str, str]) -> Answer:
        import torch

        encoded = self._tokenizer(
            given["QUESTION"],
            given["CONTEXT"],
            return_tensors="pt",
            truncation=self.cut,
            max_length=self._most,
        )
        with torch.inference_mode():
            result = self._model(**encoded)
        places = [
            self._place(encoded, token) if sequence == 1 else None
            for token, sequence in enumerate(encoded.sequence_ids(0))
        ]
        ids, cls = encoded["input_ids"][0].tolist(), self._tokenizer.cls_token_id
        null = ids.index(cls) if cls in ids else None
        found = answers_of(result["start_logits"][0], result["end_logits"][0], places, null)
        # A context without tokens has an empty answer.
        ranked = sorted(found.items(), key=lambda one: -one[1]) or [((0, 0), 0.0)]
        ((start, end), score), *others = ranked
        next_score = others[0][1] if others else 0.0
        outputs: dict[str, list[Any]] = {
            "ANSWER": [given["CONTEXT"][start:end]],
            "SCORE": [score],
            "START": [start],
            "END": [end],
        }
        return Answer(outputs, score - next_score < LEAST_SHARE * score)

    @staticmethod
    def _place(encoded: Any, token: int) -> Place:
        """Of the word of the token; of the token itself where it is part of none."""
        word = encoded.token_to_word(token)
        chars = None if word is None else encoded.word_to_chars(word, sequence_index=1)
        if chars is None:
            chars = encoded.token_to_chars(token)
        return chars.start, chars.end
