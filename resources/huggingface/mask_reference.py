"""Words in the place of a mask token, as the fill-mask pipeline of transformers finds them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Optional

from .labeled_texts import Given, Labeled, masks
from .pipeline import Reference, write_json
from .tables import Table
from .text_samples import Answer, named
from .texts_file import read_lines

#: Tokens of an answer.
MOST = 5
#: One of five tokens is a tie where it leads the next one by a smaller share of its score.
LEAST_SHARE = 1e-3
#: A word further behind might be cut.
FIRST_WORDS = 8


def masked(text: str, place: int, mask: str) -> str:
    """The text with the mask token in the place of one word; which one depends on `place`."""
    words = list(re.finditer(r"\w+", text))[:FIRST_WORDS]
    if not words:
        return mask
    word = words[place % len(words)]
    return f"{text[: word.start()]}{mask}{text[word.end() :]}"


def is_tied(scores: Sequence[float]) -> bool:
    """Of the best tokens, and one more: another order, or another last one, is within the tolerance."""
    return any(score - other < LEAST_SHARE * score for score, other in zip(scores, scores[1:]))


class MaskReference(Reference):
    """Asks the pipeline of transformers for one text with a mask token at a time."""

    def __init__(self, task: str, model: Any, tokenizer: Any, most: int, _sentence: object) -> None:
        import transformers

        if tokenizer.mask_token is None:
            raise ValueError("The tokenizer has no mask token, which the texts of a fill-mask pipeline need")
        tokenizer.model_max_length = most
        self._tokenizer = tokenizer
        self._model = model
        self._most = most
        self._answers = self._tokens
        self._pipeline = transformers.pipeline(task, model=model, tokenizer=tokenizer, device="cpu")

    def read(self, path: Path) -> list[Given]:
        """Lines with a mask token; those of the workbench get one."""
        mask, lines = self._tokenizer.mask_token, read_lines(path)
        if path.parent == Path(__file__).parent:
            return [masked(line, place, mask) for place, (_, line) in enumerate(lines)]
        for number, line in lines:
            self._check_mask(line, f"Line {number} of {path}")
        return [line for _, line in lines]

    def read_table(self, table: Table) -> list[Labeled]:
        return masks(table, self._check_mask, self._token_of)

    def _check_mask(self, text: str, place: str) -> None:
        count = self._masks(text)
        if count != 1:
            raise ValueError(
                f"{place} has the mask token {self._tokenizer.mask_token} {count} times within its first {self._most} "
                f"tokens: each text needs it once"
            )

    def _token_of(self, word: str) -> Optional[str]:
        """As the last step names it; None for a word of several tokens."""
        # Some tokenizers have another token for a word behind a space.
        for text in (f" {word.strip()}", word.strip()):
            ids: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
            if len(ids) == 1 and ids[0] != self._tokenizer.unk_token_id:
                return str(self._tokenizer.batch_decode([ids])[0]).strip()
        return None

    def _masks(self, text: str) -> int:
        ids: list[int] = self._tokenizer(text, truncation=True, max_length=self._most)["input_ids"]
        return ids.count(self._tokenizer.mask_token_id)

    def lengthened(self, texts: Sequence[Given], filler: str) -> Given:
        (first,) = named(texts[0]).values()
        return f"{first} {filler.replace(self._tokenizer.mask_token, '')}"

    def write_last(self, output: Path, name: str) -> None:
        """The texts of all tokens, by their ids."""
        tokens = self._tokenizer.batch_decode([[token] for token in range(self._model.config.vocab_size)])
        content = {
            "mask": self._tokenizer.mask_token,
            "mask_id": self._tokenizer.mask_token_id,
            "tokens": tokens,
        }
        write_json(output / "models" / f"{name}-tokens" / "1" / "tokens.json", content)

    def _tokens(self, text: str) -> Answer:
        how = {"truncation": True, "max_length": self._most}
        found = self._pipeline(text, top_k=MOST + 1, tokenizer_kwargs=how)
        scores = [float(one["score"]) for one in found]
        outputs: dict[str, list[Any]] = {
            "TOKEN": [one["token_str"] for one in found[:MOST]],
            "SCORE": scores[:MOST],
        }
        return Answer(outputs, is_tied(scores))
