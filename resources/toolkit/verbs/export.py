"""Model code to a file of a format, always from fp32 weights."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Callable, NamedTuple

from ..batches import Batches
from ..errors import ToolkitError
from ..files import replacing
from ..formats import FORMATS
from ..formats.model_format import Export
from ..model_folder import ModelFolder
from ..options import add_model_arguments, at_least
from ..report import Report
from ..runners import ModuleRunner, Runner, load_model
from ..signature import Signature, artefact_fields, find_signature, parse_signature, widened
from ..source_file import pass_on

#: Samples of a batch that is looked at for the signature: batches padded to their longest sample differ the more from
#: each other the smaller they are.
_SCANNED_SAMPLES = 2

_TITLES = {"pyt": "PyTorch", "tf": "TensorFlow"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_arguments(parser)
    parser.add_argument("--format", required=True, choices=FORMATS)
    parser.add_argument("--output", type=Path, required=True, help="model file")
    parser.add_argument("--opset", type=at_least(9), default=13, help="ONNX operator set")
    parser.add_argument("--source", type=Path, help="a model file to pass on, in place of the folder's code")
    parser.add_argument("--signature", type=parse_signature, help="JSON, of the file")
    parser.add_argument(
        "--declared", type=parse_signature, help="JSON: axes of -1 vary, whatever the data set has"
    )
    parser.add_argument(
        "--device",
        choices=("auto", "cpu"),
        default="cpu",
        help="what a format of compiled code is compiled for",
    )


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
    """A model of either framework. `written`: as a file is made of it, once the runner has run it."""

    inputs: list[str]
    parameters: int
    runner: Runner
    written: Callable[[], Any]


def _torch(folder: ModelFolder, options: argparse.Namespace) -> Source:
    import torch

    torch.manual_seed(options.seed)
    model = load_model(folder, options.checkpoint)
    parameters = sum(parameter.numel() for parameter in model.module.parameters())
    runner = ModuleRunner(model.module, model.inputs, model.outputs)
    return Source(model.inputs, parameters, runner, lambda: model._replace(module=runner.plain(model.module)))


def _keras(folder: ModelFolder, options: argparse.Namespace) -> Source:
    from ..keras_model import KerasRunner, load_keras_model

    model = load_keras_model(folder, options.checkpoint, options.seed)
    return Source(model.inputs, model.parameters, KerasRunner(model), lambda: model)


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
            options.batch_size,
            report,
        )
    kind, framework = FORMATS[options.format], options.framework
    if framework not in kind.write:
        fitting = [name for name, other in FORMATS.items() if framework in other.write]
        raise ToolkitError(
            "combination-unsupported",
            f"A {_TITLES[framework]} model cannot be exported as {options.format}",
            where="--format",
            remedy=f"Choose {' or '.join(fitting)}.",
        )
    source = (_keras if framework == "tf" else _torch)(folder, options)
    report.progress(0.2, "Reading the signature from the data set")
    signature, example = find_signature(
        Batches(folder, options.limit, batch_size=min(_SCANNED_SAMPLES, options.batch_size)),
        source.inputs,
        source.runner.run,
    )
    if options.declared is not None:
        signature = widened(signature, options.declared)
    report.progress(0.5, f"Exporting as {options.format}")
    output: Path = options.output
    opset = options.opset if options.format == "onnx" else None
    export = Export(source.written(), example.x, signature, source.parameters, folder.path, options)
    with replacing(output) as partial:
        kind.write[framework](export, partial)
        report.progress(0.8, "Checking the exported file")
        _check_batches(kind.open(partial, signature, options.device), signature, example.x)
    report.progress(1.0, "Exported")
    # Of what another library computes there are none.
    return artefact_fields(output, signature, source.parameters or None, opset, report)
