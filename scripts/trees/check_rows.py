"""Rows of made files in their library and in ONNX Runtime: how far apart, and which of those that differ lie within the
rounding of float32 of a threshold. Prints a line of JSON per file.

Usage: check_rows.py ROWS FILE …; `resources` is on the path.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime

from trees.library import LibraryFile, load_file, write_onnx
from trees.samples import make_rows

Array = npt.NDArray[Any]

TOLERANCE = 1e-5
LIBRARIES = {".json": "xgboost", ".ubj": "xgboost", ".txt": "lightgbm", ".skops": "sklearn"}
#: Neighbours of a row, in units of its last place.
_NEAR = 4


def _beyond(first: list[Array], second: list[Array]) -> Array:
    """Rows of which some output differs by more than the tolerance."""
    found = np.zeros(len(first[0]), dtype=np.bool_)
    for a, b in zip(first, second):
        x, y = a.astype(np.float64).reshape(len(a), -1), b.astype(np.float64).reshape(len(b), -1)
        found |= (np.abs(x - y) > TOLERANCE + TOLERANCE * np.abs(x)).any(axis=1)
    return found


def _is_near(loaded: LibraryFile, row: Array, answer: list[Array]) -> bool:
    """Whether the library itself answers with these outputs for a neighbour of the row."""
    steps = np.abs(np.spacing(row)) * _NEAR
    moved = [row.copy()]
    for column in range(len(row)):
        for sign in (-1, 1):
            other = row.copy()
            other[column] += sign * steps[column]
            moved.append(other)
    answers = loaded.predict(np.stack(moved).astype(np.float32))
    many = [np.repeat(part, len(moved), axis=0) for part in answer]
    return bool((~_beyond(answers, many)).any())


def _is_tie(wanted: list[Array]) -> bool:
    """Whether the two likeliest classes of a row are equally likely, so that its label is either."""
    if len(wanted) < 2:
        return False
    second, first = np.sort(wanted[1].ravel())[-2:]
    return bool(first - second <= TOLERANCE)


def check(path: Path, count: int) -> dict[str, Any]:
    loaded = load_file(str(path), LIBRARIES[path.suffix])
    session = onnxruntime.InferenceSession(
        write_onnx(loaded, 17).SerializeToString(), providers=["CPUExecutionProvider"]
    )
    rows = make_rows(loaded, count, seed=7)
    wanted, found = loaded.predict(rows), session.run(None, {"input": rows})
    beyond = np.flatnonzero(_beyond(wanted, found))
    near = sum(
        _is_tie([part[index : index + 1] for part in wanted])
        or _is_near(loaded, rows[index], [part[index : index + 1] for part in found])
        for index in beyond
    )
    values = [
        float(np.abs(a.astype(np.float64).ravel() - b.astype(np.float64).ravel()).max())
        for a, b in zip(wanted[-1:], found[-1:])
    ]
    return {
        "file": path.name,
        "rows": count,
        "missing": bool(np.isnan(rows).any()),
        "difference": max(values),
        "beyond": len(beyond),
        "near": int(near),
    }


def main() -> None:
    count, *files = sys.argv[1:]
    for file in files:
        try:
            found = check(Path(file), int(count))
        except ValueError as error:
            found = {"file": Path(file).name, "error": str(error)}
        sys.stdout.write(f"{json.dumps(found)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
