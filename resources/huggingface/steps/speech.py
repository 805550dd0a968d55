"""The speech model: a recording to its text, token by token, with the key-value cache of transformers.

wav.py beside this file reads the WAV file. Needs torch and transformers in the Python of the server. An instance serves
one request at a time, in the order of arrival; further instances of config.pbtxt serve more, each with the weights in
memory.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import triton_python_backend_utils as pb_utils
from wav import sound_at

HERE = Path(__file__).resolve().parent

Array = npt.NDArray[Any]


def value_of(request: Any, name: str) -> bytes:
    """Empty where the request does not have it."""
    tensor = pb_utils.get_input_tensor_by_name(request, name)
    return b"" if tensor is None else bytes(tensor.as_numpy().reshape(-1)[0])


class TritonPythonModel:
    """See the documentation of Triton's Python backend."""

    def initialize(self, args: dict[str, str]) -> None:
        settings = json.loads((HERE / "speech.json").read_text(encoding="utf-8"))
        # The interpreter of Triton's backend is isolated from PYTHONPATH.
        sys.path.extend(place for place in os.environ.get("PYTHONPATH", "").split(os.pathsep) if place)
        try:
            import torch
            import transformers
        except ImportError as error:
            needed = f"pip install torch transformers=={settings['transformers']}"
            raise pb_utils.TritonModelException(
                f"{error}. The Python of the server needs: {needed}"
            ) from error

        #: Of the text, where generation_config.json does not say it.
        self.lengths: dict[str, int] = settings["lengths"]
        is_gpu = args["model_instance_kind"] == "GPU"
        self.device = f"cuda:{args['model_instance_device_id']}" if is_gpu else "cpu"
        # Only these files: nothing is downloaded, no code beside the weights runs, and nothing is unpickled.
        local: Any = {"local_files_only": True, "trust_remote_code": False}
        folder = str(HERE / "model")
        self.extractor: Any = transformers.AutoFeatureExtractor.from_pretrained(folder, **local)
        self.tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder, **local)
        load = transformers.AutoModelForSpeechSeq2Seq.from_pretrained
        self.model: Any = load(folder, use_safetensors=True, dtype=torch.float32, **local)
        self.model.to(self.device).eval()

    def execute(self, requests: Sequence[Any]) -> list[Any]:
        responses = []
        for request in requests:
            try:
                text = self.text_of(self.sound_of(request), value_of(request, "LANGUAGE").decode())
                found = np.array([text.encode()], object)
                responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("TEXT", found)]))
            except Exception as error:  # The others are answered, whatever failed.
                responses.append(pb_utils.InferenceResponse([], pb_utils.TritonError(str(error))))
        return responses

    def sound_of(self, request: Any) -> Array:
        """[samples] in float32. Raises ValueError for a recording that the model does not take."""
        rate, most = self.extractor.sampling_rate, self.extractor.n_samples
        try:
            sound = sound_at(value_of(request, "AUDIO"), rate)
            if len(sound) == 0:
                raise ValueError("has no samples")
            if len(sound) > most:
                raise ValueError(
                    f"has {len(sound)} samples ({len(sound) / rate:.2f} s), and the model takes up to {most} "
                    f"({most / rate:.2f} s): send it in parts"
                )
        except ValueError as error:
            raise ValueError(f"AUDIO {error}") from error
        return sound

    def text_of(self, sound: Array, language: str) -> str:
        """The best token each time. Without a language it is that of the folder, or the most probable one."""
        given = self.extractor(sound, sampling_rate=self.extractor.sampling_rate, return_tensors="pt")
        features = given["input_features"].to(self.device)
        how: dict[str, Any] = {"num_beams": 1, "do_sample": False, **self.lengths}
        if language != "":
            how["language"] = language
        tokens = self.model.generate(features, **how)[0].tolist()
        text: str = self.tokenizer.decode(
            tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        return text
