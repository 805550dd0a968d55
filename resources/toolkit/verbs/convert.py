"""An exported model to a precision."""

from __future__ import annotations

import argparse
import shutil
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import ToolkitError
from ..files import replacing
from ..keras_model import read_notes
from ..onnx_file import (
    get_parameters,
    infer_shapes,
    load_onnx,
    onnx_opset,
    onnx_signature,
    read_onnx,
    save_checked,
    save_onnx,
    to_float16,
)
from ..options import FORMATS, PRECISIONS
from ..pt2_file import read_pt2
from ..report import Report
from ..runners import OnnxRunner, load_torchscript, save_torchscript
from ..signature import Signature, artefact_fields


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", required=True, choices=FORMATS)
    parser.add_argument("--precision", required=True, choices=PRECISIONS)
    parser.add_argument("--input", type=Path, required=True, help="model file of the verb export")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument(
        "--foreign",
        action="store_true",
        help="an ONNX file of any origin: its runtime judges it, not the checker",
    )


def _copy(source: Path, target: Path) -> None:
    with replacing(target) as partial:
        shutil.copyfile(source, partial)


def _onnx(source: Path, target: Path, precision: str, report: Report, foreign: bool) -> dict[str, Any]:
    model = read_onnx(source) if foreign else load_onnx(source)
    parameters = get_parameters(model)
    if precision == "fp32":
        _copy(source, target)
        return artefact_fields(target, onnx_signature(model), parameters, onnx_opset(model), report)
    report.progress(0.3, "Converting to float16")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        converted = to_float16(model)
    # One for each tensor with values outside float16, which were cut to its range.
    truncated = [str(item.message) for item in caught if "truncated" in str(item.message)]
    if truncated:
        count = len(truncated)
        tensors = "1 weight tensor has" if count == 1 else f"{count:,} weight tensors have"
        report.warning(f"{tensors} values outside the float16 range; they were clamped to it")
    if not foreign:
        infer_shapes(converted)
    report.progress(0.8, "Writing the file")
    save = save_onnx if foreign else save_checked
    save(converted, target)
    return artefact_fields(target, onnx_signature(converted), parameters, onnx_opset(converted), report)


def _half(signature: Signature) -> Signature:
    """`.half()` turns floating point tensors only; integers stay."""
    inputs, outputs = (
        [replace(tensor, datatype="FP16") if tensor.datatype == "FP32" else tensor for tensor in part]
        for part in (signature.inputs, signature.outputs)
    )
    return Signature(inputs, outputs)


def _torchscript(source: Path, target: Path, precision: str, report: Report, foreign: bool) -> dict[str, Any]:

    del foreign
    module, signature = load_torchscript(source)
    if precision == "fp32":
        _copy(source, target)
    else:
        report.progress(0.3, "Converting to float16")
        module, signature = module.half(), _half(signature)
        report.progress(0.8, "Writing the file")
        with replacing(target) as partial, warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            save_torchscript(module, signature, partial)
    parameters = sum(parameter.numel() for parameter in module.parameters())
    return artefact_fields(target, signature, parameters, None, report)


def _pt2(source: Path, target: Path, precision: str, report: Report, foreign: bool) -> dict[str, Any]:
    del foreign
    if precision != "fp32":
        raise ToolkitError(
            "combination-unsupported",
            f"A PyTorch package is not converted to {precision}",
            where="--precision",
            remedy="Choose fp32, or the format ONNX or TorchScript.",
        )
    signature, parameters = read_pt2(source)
    _copy(source, target)
    return artefact_fields(target, signature, parameters, None, report)


def _savedmodel(source: Path, target: Path, precision: str, report: Report, foreign: bool) -> dict[str, Any]:
    del foreign
    signature, parameters = read_notes(source)
    if precision != "fp32":
        raise ToolkitError(
            "combination-unsupported",
            f"A SavedModel is not converted to {precision}",
            where="--precision",
            remedy="Half precision comes from the backend accelerator amp on a GPU, or from the format ONNX.",
        )
    with replacing(target) as partial:
        shutil.copytree(source, partial)
    return artefact_fields(target, signature, parameters, None, report)


def run(options: argparse.Namespace, report: Report) -> dict[str, Any]:
    """fp32: a checked copy. fp16: inputs and outputs become float16 as well."""
    is_there = options.input.is_dir() if options.format == "tf-savedmodel" else options.input.is_file()
    if not is_there:
        raise ToolkitError("input-invalid", f"{options.input} does not exist", where="--input")
    report.progress(0.0, "Reading the model")
    convert = {"onnx": _onnx, "pt2": _pt2, "tf-savedmodel": _savedmodel}.get(options.format, _torchscript)
    result = convert(options.input, options.output, options.precision, report, options.foreign)
    if options.foreign and options.format == "onnx" and options.precision != "fp32":
        # What the converter made must load before it is served.
        OnnxRunner(options.output)
    report.progress(1.0, "Converted")
    return result
