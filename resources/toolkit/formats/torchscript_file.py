"""TorchScript files, traced or scripted: write, convert."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable

from ..device_constants import require_free_device
from ..errors import ToolkitError
from ..files import copy_file, replacing
from ..runners import Runner, TorchScriptRunner, load_torchscript, save_torchscript
from ..signature import Signature
from .model_format import Conversion, Converted, Export, ModelFormat


def _writer(kind: str) -> Callable[[Export, Path], None]:
    def write(export: Export, path: Path) -> None:
        import torch

        model = export.model
        with torch.no_grad(), warnings.catch_warnings():
            # TorchScript as such is marked deprecated; it is what this format is.
            warnings.simplefilter("ignore", DeprecationWarning)
            try:
                if kind == "ts-trace":
                    scripted: Any = torch.jit.trace(model.module, export.arguments())
                else:
                    scripted = torch.jit.script(model.module)
            except Exception as error:
                raise ToolkitError(
                    "model-folder-invalid",
                    f"The model cannot be exported as {kind}",
                    where="model.py",
                    remedy="Choose another format, or use only what TorchScript supports in the model.",
                    details=str(error),
                ) from error
        folder = export.folder
        require_free_device(scripted, "model-folder-invalid", str(folder / "model.py"), folder)
        with replacing(path) as partial:
            save_torchscript(scripted, export.signature, partial)

    return write


def _open(path: Path, signature: Signature, device: str) -> Runner:
    del signature, device
    return TorchScriptRunner(path)


def _half(signature: Signature) -> Signature:
    """`.half()` turns floating point tensors only; integers stay."""
    inputs, outputs = (
        [replace(tensor, datatype="FP16") if tensor.datatype == "FP32" else tensor for tensor in part]
        for part in (signature.inputs, signature.outputs)
    )
    return Signature(inputs, outputs)


def _convert(conversion: Conversion) -> Converted:
    source, target, precision, _, report = conversion
    module, signature = load_torchscript(source)
    if precision == "fp32":
        copy_file(source, target)
    else:
        report.progress(0.3, "Converting to float16")
        module, signature = module.half(), _half(signature)
        report.progress(0.8, "Writing the file")
        with replacing(target) as partial, warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            save_torchscript(module, signature, partial)
    return Converted(signature, sum(parameter.numel() for parameter in module.parameters()))


TRACED = ModelFormat({"pyt": _writer("ts-trace")}, _open, _convert)
SCRIPTED = ModelFormat({"pyt": _writer("ts-script")}, _open, _convert)
