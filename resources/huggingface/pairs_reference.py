"""Classes of texts, each with or without a second one, as of natural language inference and rerankers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .labeled_texts import Given, Labeled, classes
from .pipeline import Reference
from .tables import Table
from .text_samples import named
from .texts_file import read_texts


class PairsReference(Reference):
    """Asks for single texts, and for pairs of them."""

    def read(self, path: Path) -> list[Given]:
        """A text per line, or where a tab parts every line in two, a pair."""
        lines = read_texts(path)
        pairs = [line.split("\t") for line in lines]
        if any(len(pair) != 2 or "" in map(str.strip, pair) for pair in pairs):
            return list(lines)
        return [{"TEXT": text, "TEXT_PAIR": other} for text, other in pairs]

    def read_table(self, table: Table) -> list[Labeled]:
        return classes(table, self.labels(), takes_pairs=True)

    def lengthened(self, texts: Sequence[Given], filler: str) -> Given:
        return filler if isinstance(texts[0], str) else {**named(texts[0]), "TEXT_PAIR": filler}

    def neighbors(self, texts: Sequence[Given]) -> list[Given]:
        """Each text with the next one; none of texts that are pairs."""
        single = [text for text in texts if isinstance(text, str)]
        return [{"TEXT": text, "TEXT_PAIR": other} for text, other in zip(single, single[1:])]
