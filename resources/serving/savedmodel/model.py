"""Triton Python backend: executes the SavedModel folder of the version folder with TensorFlow.

Parameters of config.pbtxt: `model_filename` (model.savedmodel), `intra_op_threads` and `inter_op_threads` (0 =
TensorFlow's own choice), `signature` (serving_default). `execution_providers` may be given and must be
CPUExecutionProvider: the environment has TensorFlow for the CPU.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Optional

import triton_python_backend_utils as pb_utils
from serving_shim import (
    Array,
    deliver,
    find_model_file,
    is_decoupled,
    read_parameters,
    run_requests,
    thread_count,
)


def find_model_folder(args: dict[str, str], parameters: dict[str, str]) -> Path:
    """Raises TritonModelException when the version folder holds no such SavedModel."""
    name = parameters.get("model_filename", "model.savedmodel")
    # What makes a folder a SavedModel.
    return find_model_file(args, {"model_filename": f"{name}/saved_model.pb"}, "").parent


def _check_names(kind: str, configured: Sequence[str], held: Sequence[str], path: Path) -> None:
    absent = [name for name in configured if name not in held]
    if absent:
        raise pb_utils.TritonModelException(
            f"{path.name} has no {kind} {', '.join(absent)}; it has {', '.join(sorted(held))}"
        )


def _load(tensorflow: Any, path: Path) -> Any:
    try:
        return tensorflow.saved_model.load(str(path))
    except AttributeError:
        # An older Keras saved it with its optimizer, whose objects this TensorFlow cannot restore; the graph it can.
        from tensorflow.python.saved_model import load_v1_in_v2

        return load_v1_in_v2.load(str(path), ["serve"])


class TritonPythonModel:
    """One instance: one copy of the model in a process of its own."""

    def initialize(self, args: dict[str, str]) -> None:
        # Errors only: the log of the server is no place for what TensorFlow says of the CPU.
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
        try:
            import tensorflow
        except ImportError as error:
            raise pb_utils.TritonModelException(f"TensorFlow cannot be imported: {error}") from error

        config = json.loads(args["model_config"])
        parameters = read_parameters(config)
        path = find_model_folder(args, parameters)
        if parameters.get("execution_providers", "CPUExecutionProvider").strip() != "CPUExecutionProvider":
            raise pb_utils.TritonModelException(
                "parameter execution_providers: this TensorFlow supports only the CPU"
            )
        if args["model_instance_kind"] == "GPU":
            raise pb_utils.TritonModelException("the instance is of KIND_GPU, but this TensorFlow has no GPU")
        threads = tensorflow.config.threading
        # Settings of the process; each instance has its own.
        threads.set_intra_op_parallelism_threads(thread_count(parameters, "intra_op_threads"))
        threads.set_inter_op_parallelism_threads(thread_count(parameters, "inter_op_threads"))
        try:
            # Kept: the signature alone does not hold the variables.
            self._loaded: Any = _load(tensorflow, path)
            signatures = self._loaded.signatures
        except Exception as error:
            raise pb_utils.TritonModelException(f"TensorFlow cannot load {path.name}: {error}") from error
        name = parameters.get("signature", "serving_default")
        if name not in signatures:
            raise pb_utils.TritonModelException(
                f'{path.name} has no signature "{name}"; it has {", ".join(sorted(signatures))}'
            )
        self._call: Any = signatures[name]
        self._constant: Any = tensorflow.constant
        self._names = (
            [item["name"] for item in config["input"]],
            [item["name"] for item in config["output"]],
        )
        _check_names("input", self._names[0], list(self._call.structured_input_signature[1]), path)
        _check_names("output", self._names[1], list(self._call.structured_outputs), path)
        self._batching = int(config["max_batch_size"]) > 0
        self._decoupled = is_decoupled(config)

    def _infer(self, arrays: list[Array]) -> list[Array]:
        inputs, outputs = self._names
        results = self._call(**{name: self._constant(array) for name, array in zip(inputs, arrays)})
        return [results[name].numpy() for name in outputs]

    def execute(self, requests: list[Any]) -> Optional[list[Any]]:
        responses = run_requests(requests, self._names, self._batching, self._infer)
        return deliver(requests, responses, self._decoupled)

    def finalize(self) -> None:
        """Frees the model's memory before Triton starts the next version."""
        del self._call, self._loaded
