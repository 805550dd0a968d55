"""Triton Python backend: executes the ONNX file of the version folder with ONNX Runtime.

Parameters of config.pbtxt, with their defaults: `model_filename` (model.onnx), `execution_providers`
(CPUExecutionProvider; more than one with commas between, in order of preference), `intra_op_threads` and
`inter_op_threads` (0: the runtime's own choice).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np
import triton_python_backend_utils as pb_utils
from serving_shim import (
    Array,
    complete_config,
    configured_model,
    deliver,
    find_model_file,
    is_decoupled,
    read_parameters,
    run_requests,
    thread_count,
)


def _providers(parameters: dict[str, str], kind: str, device: int, available: Sequence[str]) -> list[Any]:
    text = parameters.get("execution_providers", "CPUExecutionProvider")
    names = [name.strip() for name in text.split(",") if name.strip() != ""]
    unknown = [name for name in names if name not in available]
    if unknown or not names:
        raise pb_utils.TritonModelException(
            f'parameter execution_providers: "{text}" is not among what this ONNX Runtime offers: '
            f"{', '.join(available)}"
        )
    on_gpu = {"CUDAExecutionProvider", "TensorrtExecutionProvider"}
    return [(name, {"device_id": device}) if kind == "GPU" and name in on_gpu else name for name in names]


def _wrong_fusions(config: dict[str, Any], providers: Sequence[Any]) -> list[str]:
    """Optimizers to leave out: on CPU this one takes another epsilon than a float16 file says (seen in 1.31)."""
    types = {item["data_type"] for item in (*config["input"], *config["output"])}
    on_cpu = list(providers) == ["CPUExecutionProvider"]
    return ["SimplifiedLayerNormFusion"] if on_cpu and "TYPE_FP16" in types else []


def _optimizations(config: dict[str, Any], levels: Any) -> Any:
    """`optimization.graph.level`, as Triton's own backend reads it."""
    level = int(config.get("optimization", {}).get("graph", {}).get("level", 0))
    known = {-1: levels.ORT_ENABLE_BASIC, 1: levels.ORT_ENABLE_EXTENDED}
    return known.get(level, levels.ORT_ENABLE_ALL)


_types = {
    "tensor(float)": "TYPE_FP32",
    "tensor(double)": "TYPE_FP64",
    "tensor(float16)": "TYPE_FP16",
    "tensor(bool)": "TYPE_BOOL",
    "tensor(string)": "TYPE_STRING",
    **{
        f"tensor({sign}int{bits})": f"TYPE_{sign.upper()}INT{bits}"
        for sign in ("", "u")
        for bits in (8, 16, 32, 64)
    },
}


def _described(tensors: Sequence[Any]) -> list[tuple[str, str, list[int]]]:
    unknown = [f"{tensor.name}: {tensor.type}" for tensor in tensors if tensor.type not in _types]
    if unknown:
        raise pb_utils.TritonModelException(f"Triton has no type for {', '.join(unknown)}")
    return [
        (tensor.name, _types[tensor.type], [size if isinstance(size, int) else -1 for size in tensor.shape])
        for tensor in tensors
    ]


def runtime_array(array: Array) -> Array:
    """For ONNX Runtime, which takes of an object that is no str how Python shows it: "b'text'"."""
    if array.dtype != np.object_:
        return array
    elements = [bytes(element) for element in array.reshape(-1)]
    try:
        texts = np.array([element.decode("utf-8") for element in elements], dtype=np.object_)
    except UnicodeDecodeError:
        # Bytes that are no text, as they are.
        texts = np.array(elements, dtype=np.bytes_)
    return texts.reshape(array.shape)


class TritonPythonModel:
    """One instance: one session."""

    @staticmethod
    def auto_complete_config(auto_complete_model_config: Any) -> Any:
        """As a Python-based backend: tensors and batch size that config.pbtxt lacks are those of the file."""
        path = configured_model(auto_complete_model_config.as_dict(), "model.onnx")
        if path is None:
            return auto_complete_model_config
        import onnxruntime

        try:
            session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        except Exception as error:
            raise pb_utils.TritonModelException(f"ONNX Runtime cannot load {path.name}: {error}") from error
        tensors = (_described(session.get_inputs()), _described(session.get_outputs()))
        return complete_config(auto_complete_model_config, tensors)

    def initialize(self, args: dict[str, str]) -> None:
        try:
            import onnxruntime
        except ImportError as error:
            raise pb_utils.TritonModelException(f"ONNX Runtime cannot be imported: {error}") from error

        config = json.loads(args["model_config"])
        parameters = read_parameters(config)
        path = find_model_file(args, parameters, "model.onnx")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = thread_count(parameters, "intra_op_threads")
        options.inter_op_num_threads = thread_count(parameters, "inter_op_threads")
        options.graph_optimization_level = _optimizations(config, onnxruntime.GraphOptimizationLevel)
        kind, device = args["model_instance_kind"], int(args["model_instance_device_id"])
        providers = _providers(parameters, kind, device, onnxruntime.get_available_providers())
        try:
            self._session = onnxruntime.InferenceSession(
                str(path), options, providers=providers, disabled_optimizers=_wrong_fusions(config, providers)
            )
        except Exception as error:
            raise pb_utils.TritonModelException(f"ONNX Runtime cannot load {path.name}: {error}") from error
        self._names = (
            [item["name"] for item in config["input"]],
            [item["name"] for item in config["output"]],
        )
        for configured, held in (
            (self._names[0], [item.name for item in self._session.get_inputs()]),
            (self._names[1], [item.name for item in self._session.get_outputs()]),
        ):
            absent = [name for name in configured if name not in held]
            if absent:
                raise pb_utils.TritonModelException(
                    f"{path.name} has no tensor {', '.join(absent)}; it has {', '.join(held)}"
                )
        # Triton has no scalars: one number stands for each.
        self._scalars = {item.name for item in self._session.get_inputs() if item.shape == []}
        self._batching = int(config["max_batch_size"]) > 0
        self._decoupled = is_decoupled(config)

    def _infer(self, arrays: list[Array]) -> list[Array]:
        inputs, outputs = self._names
        feeds = {
            name: array.reshape(()) if name in self._scalars else array
            for name, array in zip(inputs, map(runtime_array, arrays))
        }
        results: list[Array] = self._session.run(outputs, feeds)
        return results

    def execute(self, requests: list[Any]) -> Optional[list[Any]]:
        responses = run_requests(requests, self._names, self._batching, self._infer)
        return deliver(requests, responses, self._decoupled)

    def finalize(self) -> None:
        """Frees the session's memory before Triton starts the next version."""
        del self._session
