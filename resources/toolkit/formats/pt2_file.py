"""PyTorch packages (pt2): a module of torch.export, compiled by AOTInductor into native code for one kind of device."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from ..batches import Tensors
from ..errors import ToolkitError
from ..files import copy_file
from ..runners import Device, Runner, torch_device
from ..signature import Signature, parse_signature
from .model_format import Conversion, Converted, Export, ModelFormat

#: Names in the metadata of the package.
_SIGNATURE, _PARAMETERS = "workbench_signature", "workbench_parameters"
#: Sizes 0 and 1 of an example are taken as constants by torch.export.
_SMALLEST_EXAMPLE = 2


def _require_compiler() -> None:
    compiler = os.environ.get("CXX") or "g++"
    if shutil.which(compiler) is None:
        raise ToolkitError(
            "toolchain-missing",
            f"The format pt2 needs a C++ compiler, and {compiler} is not installed",
            remedy="Install g++, or choose the format onnx, ts-trace or ts-script.",
        )


def _dynamic_axes(signature: Signature) -> tuple[dict[int, Any], ...]:
    import torch

    return tuple(
        {axis: torch.export.Dim.AUTO for axis, size in enumerate(tensor.shape) if size == -1}
        for tensor in signature.inputs
    )


def _write(export: Export, path: Path) -> None:
    """Compiles for the device.

    Throws toolchain-missing without a compiler, model-folder-invalid where the model does not compile.
    """
    import torch

    _require_compiler()
    model, signature = export.model, export.signature
    device = torch_device(export.options.device).name
    module = model.module.to(device).eval()
    several = [
        x if x.shape[0] >= _SMALLEST_EXAMPLE else x.repeat_interleave(2, dim=0) for x in export.arguments()
    ]
    metadata = {_SIGNATURE: signature.to_json(), _PARAMETERS: str(export.parameters)}
    with tempfile.TemporaryDirectory(prefix="workbench-pt2-") as folder:
        # The compiler's own cache would stay in the machine's temporary folder.
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder
        package = Path(folder) / "model.pt2"
        try:
            with torch.no_grad():
                exported = torch.export.export(
                    module,
                    tuple(x.to(device) for x in several),
                    dynamic_shapes=_dynamic_axes(signature),
                )
                torch._inductor.aoti_compile_and_package(
                    exported,
                    package_path=str(package),
                    inductor_configs={
                        "aot_inductor.metadata": metadata,
                        # The folder has each of the compilations once: headers compiled ahead are used by one.
                        "aot_inductor.precompile_headers": False,
                        "cpp_cache_precompile_headers": False,
                    },
                )
        except Exception as error:
            raise ToolkitError(
                "model-folder-invalid",
                "The model cannot be exported as pt2",
                where="model.py",
                remedy="Choose another format, or use only what torch.export supports in the model.",
                details=str(error),
            ) from error
        finally:
            model.module.to("cpu")
        shutil.copyfile(package, path)


def _load(path: Path) -> Any:
    import torch

    with tempfile.TemporaryDirectory(prefix="workbench-pt2-") as folder:
        # The loader takes files of this ending only.
        named = Path(folder) / "model.pt2"
        named.symlink_to(path.absolute())
        return torch._inductor.aoti_load_package(str(named))


def _read(path: Path) -> tuple[Signature, int]:
    """Signature and number of parameters. Throws input-invalid when `export` did not write the file."""
    try:
        metadata = _load(path).loader.get_metadata()
        return parse_signature(metadata[_SIGNATURE]), int(metadata[_PARAMETERS])
    except Exception as error:
        raise ToolkitError(
            "input-invalid",
            f"{path.name} is not a PyTorch package written by export",
            where=str(path),
            details=str(error),
        ) from error


class _Runner:
    """The package, on the device that it was compiled for."""

    def __init__(self, path: Path, signature: Signature, device: Device) -> None:
        self._package = _load(path)
        self._signature = signature
        self.device = device

    def run(self, x: Tensors) -> Tensors:
        import torch

        arguments = [torch.from_numpy(x[t.name].copy()).to(self.device.name) for t in self._signature.inputs]
        with torch.inference_mode():
            value = self._package(*arguments)
        values = list(value) if isinstance(value, (tuple, list)) else [value]
        return {t.name: tensor.cpu().numpy() for t, tensor in zip(self._signature.outputs, values)}


def _open(path: Path, signature: Signature, device: str) -> Runner:
    return _Runner(path, signature, torch_device(device))


def _convert(conversion: Conversion) -> Converted:
    if conversion.precision != "fp32":
        raise ToolkitError(
            "combination-unsupported",
            f"A PyTorch package is not converted to {conversion.precision}",
            where="--precision",
            remedy="Choose fp32, or the format ONNX or TorchScript.",
        )
    signature, parameters = _read(conversion.source)
    copy_file(conversion.source, conversion.target)
    return Converted(signature, parameters)


PT2 = ModelFormat({"pyt": _write}, _open, _convert)
