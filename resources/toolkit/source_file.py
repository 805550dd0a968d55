"""A model file of any origin, checked by running it and passed on as the export of the run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Optional

import numpy as np

from .batches import Batches, Tensors, cut
from .datatypes import triton_datatype
from .device_constants import require_free_device
from .errors import ToolkitError
from .files import copy_file, replacing
from .formats.onnx_file import onnx_opset, read_onnx, save_onnx
from .model_folder import ModelFolder
from .report import Report
from .runners import (
    LiftedRunner,
    OnnxRunner,
    Runner,
    TorchScriptRunner,
    load_foreign_torchscript,
    save_torchscript,
)
from .signature import Signature, artefact_fields

#: A protobuf message can hold no more.
_LARGEST_MESSAGE = 2**31 - 1

_OTHER_SAMPLES = (
    "Set supported shapes with --shape NAME=1,3,224,224, or use real samples with --dataset FILE.npz."
)


def _refuse(path: Path, message: str, remedy: str, error: Optional[BaseException] = None) -> ToolkitError:
    details = None if error is None else str(error)
    return ToolkitError("model-file-invalid", message, where=str(path), remedy=remedy, details=details)


def _onnx_runner(source: Path) -> Runner:
    try:
        return OnnxRunner(source)
    except ToolkitError as error:
        reason = (error.details or error.message).splitlines()[0]
        raise _refuse(
            source,
            f"ONNX Runtime cannot load {source.name}: {reason}",
            "Export it again with an operator set and operators that this ONNX Runtime supports.",
            error,
        ) from error


def _check_output(source: Path, results: Tensors, signature: Signature, count: int) -> None:
    for tensor in signature.outputs:
        array = results[tensor.name]
        found = f"{triton_datatype(array.dtype)} {list(array.shape)}"
        wanted = [count if axis == 0 and size == -1 else size for axis, size in enumerate(tensor.shape)]
        fits = len(wanted) == array.ndim and all(a in (-1, b) for a, b in zip(wanted, array.shape))
        if fits and triton_datatype(array.dtype) == tensor.datatype:
            continue
        batch = f" for a batch of {count}" if count > 1 else ""
        raise _refuse(
            source,
            f"The output {tensor.name} is {found}{batch}, but the file declares {tensor.datatype} {tensor.shape}",
            "Set other shapes with --shape; if the model takes one sample at a time, add "
            "--max-batch-size 0 --set batching=disabled.",
        )


def _same(first: Tensors, second: Tensors) -> bool:
    """Up to the rounding of sums in another order; NaN equals NaN."""
    return all(
        np.allclose(array, second[name], rtol=1e-3, atol=1e-5, equal_nan=True)
        if array.dtype.kind == "f"
        else np.array_equal(array, second[name])
        for name, array in first.items()
    )


def _try(source: Path, runner: Runner, signature: Signature, folder: ModelFolder, report: Report) -> None:
    """Runs the file on one sample twice and, where the first axis varies, on three. Throws model-file-invalid."""
    batched = all(tensor.shape[:1] == [-1] for tensor in signature.inputs)
    first = next(iter(Batches(folder, 1)))
    for count in (1, 3) if batched else (1,):
        x = {name: array.repeat(count, axis=0) for name, array in cut(first, 1).x.items()}
        try:
            results = runner.run(x)
            again = runner.run(x) if count == 1 else results
        except ToolkitError as error:
            # Of a folder its code is named, and its loader.
            if error.code != "model-folder-invalid":
                raise
            raise _refuse(source, error.message, _OTHER_SAMPLES, error.__cause__ or error) from error
        except Exception as error:
            shapes = ", ".join(f"{name} {list(array.shape)}" for name, array in x.items())
            raise _refuse(
                source,
                f"The model fails on generated samples ({shapes}): {str(error).splitlines()[0]}",
                _OTHER_SAMPLES,
                error,
            ) from error
        _check_output(source, results, signature, count)
        if not _same(results, again):
            report.warning(
                f"{source.name} answers the same sample differently the second time: it draws random numbers or keeps "
                "a state, so that its outputs cannot be compared with those of Triton"
            )


def _tensors(graph: Any) -> Iterator[Any]:
    """Values that a graph or a function holds, with those of the graphs in it."""
    yield from getattr(graph, "initializer", ())
    for node in graph.node:
        for attribute in node.attribute:
            yield attribute.t
            yield from attribute.tensors
            for inner in (attribute.g, *attribute.graphs):
                yield from _tensors(inner)


def _write_onnx(source: Path, target: Path) -> int:
    """A copy, byte for byte, or one file of the model and the weights beside it; gives the operator set."""
    import onnx

    model = onnx.load(str(source), load_external_data=False)
    # A constant may lie beside the model too, not only a weight.
    tensors = (item for graph in (model.graph, *model.functions) for item in _tensors(graph))
    if not any(onnx.external_data_helper.uses_external_data(item) for item in tensors):
        copy_file(source, target)
        return onnx_opset(model)
    whole = read_onnx(source)
    if whole.ByteSize() > _LARGEST_MESSAGE:
        raise _refuse(
            source,
            "With its weights the model is larger than the 2 GiB that one file can hold",
            "Convert it to a smaller precision, or serve it from your own model repository.",
        )
    save_onnx(whole, target)
    return onnx_opset(whole)


def _write_torchscript(source: Path, target: Path, signature: Signature) -> int:
    """The same module with its signature inside; gives the number of parameters."""
    module = load_foreign_torchscript(source)
    require_free_device(module, "model-file-invalid", str(source))
    with replacing(target) as partial:
        save_torchscript(module, signature, partial)
    return sum(parameter.numel() for parameter in module.parameters())


def _pass_on_savedmodel(
    source: Path,
    kind: str,
    signature: Signature,
    folder: ModelFolder,
    output: Path,
    opset: int,
    report: Report,
) -> dict[str, Any]:
    from .formats.savedmodel_file import (
        copy_savedmodel,
        count_parameters,
        load_foreign_savedmodel,
        write_as_onnx,
    )

    runner = load_foreign_savedmodel(source)
    report.progress(0.3, "Trying the model")
    _try(source, LiftedRunner(runner, signature), signature, folder, report)
    parameters = count_parameters(runner)
    if kind == "tf-savedmodel":
        report.progress(0.7, "Copying the folder")
        copy_savedmodel(source, output, signature, parameters)
        report.progress(1.0, "Passed on")
        return artefact_fields(output, signature, parameters, None, report)
    report.progress(0.5, "Converting to ONNX")
    written = write_as_onnx(runner, source, signature, opset, output)
    report.progress(0.8, "Trying the converted file")
    _try(output, LiftedRunner(_onnx_runner(output), signature), signature, folder, report)
    report.progress(1.0, "Converted")
    return artefact_fields(output, signature, parameters, written, report)


def pass_on(
    source: Path,
    kind: str,
    signature: Signature,
    folder: ModelFolder,
    output: Path,
    opset: int,
    report: Report,
) -> dict[str, Any]:
    """The verb export for a file: tried on samples of the folder's loader, then written to `output`.

    `opset`: of an ONNX file that is made from another kind.
    """
    if source.is_dir():
        return _pass_on_savedmodel(source, kind, signature, folder, output, opset, report)
    runner = _onnx_runner(source) if kind == "onnx" else TorchScriptRunner(source, signature)
    report.progress(0.3, "Trying the model")
    _try(source, LiftedRunner(runner, signature), signature, folder, report)
    report.progress(0.7, "Writing the file")
    if kind == "onnx":
        opset = _write_onnx(source, output)
        report.progress(1.0, "Passed on")
        return artefact_fields(output, signature, None, opset, report)
    parameters = _write_torchscript(source, output, signature)
    report.progress(1.0, "Passed on")
    return artefact_fields(output, signature, parameters, None, report)
