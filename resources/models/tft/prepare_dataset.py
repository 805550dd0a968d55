"""The published data sets, as they are unpacked, to the scaled tables that the loader reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np

from .layout import ID_COLUMN, layout_of
from .published import electricity_table, traffic_table
from .tables import write_tables


def prepare_dataset(
    source: str,
    output: str,
    data_set: str = "electricity",
    progress: Optional[Callable[[float, str], None]] = None,
) -> dict[str, Any]:
    """`source`: folder with LD2011_2014.txt, or with the files of PEMS-SF. Raises ValueError naming file and line."""
    layout = layout_of(data_set)
    read = electricity_table if data_set == "electricity" else traffic_table
    table = read(Path(source), layout, progress)
    series = len(np.unique(table.columns[ID_COLUMN]))
    if series > layout.series:
        raise ValueError(f"{source} has {series} series, the model knows {layout.series}")

    def later(fraction: float, text: str) -> None:
        if progress is not None:
            progress(0.7 + 0.3 * fraction, text)

    write_tables(Path(output), table, layout, later)
    return {"series": series, "rows": len(table.day)}
