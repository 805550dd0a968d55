"""A model file of any origin, checked by running it and passed on as the export of the run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Optional

import numpy as np

from .batches import Batches, Tensors, cut
from .checks.model_limits import find_limit
from .datatypes import triton_datatype
from .device_constants import require_free_device
from .errors import ToolkitError, runtime_reason
from .files import copy_file, replacing
from .formats.onnx_file import onnx_opset, read_onnx, save_onnx
from .formats.onnx_versions import older_version
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

#: Sets a run up for a model that has one batch size, 1.
ONE_AT_A_TIME = (
    "Set the maximum batch size to 1, batching to static and the batch sizes to measure to 1: --max-batch-size 1 "
    "--set configure.batching=static --batch-sizes 1. Or export the model with a batch axis that varies."
)

_WRONG_DECLARATION = (
    "Correct the shape that the file declares for the output, or export the model again: Triton checks "
    "responses against the declaration."
)


def _fixed_batch(source: Path, x: Tensors, size: int) -> str:
    """How a file with a batch that is built in says so, which makes it a model without batches."""
    named = " ".join(
        f"--input_name {name} --input_shape {','.join(map(str, (size, *array.shape[1:])))}"
        for name, array in x.items()
    )
    if len(x) > 1:
        return f"Write the batch size {size} into the shapes of the file, or export it with a batch axis that varies."
    return (
        f"Write that batch size into the file: python -m onnxruntime.tools.make_dynamic_shape_fixed {named} "
        f"{source.name} fixed.onnx. Or export the model with a batch axis that varies."
    )


def _refuse(path: Path, message: str, remedy: str, error: Optional[BaseException] = None) -> ToolkitError:
    details = None if error is None else str(error)
    return ToolkitError("model-file-invalid", message, where=str(path), remedy=remedy, details=details)


def _onnx_runner(source: Path) -> Runner:
    try:
        return OnnxRunner(source)
    except ToolkitError as error:
        reason = runtime_reason(error.details or error.message).removeprefix(
            f"Load model from {source} failed:"
        )
        older = older_version(source) if re.search(r"max supported IR|till opset", reason) else None
        raise _refuse(
            source,
            f"ONNX Runtime cannot load {source.name}: {reason.strip()}",
            older or "Export it again with an operator set and operators that this ONNX Runtime supports.",
        ) from error


def _check_output(source: Path, results: Tensors, signature: Signature, count: int) -> None:
    for tensor in signature.outputs:
        array = results[tensor.name]
        found = f"{triton_datatype(array.dtype)} {list(array.shape)}"
        wanted = [count if axis == 0 and size == -1 else size for axis, size in enumerate(tensor.shape)]
        same_rank = len(wanted) == array.ndim
        fits = same_rank and all(a in (-1, b) for a, b in zip(wanted, array.shape))
        if fits and triton_datatype(array.dtype) == tensor.datatype:
            continue
        batch = f" for a batch of {count}" if count > 1 else ""
        # Only the first axis is another one, and only of a batch.
        of_batch = count > 1 and same_rank and all(a in (-1, b) for a, b in zip(wanted[1:], array.shape[1:]))
        raise _refuse(
            source,
            f"The output {tensor.name} is {found}{batch}, but the file declares {tensor.datatype} {tensor.shape}",
            ONE_AT_A_TIME if of_batch else _WRONG_DECLARATION,
        )


def _same(first: Tensors, second: Tensors) -> bool:
    """Up to the rounding of sums in another order; NaN equals NaN."""
    return all(
        array.shape == second[name].shape
        and np.allclose(array, second[name], rtol=1e-3, atol=1e-5, equal_nan=True)
        if array.dtype.kind == "f"
        else np.array_equal(array, second[name])
        for name, array in first.items()
    )


def _given(x: Tensors) -> str:
    return ", ".join(f"{name} {list(array.shape)}" for name, array in x.items())


def _failed(
    source: Path, runner: Runner, signature: Signature, x: Tensors, count: int, error: Exception
) -> ToolkitError:
    """Why the model fails on `x`, and what it takes in place of that."""
    # Of a folder its code is named, and its loader.
    told = isinstance(error, ToolkitError)
    reason = error.message if isinstance(error, ToolkitError) else runtime_reason(error)
    cause = (error.__cause__ if told else None) or error
    if count > 1:
        # One sample went well a moment ago.
        return _refuse(
            source,
            f"{source.name} works only at batch size 1; a batch of {count} fails: {reason}",
            ONE_AT_A_TIME,
            cause if isinstance(cause, Exception) else error,
        )
    batched = all(tensor.shape[:1] == [-1] for tensor in signature.inputs)
    limit = find_limit(runner.run, x, signature, batched)
    message = reason if told else f"The model fails on its samples ({_given(x)}): {reason}"
    remedy = _OTHER_SAMPLES
    if limit is not None and limit.batch is not None:
        message = f"{source.name} works at batch size {limit.batch} only; one sample fails: {reason}"
        remedy = _fixed_batch(source, x, limit.batch)
    elif limit is not None and limit.shapes is not None:
        # With an axis in front that the file does not have.
        lifted = {tensor.name for tensor in signature.inputs if tensor.reshape is not None}
        axes = ", ".join(
            f"axis {axis - 1 if name in lifted else axis} of {name}"
            for name, places in (limit.axes or {}).items()
            for axis in places
        )
        message = f"{source.name} works up to length {limit.length} ({axes}); {limit.failed} fails: {reason}"
        shapes = " ".join(
            f"--shape {name}={','.join(map(str, shape[1:] if name in lifted else shape))}"
            for name, shape in limit.shapes.items()
        )
        remedy = f"Set samples of that length or shorter: {shapes}"
    return _refuse(source, message, remedy, cause if isinstance(cause, Exception) else error)


def _try(
    source: Path, runner: Runner, signature: Signature, folder: ModelFolder, most: int, report: Report
) -> None:
    """Runs the file on one sample twice and, where the first axis varies, on three, or `most` where that is fewer.
    Throws model-file-invalid.
    """
    batched = all(tensor.shape[:1] == [-1] for tensor in signature.inputs)
    first = next(iter(Batches(folder, 1)))
    for count in sorted({1, min(3, most)}) if batched else (1,):
        x = {name: array.repeat(count, axis=0) for name, array in cut(first, 1).x.items()}
        try:
            results = runner.run(x)
            again = runner.run(x) if count == 1 else results
        except MemoryError:
            raise
        except Exception as error:
            if isinstance(error, ToolkitError) and error.code != "model-folder-invalid":
                raise
            raise _failed(source, runner, signature, x, count, error) from error
        _check_output(source, results, signature, count)
        if not _same(results, again):
            report.warning(
                f"{source.name} returns other outputs for the same sample the second time: it draws random numbers "
                "or keeps a state, so its outputs cannot be compared with those of Triton"
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


def _without_zip_maps(model: Any) -> bool:
    """The tensor in place of the maps that are made of it, under their name. Gives whether there were any."""
    import onnx

    outputs = {value.name: value for value in model.graph.output}
    found = [node for node in model.graph.node if node.op_type == "ZipMap" and node.output[0] in outputs]
    for node in found:
        labels = max((len(item.ints) or len(item.strings) for item in node.attribute), default=0)
        value = outputs[node.output[0]]
        shape = onnx.helper.make_tensor_value_info(value.name, onnx.TensorProto.FLOAT, [None, labels])
        value.CopyFrom(shape)
        node.CopyFrom(onnx.helper.make_node("Identity", list(node.input), list(node.output)))
    return bool(found)


def _write_onnx(source: Path, target: Path) -> int:
    """A copy, byte for byte, or one file of the model and the weights beside it, without maps as outputs; gives the
    operator set.
    """
    import onnx

    model = onnx.load(str(source), load_external_data=False)
    # A constant may lie beside the model too, not only a weight.
    tensors = (item for graph in (model.graph, *model.functions) for item in _tensors(graph))
    is_changed = _without_zip_maps(model)
    if not any(onnx.external_data_helper.uses_external_data(item) for item in tensors):
        if is_changed:
            save_onnx(model, target)
        else:
            copy_file(source, target)
        return onnx_opset(model)
    whole = read_onnx(source)
    _without_zip_maps(whole)
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
    most: int,
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
    _try(source, LiftedRunner(runner, signature), signature, folder, most, report)
    parameters = count_parameters(runner)
    if kind == "tf-savedmodel":
        report.progress(0.7, "Copying the folder")
        copy_savedmodel(source, output, signature, parameters)
        report.progress(1.0, "Passed on")
        return artefact_fields(output, signature, parameters, None, report)
    report.progress(0.5, "Converting to ONNX")
    written = write_as_onnx(runner, source, signature, opset, output)
    report.progress(0.8, "Trying the converted file")
    _try(output, LiftedRunner(_onnx_runner(output), signature), signature, folder, most, report)
    report.progress(1.0, "Converted")
    return artefact_fields(output, signature, parameters, written, report)


def pass_on(
    source: Path,
    kind: str,
    signature: Signature,
    folder: ModelFolder,
    output: Path,
    opset: int,
    most: int,
    report: Report,
) -> dict[str, Any]:
    """The verb export for a file: tried on samples of the folder's loader, then written to `output`.

    `opset`: of an ONNX file that is made from another kind; `most`: samples that a request of the run may have.
    """
    if source.is_dir():
        return _pass_on_savedmodel(source, kind, signature, folder, output, opset, most, report)
    runner = _onnx_runner(source) if kind == "onnx" else TorchScriptRunner(source, signature)
    report.progress(0.3, "Trying the model")
    _try(source, LiftedRunner(runner, signature), signature, folder, most, report)
    report.progress(0.7, "Writing the file")
    if kind == "onnx":
        opset = _write_onnx(source, output)
        report.progress(1.0, "Passed on")
        return artefact_fields(output, signature, None, opset, report)
    parameters = _write_torchscript(source, output, signature)
    report.progress(1.0, "Passed on")
    return artefact_fields(output, signature, parameters, None, report)
