"""What the loaders of generated samples share: ranges of integers, and files of given samples."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .errors import ToolkitError


def parse_ranges(texts: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Of "NAME:LOW:HIGH": lowest value and first above it, by input. Raises ValueError."""
    found = {}
    for text in texts:
        name, *numbers = text.rsplit(":", 2)
        try:
            low, high = (int(number) for number in numbers)
        except ValueError:
            low = high = 0
        if name == "" or low >= high:
            raise ValueError(f'ranges must have entries as "input_ids:0:30522", not "{text}"')
        found[name] = (low, high)
    return found


_FORMS = (
    "Use an npz file with one array per input and the samples along the first axis, or a JSON object "
    "of lists in the same way."
)


def refuse_file(path: Path, message: str, remedy: str = _FORMS) -> ToolkitError:
    return ToolkitError(
        "input-invalid",
        f"{path.name}: {message}",
        where=str(path),
        remedy=remedy,
    )


def read_file(path: Path) -> dict[str, Any]:
    """Arrays or lists by input, of an npz or JSON file. Throws input-invalid."""
    try:
        if path.suffix.lower() == ".npz":
            with np.load(path, allow_pickle=False) as archive:
                return {str(name): archive[name] for name in archive.files}
        value = json.loads(path.read_text(encoding="utf-8"))
    except Exception as error:
        raise refuse_file(path, f"cannot be read ({error})") from error
    if not isinstance(value, dict):
        raise refuse_file(
            path, f"contains a {type(value).__name__}, not an object with an entry for each input"
        )
    return value
