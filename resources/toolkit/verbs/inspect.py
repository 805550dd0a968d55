"""Inputs and outputs of a TorchScript file, found by running it once. Only for a file that is trusted."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from ..datatypes import numpy_dtype, triton_datatype
from ..errors import ToolkitError
from ..report import Report
from ..runners import load_foreign_torchscript, torch_arrays


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--path", type=Path, required=True, help="TorchScript file")
    parser.add_argument(
        "--inputs", type=json.loads, required=True, help='JSON: [{"name", "datatype", "shape"}]'
    )


def _run(module: Any, inputs: list[dict[str, Any]], shapes: list[list[int]], path: Path) -> list[Any]:
    import torch

    generator = np.random.default_rng(0)
    arguments = []
    for item, shape in zip(inputs, shapes):
        dtype = numpy_dtype(item["datatype"])
        values = generator.random(shape) if dtype.kind == "f" else generator.integers(0, 2, shape)
        arguments.append(torch.from_numpy(values.astype(dtype)))
    try:
        with torch.inference_mode():
            value = module(*arguments)
    except Exception as error:
        shown = ", ".join(f"{item['name']} {item['datatype']} {shape}" for item, shape in zip(inputs, shapes))
        # The text of TorchScript's errors ends with the reason; before it stands a trace of the module's code.
        last = (str(error).strip() or type(error).__name__).splitlines()[-1]
        raise ToolkitError(
            "model-file-invalid",
            f"forward fails on {shown}: {last}",
            where=f"{path}, forward",
            remedy="Set other shapes or datatypes: --shape NAME=1,3,224,224 or --shape NAME:INT64=1,16.",
            details=str(error),
        ) from error
    results = list(value) if isinstance(value, (tuple, list)) else [value]
    if not results or not all(isinstance(item, torch.Tensor) for item in results):
        kinds = ", ".join(type(item).__name__ for item in results) or "nothing"
        keys = list(value) if isinstance(value, dict) else []
        taken = ", ".join(f'value["{key}"]' for key in keys)
        names = ", ".join(item["name"] for item in inputs)
        remedy = (
            f"Save it in a module whose forward({names}) does: value = self.model({names}); return {taken}."
            if keys
            else "Wrap the module in one whose forward returns only tensors, and export that."
        )
        raise ToolkitError(
            "model-file-invalid",
            f"forward returns {kinds}{' with the keys ' if keys else ''}{', '.join(map(str, keys))}; Triton supports a "
            "tensor, or a tuple or list of tensors",
            where=f"{path}, forward",
            remedy=remedy,
        )
    return torch_arrays(results, "model-file-invalid", f"{path}, forward")


def _is_batched(module: Any, options: argparse.Namespace, first: list[Any]) -> bool:
    """The first axes, all 1 in the example, are all a batch when the outputs of two samples are of two samples."""
    shapes = [item["shape"] for item in options.inputs]
    if any(shape[:1] != [1] for shape in shapes) or any(array.shape[:1] != (1,) for array in first):
        return False
    # One number a sample would be served as [batch, 1]; without batching it stays what it is.
    if any(len(shape) < 2 for shape in shapes) or any(array.ndim < 2 for array in first):
        return False
    try:
        second = _run(module, options.inputs, [[2, *shape[1:]] for shape in shapes], options.path)
    except ToolkitError:
        return False
    return [array.shape for array in second] == [(2, *array.shape[1:]) for array in first]


def run(options: argparse.Namespace, report: Report) -> dict[str, Any]:
    report.progress(0.0, "Loading the model")
    module = load_foreign_torchscript(options.path)
    results = _run(module, options.inputs, [item["shape"] for item in options.inputs], options.path)
    batched = _is_batched(module, options, results)

    def declared(shape: Any) -> list[int]:
        return [-1, *shape[1:]] if batched else list(shape)

    report.progress(1.0, "Inspected")
    return {
        "batched": batched,
        "inputs": [
            {
                "name": item["name"],
                "datatype": item["datatype"],
                "shape": declared(item["shape"]),
                "sample": item["shape"],
            }
            for item in options.inputs
        ],
        "outputs": [
            {
                "name": f"OUTPUT__{index}",
                "datatype": triton_datatype(array.dtype),
                "shape": declared(array.shape),
            }
            for index, array in enumerate(results)
        ],
    }
