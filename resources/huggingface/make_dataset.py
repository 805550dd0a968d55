"""Samples for a Hugging Face folder."""

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
    longest: int = 2,
    padding_id: int = 0,
    ranges: Sequence[str] = (),
    seed: int = 0,
) -> dict[str, Any]:
    """Writes samples.npz; the same seed gives the same numbers. `longest`: tokens of the longest sample; `ranges`: of
    integers, as "input_ids:0:30522".
    """
    parsed = parse_inputs(inputs)
    most = max([longest, *(item.shape[0] for item in parsed if item.is_text)])
    arrays = make_samples(parsed, samples, most, padding_id, parse_ranges(ranges), seed)
    np.savez(Path(directory) / "samples.npz", **{str(name): array for name, array in arrays.items()})
    progress(1.0, "Samples written")
    return {"samples": len(next(iter(arrays.values())))}
