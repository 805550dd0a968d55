"""First step of the pipeline: WAV files to the tensor of the model.

processor.json says which sampling rate the model was trained with, and whether the loudness of a recording is made
even.
The recordings of a request have to be equally long: the model has no mask for padding.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import triton_python_backend_utils as pb_utils

HERE = Path(__file__).resolve().parent

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


def values_of(encoded: bytes, processor: Mapping[str, Any]) -> Array:
    """[samples] in float32, as the feature extractor of transformers makes them. Raises ValueError."""
    rate, sound = read_wav(encoded)
    if rate != processor["sampling_rate"]:
        raise ValueError(
            f"has {rate} samples per second, and the model takes {processor['sampling_rate']}: convert it before"
        )
    if len(sound) < processor["least_samples"]:
        raise ValueError(
            f"has {len(sound)} samples, and the model takes {processor['least_samples']} or more"
        )
    if processor["do_normalize"]:
        sound = (sound - sound.mean()) / np.sqrt(sound.var() + 1e-7)
    return sound


class TritonPythonModel:
    """See the documentation of Triton's Python backend."""

    def initialize(self, _args: dict[str, str]) -> None:
        self.processor = json.loads((HERE / "processor.json").read_text(encoding="utf-8"))

    def execute(self, requests: Sequence[Any]) -> list[Any]:
        responses = []
        for request in requests:
            try:
                responses.append(self.answer(request))
            except ValueError as error:
                responses.append(pb_utils.InferenceResponse([], pb_utils.TritonError(str(error))))
        return responses

    def answer(self, request: Any) -> Any:
        """Raises ValueError for a request that it does not answer."""
        sounds: list[Array] = []
        for row, encoded in enumerate(pb_utils.get_input_tensor_by_name(request, "AUDIO").as_numpy().flat):
            try:
                sounds.append(values_of(encoded, self.processor))
            except ValueError as error:
                raise ValueError(f"AUDIO in row {row} {error}") from error
            if len(sounds[row]) != len(sounds[0]):
                raise ValueError(
                    f"The recordings of a request have to be equally long: row 0 has {len(sounds[0])} samples, "
                    f"row {row} {len(sounds[row])}. Send recordings of different lengths in requests of their own."
                )
        return pb_utils.InferenceResponse([pb_utils.Tensor("input_values", np.stack(sounds))])
