"""Symbols of generated requests: every row of the table but 0, which is padding."""

from __future__ import annotations


def input_ranges(symbols: int = 148) -> dict[str, tuple[int, int]]:
    """Lowest value and first above it, by input."""
    return {"INPUT__0": (1, symbols)}
