"""A file of rows in the library that wrote it. Nothing of the file is code."""

from __future__ import annotations

from typing import Any, Union

from .graph import booster_onnx, note
from .lightgbm_file import LightgbmFile
from .sklearn_file import SklearnFile
from .xgboost_file import XgboostFile

LibraryFile = Union[XgboostFile, LightgbmFile, SklearnFile]

_KINDS: dict[str, Any] = {"xgboost": XgboostFile, "lightgbm": LightgbmFile, "sklearn": SklearnFile}


def load_file(path: str, library: str, rounds: int = 0) -> LibraryFile:
    """`rounds`: of a booster, those in use; 0: all. Raises ValueError where the library cannot load it."""
    loaded: LibraryFile = _KINDS[library](path, rounds)
    return loaded


def write_onnx(loaded: LibraryFile, opset: int) -> Any:
    """The same answers as an ONNX model, with the names that the file has. Raises ValueError."""
    if isinstance(loaded, SklearnFile):
        model = loaded.to_onnx(opset)
    else:
        model = booster_onnx(loaded.booster(), loaded.features, opset)
    note(model, {"library": loaded.library, **loaded.facts()})
    return model
