"""A model file, or folder, and what export and convert say of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Optional

from .files import size_bytes
from .report import Report, bytes_text
from .signature import Signature


def artefact_fields(
    path: Path, signature: Signature, parameters: Optional[int], opset: Optional[int], report: Report
) -> dict[str, Any]:
    """The result of the verb; facts for people on the way."""
    size = size_bytes(path)
    if parameters is not None:
        report.fact("Parameters", f"{parameters:,}")
    report.fact("Model file", f"{path.name}, {bytes_text(size)}")
    for title, tensors in (("Input", signature.inputs), ("Output", signature.outputs)):
        for tensor in tensors:
            report.fact(title, f"{tensor.name} {tensor.datatype} {tensor.shape}")
    if opset is not None:
        report.fact("ONNX opset", str(opset))
    fields = {"path": str(path), "bytes": size, "parameters": parameters, **signature.fields()}
    return fields if opset is None else {**fields, "opset": opset}
