"""Model code to ONNX, TorchScript or SavedModel, always from fp32 weights."""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, NamedTuple

from ..batches import Batches, Tensors
from ..device_constants import require_free_device
from ..errors import ToolkitError
from ..files import replacing
from ..model_folder import ModelFolder
from ..onnx_file import (
    declare_inputs,
    infer_shapes,
    onnx_opset,
    read_onnx,
    save_checked,
    set_parameters,
)
from ..options import FORMATS, add_model_arguments, at_least
from ..pt2_file import Pt2Runner, write_pt2
from ..report import Report
from ..runners import (
    LoadedModel,
    ModuleRunner,
    OnnxRunner,
    Runner,
    TorchScriptRunner,
    load_model,
    save_torchscript,
    torch_device,
)
from ..signature import Signature, artefact_fields, find_signature, parse_signature
from ..source_file import pass_on

if TYPE_CHECKING:
    import torch

#: Samples of a batch that is looked at for the signature: batches padded to their longest sample differ the more from
#: each other the smaller they are.
_SCANNED_SAMPLES = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_arguments(parser)
    parser.add_argument("--format", required=True, choices=FORMATS)
    parser.add_argument("--output", type=Path, required=True, help="model file")
    parser.add_argument("--opset", type=at_least(9), default=13, help="ONNX operator set")
    parser.add_argument("--source", type=Path, help="a model file to pass on, in place of the folder's code")
    parser.add_argument("--signature", type=parse_signature, help="JSON, of the file")
    parser.add_argument(
        "--device", choices=("auto", "cpu"), default="cpu", help="what a pt2 package is compiled for"
    )


def _write_torchscript(
    kind: str,
    model: LoadedModel,
    example: tuple[torch.Tensor, ...],
    signature: Signature,
    path: Path,
    folder: Path,
) -> None:
    import torch

    with torch.no_grad(), warnings.catch_warnings():
        # TorchScript as such is marked deprecated; it is what this format is.
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            if kind == "ts-trace":
                scripted: Any = torch.jit.trace(model.module, example)
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
    require_free_device(scripted, "model-folder-invalid", str(folder / "model.py"), folder)
    with replacing(path) as partial:
        save_torchscript(scripted, signature, partial)


def _write_onnx(
    model: LoadedModel,
    example: tuple[torch.Tensor, ...],
    signature: Signature,
    path: Path,
    opset: int,
    parameters: int,
) -> None:
    import torch

    tensors = signature.inputs + signature.outputs
    axes = {
        tensor.name: {
            axis: "batch_size_0" if axis == 0 else f"{tensor.name}_{axis}"
            for axis, size in enumerate(tensor.shape)
            if size == -1
        }
        for tensor in tensors
    }
    with replacing(path) as partial:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore", DeprecationWarning)
            # Of LSTMs; whether the file takes another batch size is tried out below.
            warnings.filterwarnings(
                "ignore", message="Exporting a model to ONNX with a batch_size other than 1"
            )
            try:
                torch.onnx.export(
                    model.module,
                    example,
                    str(partial),
                    opset_version=opset,
                    input_names=model.inputs,
                    output_names=model.outputs,
                    dynamic_axes=axes,
                    do_constant_folding=True,
                    # The newer exporter needs a further package and knows no operator set below 18.
                    dynamo=False,
                )
            except Exception as error:
                raise ToolkitError(
                    "model-folder-invalid",
                    f"The model cannot be exported to ONNX operator set {opset}",
                    where="model.py",
                    details=str(error),
                ) from error
        exported = read_onnx(partial)
        declare_inputs(exported, signature.inputs, axes)
        infer_shapes(exported)
        if onnx_opset(exported) != opset:
            raise ToolkitError(
                "toolkit-failed", f"The exporter wrote operator set {onnx_opset(exported)}, not {opset}"
            )
        set_parameters(exported, parameters)
        save_checked(exported, partial)


