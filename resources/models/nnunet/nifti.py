"""NIfTI-1 volumes in one file (.nii, .nii.gz): as much of the format as the Medical Segmentation Decathlon uses."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

HEADER_BYTES = 348
_MAGIC = b"n+1\0"
#: Values of the field `datatype` of the NIfTI-1 header.
_DTYPES = {2: "u1", 4: "i2", 8: "i4", 16: "f4", 64: "f8", 256: "i1", 512: "u2"}


class Volume(NamedTuple):
    """`data`: axes reversed against the file, so [z, y, x] or [time or modality, z, y, x]; `spacing`: mm of z, y, x."""

    data: npt.NDArray[Any]
    spacing: tuple[float, float, float]


def _read_bytes(path: Path) -> bytes:
    try:
        if path.suffix != ".gz":
            return path.read_bytes()
        with gzip.open(path) as file:
            return file.read()
    except (OSError, EOFError) as error:
        raise ValueError(f"{path}: cannot be read: {error}") from error


def read_nifti(path: Path) -> Volume:
    """Raises ValueError naming the file where it is damaged or of a kind that is not read here."""
    raw = _read_bytes(path)
    if len(raw) < HEADER_BYTES:
        raise ValueError(f"{path}: {len(raw)} bytes are not a NIfTI file")
    order = next((sign for sign in "<>" if struct.unpack_from(f"{sign}i", raw, 0)[0] == HEADER_BYTES), None)
    if order is None or raw[344:348] != _MAGIC:
        raise ValueError(f"{path}: not a NIfTI-1 file with header and data in one")
    rank, *sizes = struct.unpack_from(f"{order}8h", raw, 40)
    code = struct.unpack_from(f"{order}h", raw, 70)[0]
    spacing = struct.unpack_from(f"{order}8f", raw, 76)
    offset, slope, intercept = struct.unpack_from(f"{order}3f", raw, 108)
    shape = sizes[:rank][::-1]
    if rank not in (3, 4) or min(shape) < 1:
        raise ValueError(f"{path}: a volume must have 3 or 4 axes, not {shape[::-1]}")
    if code not in _DTYPES:
        raise ValueError(f"{path}: values of NIfTI datatype {code} are not read here")
    dtype = np.dtype(f"{order}{_DTYPES[code]}")
    count = int(np.prod(shape, dtype=np.int64))
    start = max(HEADER_BYTES, int(offset))
    if len(raw) < start + count * dtype.itemsize:
        raise ValueError(f"{path}: {len(raw)} bytes are too few for {shape[::-1]} of {dtype.name}")
    data = np.frombuffer(raw, dtype, count, start).reshape(shape).astype(dtype.newbyteorder("="))
    # Slope 0 means that the values are stored as they are.
    if slope != 0 and (slope, intercept) != (1, 0):
        data = (data * np.float64(slope) + np.float64(intercept)).astype(np.float32)
    return Volume(data, (spacing[3], spacing[2], spacing[1]))


def write_nifti(path: Path, data: npt.NDArray[Any], spacing: float = 1.0) -> None:
    """The counterpart of `read_nifti` for a .nii.gz file; raises KeyError for a type that NIfTI lacks."""
    code = {text: number for number, text in _DTYPES.items()}[f"{data.dtype.kind}{data.dtype.itemsize}"]
    header = bytearray(HEADER_BYTES)
    struct.pack_into("<i", header, 0, HEADER_BYTES)
    sizes = [*data.shape[::-1]] + [1] * (7 - data.ndim)
    struct.pack_into("<8h", header, 40, data.ndim, *sizes)
    struct.pack_into("<2h", header, 70, code, data.dtype.itemsize * 8)
    struct.pack_into("<8f", header, 76, 1.0, *[spacing] * 3, *[1.0] * 4)
    # The data begins at a multiple of 16 after the header and its four extension bytes; slope 1, intercept 0.
    struct.pack_into("<3f", header, 108, 352.0, 1.0, 0.0)
    # Millimetres and seconds.
    struct.pack_into("<b", header, 123, 2 | 8)
    header[344:348] = _MAGIC
    little = np.ascontiguousarray(data).astype(data.dtype.newbyteorder("<"), copy=False)
    # Without a time stamp equal data give equal files; level 1 is fast, and noise compresses badly anyway.
    with path.open("wb") as file, gzip.GzipFile("", "wb", 1, file, mtime=0) as packed:
        packed.write(bytes(header) + bytes(4) + little.tobytes())
