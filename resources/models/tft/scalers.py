"""Mean and standard deviation of the target, kept beside the data as `tgt_scalers.json` or `tgt_scalers.bin`.

The published preprocessing pickles scikit-learn's scalers into `tgt_scalers.bin`. A pickle can run anything, and
scikit-learn is not needed for a mean: such a file is read by an unpickler that knows arrays and that scaler's name,
and nothing else. The JSON form is `{"<series>": {"mean": 1.0, "std": 2.0}}`, with "" for a scale of all series.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

JSON_NAME = "tgt_scalers.json"
PICKLE_NAME = "tgt_scalers.bin"

#: Name of the scale that holds for all series.
ALL = ""


#: What a damaged file or one of another kind ends in.
_NO_SCALERS = (pickle.UnpicklingError, AttributeError, EOFError, IndexError, KeyError, TypeError)


class Scale(NamedTuple):
    mean: float
    std: float


class _Scaler:
    """Stands for scikit-learn's scaler: unpickling fills `__dict__`."""

    mean_: npt.NDArray[Any]
    scale_: npt.NDArray[Any]


_ARRAY_NAMES = {
    (f"numpy.{module}.{part}", name)
    for module in ("core", "_core")
    for part, names in (("multiarray", ("_reconstruct", "scalar")), ("numeric", ("_frombuffer",)))
    for name in names
} | {("numpy", "ndarray"), ("numpy", "dtype")}


class _ScalerUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if name == "StandardScaler" and module.startswith("sklearn.preprocessing."):
            return _Scaler
        if (module, name) not in _ARRAY_NAMES:
            raise ValueError(f"it wants {module}.{name}, which no scaler needs; nothing was run")
        installed = "numpy._core" if hasattr(np, "_core") else "numpy.core"
        for old in ("numpy._core", "numpy.core"):
            if module.startswith(f"{old}."):
                module = installed + module[len(old) :]
        return super().find_class(module, name)


def _from_pickle(path: Path) -> dict[str, Scale]:
    with path.open("rb") as file:
        held = _ScalerUnpickler(file).load()
    return {
        str(series): Scale(float(scaler.mean_[0]), float(scaler.scale_[0])) for series, scaler in held.items()
    }


def _from_json(path: Path) -> dict[str, Scale]:
    held = json.loads(path.read_text(encoding="utf-8"))
    return {str(series): Scale(float(v["mean"]), float(v["std"])) for series, v in held.items()}


def read_scalers(root: Path) -> dict[str, Scale]:
    """By the series' number as text. Raises ValueError when there is no file, or one that is none of scalers."""
    readers = {JSON_NAME: _from_json, PICKLE_NAME: _from_pickle}
    for name, read in readers.items():
        if not (root / name).is_file():
            continue
        try:
            return read(root / name)
        except (ValueError, *_NO_SCALERS) as error:
            raise ValueError(f"{root / name} holds no scalers by series: {error}") from error
    raise ValueError(f"{root} has neither {JSON_NAME} nor {PICKLE_NAME}, which unscale the target")


def write_scalers(root: Path, scalers: Mapping[str, Scale]) -> None:
    text = json.dumps({series: scale._asdict() for series, scale in scalers.items()}, indent=1)
    (root / JSON_NAME).write_text(text + "\n", encoding="utf-8")


def scale_of(scalers: Mapping[str, Scale], series: int) -> Scale:
    """The series' own scale, else that of all. Raises ValueError when there is neither."""
    found = scalers.get(str(series), scalers.get(ALL))
    if found is None:
        raise ValueError(f"There is no scale for the series {series}")
    return found
