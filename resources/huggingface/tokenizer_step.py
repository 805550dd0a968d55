"""What the first step of a pipeline has beside its code: the tokenizer of the folder, and the library that runs it."""

from __future__ import annotations

import shutil
from importlib import metadata
from pathlib import Path
from typing import Any


def serving_tokenizer(tokenizer: Any, most: int, cut: str) -> Any:
    """As tokenizer.json of the step: it cuts at `most` tokens, and pads to the longest text that it gets at once.
    `cut`: which text of a pair, as the library calls it.
    """
    from tokenizers import Tokenizer

    if tokenizer.pad_token is None:
        raise ValueError(
            "The tokenizer has no padding token, so that texts of different lengths have no batch"
        )
    served = Tokenizer.from_str(tokenizer.backend_tokenizer.to_str())
    served.enable_truncation(most, strategy=cut, direction=tokenizer.truncation_side)
    served.enable_padding(
        direction=tokenizer.padding_side,
        pad_id=tokenizer.pad_token_id,
        pad_type_id=tokenizer.pad_token_type_id,
        pad_token=tokenizer.pad_token,
    )
    return served


def copy_library(target: Path, name: str = "tokenizers") -> str:
    """A library with its license texts, as it lies in this environment. Returns its version."""
    found = metadata.distribution(name)
    for file in found.files or []:
        if (file.suffix in (".pyc", "") and file.name not in ("METADATA", "LICENSE")) or ".." in file.parts:
            continue
        to = target / file
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(str(found.locate_file(file)), to)
    return found.version
