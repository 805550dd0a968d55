"""WAV files as a model of sound takes them: one channel, at the sampling rate that it was trained with."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

#: Integers and floats, as the format of a WAV file names them with the bits of a sample; what their loudest value is.
KINDS = {(1, 16): ("<i2", 32768.0), (3, 32): ("<f4", 1.0), (3, 64): ("<f8", 1.0)}
#: The kind is the begin of a longer name.
EXTENSIBLE = 0xFFFE


def chunks(encoded: bytes) -> dict[bytes, bytes]:
    """Parts of a WAV file by name. Raises ValueError."""
    if encoded[:4] != b"RIFF" or encoded[8:12] != b"WAVE":
        raise ValueError("is not a WAV file")
    found: dict[bytes, bytes] = {}
    at = 12
    while at + 8 <= len(encoded):
        name, length = struct.unpack_from("<4sI", encoded, at)
        found.setdefault(name, encoded[at + 8 : at + 8 + length])
        at += 8 + length + length % 2
    if len(found.get(b"fmt ", b"")) < 16 or b"data" not in found:
        raise ValueError("is a WAV file that is cut off: it has no format or no data")
    return found


def read_wav(encoded: bytes) -> tuple[int, Array]:
    """Sampling rate, and one channel in float32: the mean of several. Raises ValueError."""
    parts = chunks(encoded)
    form = parts[b"fmt "]
    kind, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", form)
    if kind == EXTENSIBLE and len(form) >= 26:
        (kind,) = struct.unpack_from("<H", form, 24)
    if (kind, bits) not in KINDS or channels == 0:
        raise ValueError(
            f"has samples of {bits} bits in the format {kind}: send PCM of 16 bits or floats of 32 bits"
        )
    dtype, loudest = KINDS[kind, bits]
    frame = channels * bits // 8
    data = parts[b"data"]
    samples = np.frombuffer(data[: len(data) // frame * frame], dtype).reshape(-1, channels)
    sound: Array = (samples / loudest).mean(axis=1).astype(np.float32)
    if not np.isfinite(sound).all():
        raise ValueError("has samples that are not finite numbers")
    return rate, sound


def sound_at(encoded: bytes, wanted: int) -> Array:
    """[samples] in float32 of a recording with `wanted` samples per second. Raises ValueError."""
    rate, sound = read_wav(encoded)
    if rate != wanted:
        raise ValueError(f"has {rate} samples per second, and the model takes {wanted}: convert it before")
    return sound
