"""Samples for a file of rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

import numpy as np

from .library import load_file
from .samples import make_rows, parse_inputs


def make_dataset(
    directory: str,
    progress: Callable[[float, str], None],
    file: str,
    library: str,
    inputs: str,
    rounds: int = 0,
    samples: int = 256,
    seed: int = 0,
) -> dict[str, Any]:
    """Writes samples.npz; the same seed gives the same numbers."""
    (item,) = parse_inputs(inputs)
    rows = make_rows(load_file(file, library, rounds), samples, seed)
    np.savez(Path(directory) / "samples.npz", **{item.name: rows})
    progress(1.0, "Samples written")
    return {"samples": len(rows)}