def _check_batches(runner: Runner, signature: Signature, x: dict[str, Any]) -> None:
    """Runs the file on one and on three samples: a batch size that the export fixed fails here."""
    for count in (1, 3):
        first = {tensor.name: x[tensor.name][:1] for tensor in signature.inputs}
        results = runner.run({name: array.repeat(count, axis=0) for name, array in first.items()})
        for tensor in signature.outputs:
            shape = list(results[tensor.name].shape)
            if shape[0] != count or len(shape) != len(tensor.shape):
                raise ToolkitError(
                    "model-folder-invalid",
                    f"The exported model gives {tensor.name} as {shape} for a batch of {count}",
                    where="model.py",
                    remedy="The model must not depend on the batch size of the example.",
                )


class Source(NamedTuple):
    """A model of either framework, and what writes it in the wanted format."""

    inputs: list[str]
    parameters: int
    runner: Runner
    write: Callable[[Tensors, Signature, Path], None]


def _only(framework: str, kind: str, formats: tuple[str, ...]) -> None:
    if kind not in formats:
        raise ToolkitError(
            "combination-unsupported",
            f"A {framework} model cannot be exported as {kind}",
            where="--format",
            remedy=f"Choose {' or '.join(formats)}.",
        )


def _torch(folder: ModelFolder, options: argparse.Namespace) -> Source:
    _only("PyTorch", options.format, ("onnx", "ts-trace", "ts-script", "pt2"))
    import torch

    torch.manual_seed(options.seed)
    model = load_model(folder, options.checkpoint)
    parameters = sum(parameter.numel() for parameter in model.module.parameters())

    def write(x: Tensors, signature: Signature, path: Path) -> None:
        arguments = tuple(torch.from_numpy(x[name].copy()) for name in model.inputs)
        if options.format == "onnx":
            _write_onnx(model, arguments, signature, path, options.opset, parameters)
        elif options.format == "pt2":
            write_pt2(model, arguments, signature, path, torch_device(options.device))
        else:
            _write_torchscript(options.format, model, arguments, signature, path, folder.path)

    return Source(model.inputs, parameters, ModuleRunner(model.module, model.inputs, model.outputs), write)


def _keras(folder: ModelFolder, options: argparse.Namespace) -> Source:
    _only("TensorFlow", options.format, ("tf-savedmodel", "onnx"))
    from ..keras_model import KerasRunner, keras_to_onnx, load_keras_model, write_savedmodel

    model = load_keras_model(folder, options.checkpoint, options.seed)

    def write(x: Tensors, signature: Signature, path: Path) -> None:
        del x
        if options.format == "tf-savedmodel":
            write_savedmodel(model, signature, path)
            return
        converted = keras_to_onnx(model, signature, options.opset)
        infer_shapes(converted)
        set_parameters(converted, model.parameters)
        save_checked(converted, path)

    return Source(model.inputs, model.parameters, KerasRunner(model), write)


def _exported(options: argparse.Namespace, path: Path, signature: Signature) -> Runner:
    kind: str = options.format
    if kind == "pt2":
        return Pt2Runner(path, signature, torch_device(options.device))
    if kind == "tf-savedmodel":
        from ..keras_model import SavedModelRunner

        return SavedModelRunner(path)
    return OnnxRunner(path) if kind == "onnx" else TorchScriptRunner(path)


def run(options: argparse.Namespace, report: Report) -> dict[str, Any]:
    # The source is fp32 whatever the file is converted to later.
    options.precision = "fp32"
    folder = ModelFolder.from_options(options)
    report.progress(0.0, "Loading the model")
    if options.source is not None:
        return pass_on(
            options.source,
            options.format,
            options.signature,
            folder,
            options.output,
            options.opset,
            report,
        )
    source = (_keras if options.framework == "tf" else _torch)(folder, options)
    report.progress(0.2, "Reading the signature from the data set")
    signature, example = find_signature(
        Batches(folder, options.limit, batch_size=min(_SCANNED_SAMPLES, options.batch_size)),
        source.inputs,
        source.runner.run,
    )
    report.progress(0.5, f"Exporting as {options.format}")
    output: Path = options.output
    opset = options.opset if options.format == "onnx" else None
    with replacing(output) as partial:
        source.write(example.x, signature, partial)
        report.progress(0.8, "Checking the exported file")
        _check_batches(_exported(options, partial, signature), signature, example.x)
    report.progress(1.0, "Exported")
    return artefact_fields(output, signature, source.parameters, opset, report)
