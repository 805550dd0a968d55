"""The values that generated integers of a Hugging Face folder may have."""

from __future__ import annotations

from collections.abc import Sequence

from toolkit.samples import parse_ranges


def input_ranges(ranges: Sequence[str] = ()) -> dict[str, tuple[int, int]]:
    """Lowest value and first above it, by input; 0 or 1 where an input has none."""
    return parse_ranges(ranges)
