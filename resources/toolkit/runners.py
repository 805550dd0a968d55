"""A model run in this process: PyTorch code, TorchScript or ONNX; numpy arrays in and out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from .batches import Tensors
from .checkpoint import load_checkpoint
from .datatypes import numpy_dtype
from .errors import ToolkitError
from .model_folder import ModelFolder
from .signature import Signature, parse_signature

if TYPE_CHECKING:
    import torch

#: Member of a TorchScript archive that holds the signature.
SIGNATURE_FILE = "signature.json"


class Runner(Protocol):
    def run(self, x: Tensors) -> Tensors:
        """One batch."""
        ...


class LoadedModel(NamedTuple):
    module: torch.nn.Module
    inputs: list[str]
    outputs: list[str]


def load_model(folder: ModelFolder, checkpoint: Path | None) -> LoadedModel:
    """The folder's model with the weights of the checkpoint, or its own seeded ones; in evaluation mode, fp32."""
    value: Any = folder.call("model")
    try:
        module, names = value
        inputs, outputs = list(names["inputs"]), list(names["outputs"])
    except (TypeError, ValueError, KeyError) as error:
        raise ToolkitError(
            "model-folder-invalid",
            'get_model must return (module, {"inputs": [names], "outputs": [names]})',
            where=str(folder.path / "model.py"),
        ) from error
    if checkpoint is not None:
        load_checkpoint(module, checkpoint)
    return LoadedModel(module.eval(), inputs, outputs)


class ModuleRunner:
    """A torch module, eager or scripted, called with its inputs in order."""

    def __init__(self, module: torch.nn.Module, inputs: Sequence[str], outputs: Sequence[str]) -> None:
        self._module = module
        self._inputs = inputs
        self._outputs = outputs

    def run(self, x: Tensors) -> Tensors:
        import torch

        with torch.inference_mode():
            arguments = [torch.from_numpy(np.ascontiguousarray(_input(x, name))) for name in self._inputs]
            value = self._module(*arguments)
        values = list(value) if isinstance(value, (tuple, list)) else [value]
        if len(values) != len(self._outputs):
            raise ToolkitError(
                "model-folder-invalid",
                f"The model gives {len(values)} outputs and names {len(self._outputs)}",
                where="model.py",
            )
        return {name: tensor.numpy() for name, tensor in zip(self._outputs, values)}


def _input(x: Tensors, name: str) -> Any:
    if name not in x:
        raise ToolkitError(
            "model-mismatch", f"The loader gives no {name}; it gives {', '.join(x)}", where=name
        )
    return x[name]


def load_torchscript(path: Path) -> tuple[Any, Signature]:
    """Throws input-invalid when the file is none that `export` wrote."""
    import torch

    extra: dict[str, Any] = {SIGNATURE_FILE: ""}
    try:
        module = torch.jit.load(str(path), map_location="cpu", _extra_files=extra)
        signature = parse_signature(extra[SIGNATURE_FILE])
    except Exception as error:
        raise ToolkitError(
            "input-invalid",
            f"{path.name} is no TorchScript file of the verb export",
            where=str(path),
            details=str(error),
        ) from error
    return module.eval(), signature


class TorchScriptRunner:
    def __init__(self, path: Path) -> None:
        module, self.signature = load_torchscript(path)
        names = [[tensor.name for tensor in part] for part in (self.signature.inputs, self.signature.outputs)]
        self._runner = ModuleRunner(module, names[0], names[1])

    def run(self, x: Tensors) -> Tensors:
        return self._runner.run({t.name: check_type(x, t.name, t.datatype) for t in self.signature.inputs})


_TRITON_BY_ONNX = {
    "tensor(bool)": "BOOL",
    "tensor(uint8)": "UINT8",
    "tensor(int8)": "INT8",
    "tensor(int16)": "INT16",
    "tensor(int32)": "INT32",
    "tensor(int64)": "INT64",
    "tensor(float16)": "FP16",
    "tensor(float)": "FP32",
    "tensor(double)": "FP64",
}


class OnnxRunner:
    def __init__(self, path: Path) -> None:
        import onnxruntime

        try:
            self._session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        except Exception as error:
            raise ToolkitError(
                "input-invalid", f"ONNX Runtime cannot load {path.name}", where=str(path), details=str(error)
            ) from error
        self._inputs = {
            item.name: _TRITON_BY_ONNX.get(item.type, item.type) for item in self._session.get_inputs()
        }
        self._outputs = [item.name for item in self._session.get_outputs()]

    def run(self, x: Tensors) -> Tensors:
        feeds = {name: check_type(x, name, datatype) for name, datatype in self._inputs.items()}
        return dict(zip(self._outputs, self._session.run(self._outputs, feeds)))


def check_type(x: Tensors, name: str, datatype: str) -> Any:
    """The input as the model wants it. Throws model-mismatch; nothing is converted in silence."""
    array = _input(x, name)
    if array.dtype != numpy_dtype(datatype):
        raise ToolkitError(
            "model-mismatch",
            f"The model wants {name} as {datatype}, the loader gives {array.dtype}",
            where=name,
            remedy="Give --precision fp16 for a model with FP16 inputs and fp32 for one with FP32 inputs.",
        )
    return array
