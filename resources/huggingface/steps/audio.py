"""First step of the pipeline: WAV files to the tensor of the model.

wav.py beside this file reads them. processor.json says which sampling rate the model was trained with, and whether the
loudness of a recording is made even.
The recordings of a request have to be equally long: the model has no mask for padding.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import triton_python_backend_utils as pb_utils
from wav import sound_at

HERE = Path(__file__).resolve().parent

Array = npt.NDArray[Any]


def values_of(encoded: bytes, processor: Mapping[str, Any]) -> Array:
    """[samples] in float32, as the feature extractor of transformers makes them. Raises ValueError."""
    sound = sound_at(encoded, processor["sampling_rate"])
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
