"""An exported model to a precision."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..errors import ToolkitError
from ..formats import FORMATS
from ..formats.model_format import Conversion
from ..options import PRECISIONS
from ..report import Report
from ..signature import artefact_fields


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


def run(options: argparse.Namespace, report: Report) -> dict[str, Any]:
    """fp32: a checked copy. fp16: inputs and outputs become float16 as well."""
    kind = FORMATS[options.format]
    is_there = options.input.is_dir() if kind.is_folder else options.input.is_file()
    if not is_there:
        raise ToolkitError("input-invalid", f"{options.input} does not exist", where="--input")
    report.progress(0.0, "Reading the model")
    conversion = Conversion(options.input, options.output, options.precision, options.foreign, report)
    converted = kind.convert(conversion)
    report.progress(1.0, "Converted")
    return artefact_fields(options.output, converted.signature, converted.parameters, converted.opset, report)
