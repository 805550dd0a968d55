"""Files with a text per line."""

from __future__ import annotations

from pathlib import Path

#: More would only take longer.
MOST_TEXTS = 256


def read_lines(path: Path) -> list[tuple[int, str]]:
    """Lines that are not blank, with their numbers from 1. Raises ValueError for a file without texts."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not a text in UTF-8") from error
    found = [(number, line) for number, line in enumerate(lines, 1) if line.strip() != ""]
    if not found:
        raise ValueError(f"{path} has no texts: write one per line")
    return found[:MOST_TEXTS]


def read_texts(path: Path) -> list[str]:
    """One text per line. Raises as `read_lines`."""
    return [line for _, line in read_lines(path)]
