"""SavedModels: write, copy; those of any origin are checked by running them, or made to ONNX through tf2onnx."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, Optional

import numpy as np

from ..datatypes import numpy_dtype
from ..errors import ToolkitError
from ..files import replacing
from ..keras_model import NOTES, SavedModelRunner, import_tensorflow, read_notes, write_savedmodel
from ..runners import Runner
from ..signature import Signature
from .model_format import Conversion, Converted, Export, ModelFormat
from .onnx_file import onnx_opset, save_onnx, set_parameters


def load_foreign_savedmodel(path: Path) -> SavedModelRunner:
    """Loading one runs operations that it holds. Throws model-folder-invalid."""
    try:
        return SavedModelRunner(path)
    except ToolkitError as error:
        if error.code != "input-invalid":
            raise
        reason = (error.details or error.message).strip().splitlines()[0]
        raise ToolkitError(
            "model-folder-invalid",
            f"TensorFlow cannot load {path.name}: {reason}",
            where=str(path),
            remedy="Save it again with TensorFlow's own operations, this TensorFlow or an older one.",
            details=error.details,
        ) from error


def count_parameters(runner: SavedModelRunner) -> Optional[int]:
    """Of the variables that the signature reads and that training changes; None where all are constants."""
    variables = [variable for variable in runner.call.variables if variable.trainable]
    return sum(int(np.prod(variable.shape)) for variable in variables) if variables else None


def copy_savedmodel(source: Path, target: Path, signature: Signature, parameters: Optional[int]) -> None:
    """The folder as it is, with the signature as it is served noted where TensorFlow leaves it alone."""
    with replacing(target) as partial:
        shutil.copytree(source, partial)
        notes = partial / NOTES
        notes.parent.mkdir(exist_ok=True)
        notes.write_text(json.dumps({**signature.fields(), "parameters": parameters}), encoding="utf-8")


def _to_onnx(runner: SavedModelRunner, signature: Signature, opset: int, path: Path) -> Any:
    tensorflow = import_tensorflow()
    import tf2onnx
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

    names = [tensor.name for tensor in signature.inputs]
    specs = [
        tensorflow.TensorSpec(
            [
                None if size == -1 else size
                for size in (tensor.shape if tensor.reshape is None else tensor.reshape)
            ],
            tensorflow.as_dtype(numpy_dtype(tensor.datatype)),
            name=tensor.name,
        )
        for tensor in signature.inputs
    ]

    def serve(*tensors: Any) -> dict[str, Any]:
        results = runner.call(**dict(zip(names, tensors)))
        # One output under two names would lose one of them.
        return {tensor.name: tensorflow.identity(results[tensor.name]) for tensor in signature.outputs}

    try:
        function = tensorflow.function(serve).get_concrete_function(*specs)
        # Frozen here: tf2onnx takes constants that a function holds for more of its inputs.
        frozen = convert_variables_to_constants_v2(function, lower_control_flow=False)
        given = {tensor.name: name for tensor, name in zip(frozen.inputs, names)}
        kept = {
            tensor.name: name for tensor, name in zip(frozen.outputs, sorted(function.structured_outputs))
        }
        converted, _ = tf2onnx.convert.from_graph_def(
            frozen.graph.as_graph_def(add_shapes=True),
            input_names=list(given),
            output_names=list(kept),
            tensors_to_rename={**given, **kept},
            opset=opset,
        )
    except Exception as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ToolkitError(
            "model-folder-invalid",
            f"{path.name} cannot be converted to ONNX operator set {opset}: {reason}",
            where=str(path),
            remedy="Choose the format tf-savedmodel, or another operator set with --set onnxOpset=15.",
            details=str(error),
        ) from error
    return converted


def write_as_onnx(
    runner: SavedModelRunner, source: Path, signature: Signature, opset: int, target: Path
) -> int:
    """Through tf2onnx; gives the operator set. Throws model-folder-invalid for operations without a counterpart."""
    converted = _to_onnx(runner, signature, opset, source)
    for side, values, tensors in (
        ("input", converted.graph.input, signature.inputs),
        ("output", converted.graph.output, signature.outputs),
    ):
        absent = {tensor.name for tensor in tensors} - {value.name for value in values}
        if absent:
            raise ToolkitError(
                "model-folder-invalid",
                f"As ONNX the model has no {side} {', '.join(sorted(absent))}",
                where=str(source),
                remedy="Choose the format tf-savedmodel, or save the model with plain tensor names.",
            )
    parameters = count_parameters(runner)
    if parameters is not None:
        set_parameters(converted, parameters)
    save_onnx(converted, target)
    return onnx_opset(converted)


def _write(export: Export, path: Path) -> None:
    write_savedmodel(export.model, export.signature, path)


def _open(path: Path, signature: Signature, device: str) -> Runner:
    del signature, device
    return SavedModelRunner(path)


def _convert(conversion: Conversion) -> Converted:
    signature, parameters = read_notes(conversion.source)
    if conversion.precision != "fp32":
        raise ToolkitError(
            "combination-unsupported",
            f"A SavedModel is not converted to {conversion.precision}",
            where="--precision",
            remedy="Half precision comes from the backend accelerator amp on a GPU, or from the format ONNX.",
        )
    with replacing(conversion.target) as partial:
        shutil.copytree(conversion.source, partial)
    return Converted(signature, parameters)


SAVEDMODEL = ModelFormat({"tf": _write}, _open, _convert, is_folder=True)
