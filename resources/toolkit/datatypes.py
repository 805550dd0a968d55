"""Triton's data type names and numpy's."""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import ToolkitError

_NUMPY_BY_TRITON: dict[str, Any] = {
    "BOOL": np.bool_,
    "UINT8": np.uint8,
    "UINT16": np.uint16,
    "UINT32": np.uint32,
    "UINT64": np.uint64,
    "INT8": np.int8,
    "INT16": np.int16,
    "INT32": np.int32,
    "INT64": np.int64,
    "FP16": np.float16,
    "FP32": np.float32,
    "FP64": np.float64,
}
_TEXT = "BYTES"


def numpy_dtype(triton_name: str) -> np.dtype[Any]:
    """Of text `str` without a length. Throws input-invalid for a name that has no numpy type (BF16)."""
    if triton_name == _TEXT:
        return np.dtype(np.str_)
    try:
        return np.dtype(_NUMPY_BY_TRITON[triton_name])
    except KeyError:
        known = ", ".join(_NUMPY_BY_TRITON)
        raise ToolkitError(
            "input-invalid", f"Tensors of datatype {triton_name} are not supported; known are {known}"
        ) from None


def triton_datatype(dtype: np.dtype[Any]) -> str:
    """Throws model-folder-invalid for a type that Triton does not know."""
    if dtype.kind in "UO":
        return _TEXT
    for name, known in _NUMPY_BY_TRITON.items():
        if np.dtype(known) == dtype:
            return name
    raise ToolkitError("model-folder-invalid", f"A tensor of type {dtype} cannot be sent to Triton")


def is_of(dtype: np.dtype[Any], triton_name: str) -> bool:
    """Whether it is the type of that name; texts are of any length."""
    wanted = numpy_dtype(triton_name)
    return dtype.kind == "U" if wanted.kind == "U" else dtype == wanted
