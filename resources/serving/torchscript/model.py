"""Triton Python backend: executes the TorchScript file, or the pt2 package, of the version folder with PyTorch.

Parameters of config.pbtxt: `model_filename` (model.pt, or a name that ends in .pt2), `intra_op_threads` and
`inter_op_threads` (0 = PyTorch's own choice). `execution_providers` may be given and must be CPUExecutionProvider or
CUDAExecutionProvider.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
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


def _device(parameters: dict[str, str], kind: str, device: int, has_cuda: bool) -> str:
    """`cpu` or `cuda:N`, by the instance's kind."""
    text = parameters.get("execution_providers", "CPUExecutionProvider")
    names = {name.strip() for name in text.split(",") if name.strip() != ""}
    unknown = names - {"CPUExecutionProvider", "CUDAExecutionProvider"}
    if unknown:
        raise pb_utils.TritonModelException(
            f"parameter execution_providers: PyTorch has no {', '.join(sorted(unknown))}"
        )
    if kind != "GPU":
        return "cpu"
    if not has_cuda:
        raise pb_utils.TritonModelException(
            "the instance is of KIND_GPU, but this PyTorch finds no CUDA device"
        )
    return f"cuda:{device}"


def _positions(names: Sequence[str], arguments: Sequence[str]) -> list[int]:
    """Place of each configured tensor among the module's: by `NAME__PLACE`, by argument, or as they are listed."""
    numbered = [re.search(r"__(\d+)$", name) for name in names]
    if all(numbered):
        return [int(match.group(1)) for match in numbered if match is not None]
    if all(name in arguments for name in names):
        return [list(arguments).index(name) for name in names]
    return list(range(len(names)))


def _in_order(names: Sequence[str], arguments: Sequence[str] = ()) -> list[str]:
    return [name for _, name in sorted(zip(_positions(names, arguments), names))]


class TritonPythonModel:
    """One instance: one copy of the module in a process of its own."""

    def initialize(self, args: dict[str, str]) -> None:
        try:
            import torch
        except ImportError as error:
            raise pb_utils.TritonModelException(f"PyTorch cannot be imported: {error}") from error

        config = json.loads(args["model_config"])
        parameters = read_parameters(config)
        path = find_model_file(args, parameters, "model.pt")
        intra, inter = (thread_count(parameters, f"{name}_op_threads") for name in ("intra", "inter"))
        # Settings of the process; each instance has its own.
        if intra > 0:
            torch.set_num_threads(intra)
        if inter > 0:
            torch.set_num_interop_threads(inter)
        kind, number = args["model_instance_kind"], int(args["model_instance_device_id"])
        self._device = _device(parameters, kind, number, torch.cuda.is_available())
        try:
            if path.suffix == ".pt2":
                # Native code, for the device that it was compiled for.
                self._module: Any = torch._inductor.aoti_load_package(str(path))
            else:
                self._module = torch.jit.load(str(path), map_location=self._device).eval()
        except Exception as error:
            raise pb_utils.TritonModelException(f"PyTorch cannot load {path.name}: {error}") from error
        method = getattr(self._module, "forward", None)
        schema = getattr(method, "schema", None)
        arguments = [] if schema is None else [argument.name for argument in schema.arguments]
        self._names = (
            _in_order([item["name"] for item in config["input"]], arguments),
            _in_order([item["name"] for item in config["output"]]),
        )
        self._batching = int(config["max_batch_size"]) > 0
        self._decoupled = is_decoupled(config)

    def _infer(self, arrays: list[Array]) -> list[Array]:
        import torch

        with torch.inference_mode():
            value = self._module(*[torch.from_numpy(array).to(self._device) for array in arrays])
        values = list(value) if isinstance(value, (tuple, list)) else [value]
        if len(values) != len(self._names[1]):
            raise ValueError(
                f"the module gives {len(values)} outputs, config.pbtxt names {len(self._names[1])}"
            )
        return [tensor.cpu().numpy() for tensor in values]

    def execute(self, requests: list[Any]) -> Optional[list[Any]]:
        responses = run_requests(requests, self._names, self._batching, self._infer)
        return deliver(requests, responses, self._decoupled)

    def finalize(self) -> None:
        """Frees the module's memory before Triton starts the next version."""
        del self._module
