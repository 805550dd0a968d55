"""Ids of generated requests: every row of the tables."""

from __future__ import annotations

from collections.abc import Sequence

from .features import table_sizes


def input_ranges(max_rows: int = 0, tables: Sequence[str] = ()) -> dict[str, tuple[int, int]]:
    """Lowest value and first above it, by input."""
    return {name: (0, table.rows) for name, table in table_sizes(max_rows, 0, tables).items()}
