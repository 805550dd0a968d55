"""JSON lines to the workbench."""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Mapping
from typing import Any, Optional

from .errors import ToolkitError

_PROGRESS_INTERVAL_S = 0.2


class Report:
    """Writes one JSON object a line to `fd`."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._last_progress = -math.inf

    @classmethod
    def take_stdout(cls) -> Report:
        """Keeps the real stdout for JSON lines; whatever else prints, C libraries included, goes to stderr."""
        sys.stdout.flush()
        fd = os.dup(1)
        os.dup2(2, 1)
        return cls(fd)

    def _line(self, value: Mapping[str, Any]) -> None:
        data = (json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n").encode()
        while data:
            data = data[os.write(self._fd, data) :]

    def progress(self, fraction: Optional[float], text: str) -> None:
        """`fraction` 0 to 1, or None when the end is not known. Crowded lines are left out, the last never."""
        now = time.monotonic()
        if now - self._last_progress < _PROGRESS_INTERVAL_S and fraction != 1.0:
            return
        self._last_progress = now
        bounded = None if fraction is None else min(1.0, max(0.0, round(fraction, 4)))
        self._line({"type": "progress", "fraction": bounded, "text": text})

    def fact(self, name: str, value: str) -> None:
        """A finding worth showing to people."""
        self._line({"type": "fact", "name": name, "value": value})

    def warning(self, text: str) -> None:
        self._line({"type": "warning", "text": text})

    def result(self, fields: Mapping[str, Any]) -> None:
        self._line({"type": "result", **fields})

    def error(self, error: ToolkitError) -> None:
        line = {"type": "error", "code": error.code, "message": error.message}
        optional = {"where": error.where, "remedy": error.remedy, "details": error.details}
        self._line({**line, **{name: value for name, value in optional.items() if value is not None}})


def bytes_text(count: int) -> str:
    """`97.7 MiB`."""
    value = float(count)
    for unit in ("B", "KiB", "MiB"):
        if value < 1024:
            return f"{count} B" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} GiB"


def scale_text(value: float) -> str:
    """Three significant digits as the workbench writes differences and tolerances: "0.0214", "4.13e-6", "1.23e4"."""
    if value < 0:
        return f"\u2212{scale_text(-value)}"
    if value == 0 or 0.001 <= value < 10_000:
        return f"{float(f'{value:.3g}'):,.10g}"
    mantissa, exponent = f"{value:.2e}".split("e")
    return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"
