"""Samples for a model that is a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable

import numpy as np

from toolkit.samples import parse_ranges

from .samples import make_samples, parse_inputs


def make_dataset(
    directory: str,
    progress: Callable[[float, str], None],
    inputs: str,
    samples: int = 16,
    ranges: Sequence[str] = (),
    seed: int = 0,
) -> dict[str, Any]:
    """Writes samples.npz; the same seed gives the same numbers. `ranges`: of integers, as "input_ids:0:30522"."""
    arrays = make_samples(parse_inputs(inputs), samples, seed, parse_ranges(ranges))
    np.savez(Path(directory) / "samples.npz", **{str(name): array for name, array in arrays.items()})
    progress(1.0, "Samples written")
    return {"samples": len(next(iter(arrays.values())))}
