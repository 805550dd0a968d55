"""ONNX files: check, write, signature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

from .datatypes import numpy_dtype, triton_datatype
from .errors import ToolkitError
from .files import replacing
from .signature import Signature, Tensor

_PARAMETERS = "parameters"


def _load(path: Path, check: bool) -> Any:
    import onnx

    if not path.is_file():
        raise ToolkitError("input-invalid", f"There is no file {path}", where=str(path))
    try:
        model = onnx.load(str(path))
        if check:
            onnx.checker.check_model(model)
    except Exception as error:
        raise ToolkitError(
            "input-invalid", f"{path.name} is no valid ONNX model", where=str(path), details=str(error)
        ) from error
    return model


def load_onnx(path: Path) -> Any:
    """Loads and checks. Throws input-invalid."""
    return _load(path, check=True)


def read_onnx(path: Path) -> Any:
    """Loads with its external weights; whether it can be run is for its runtime to say. Throws input-invalid."""
    return _load(path, check=False)


def infer_and_check(model: Any) -> Any:
    """Adds inferred shapes and checks the whole. Throws toolkit-failed."""
    import onnx

    try:
        inferred = onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
        onnx.checker.check_model(inferred)
    except Exception as error:
        raise ToolkitError(
            "toolkit-failed", "The ONNX model does not pass the checker", details=str(error)
        ) from error
    return inferred


def save_onnx(model: Any, path: Path) -> None:
    import onnx

    with replacing(path) as partial:
        onnx.save(model, str(partial))


def onnx_signature(model: Any) -> Signature:
    """From the graph; symbolic dimensions are -1."""
    import onnx

    def tensor(value: Any) -> Tensor:
        kind = value.type.tensor_type
        dtype = onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type)
        shape = [dim.dim_value if dim.HasField("dim_value") else -1 for dim in kind.shape.dim]
        return Tensor(value.name, triton_datatype(dtype), shape)

    weights = {item.name for item in model.graph.initializer}
    inputs = [tensor(value) for value in model.graph.input if value.name not in weights]
    return Signature(inputs, [tensor(value) for value in model.graph.output])


def declare_inputs(model: Any, inputs: Sequence[Tensor], axes: Mapping[str, Mapping[int, str]]) -> None:
    """The graph's inputs become `inputs`, in this order: the exporter drops those that the model does not read.

    `axes`: names of the dimensions that vary, by input and place.
    """
    import onnx

    found = {value.name: value for value in model.graph.input}
    wanted = []
    for tensor in inputs:
        kind = onnx.helper.np_dtype_to_tensor_dtype(numpy_dtype(tensor.datatype))
        names = axes.get(tensor.name, {})
        shape = [names.get(axis, size) for axis, size in enumerate(tensor.shape)]
        made = onnx.helper.make_tensor_value_info(tensor.name, kind, shape)
        wanted.append(found.pop(tensor.name, made))
    del model.graph.input[:]
    model.graph.input.extend([*wanted, *found.values()])


def onnx_opset(model: Any) -> int:
    return max(int(item.version) for item in model.opset_import if item.domain in ("", "ai.onnx"))


def set_parameters(model: Any, count: int) -> None:
    """Notes the number of parameters of the source: folding constants changes what the file itself holds."""
    for item in model.metadata_props:
        if item.key == _PARAMETERS:
            item.value = str(count)
            return
    model.metadata_props.add(key=_PARAMETERS, value=str(count))


def get_parameters(model: Any) -> Optional[int]:
    values = [item.value for item in model.metadata_props if item.key == _PARAMETERS]
    return int(values[0]) if values and values[0].isdigit() else None


def _casts_to(graph: Any, elem_type: int) -> list[Any]:
    """The attributes `to` of that value, of all Cast nodes, those of inner graphs as well."""
    found = []
    for node in graph.node:
        for attribute in node.attribute:
            if node.op_type == "Cast" and attribute.name == "to" and attribute.i == elem_type:
                found.append((node.output[0], attribute))
            if attribute.HasField("g"):
                found.extend(_casts_to(attribute.g, elem_type))
    return found


def to_float16(model: Any) -> Any:
    """All float32 becomes float16, inputs and outputs too, but for operators that have no float16."""
    from onnx import TensorProto
    from onnxconverter_common import float16

    own = {name for name, _ in _casts_to(model.graph, TensorProto.FLOAT)}
    converted = float16.convert_float_to_float16(model, keep_io_types=False)
    # The converter leaves the model's own casts at float32 although it declares their results float16.
    for name, attribute in _casts_to(converted.graph, TensorProto.FLOAT):
        if name in own:
            attribute.i = TensorProto.FLOAT16
    return converted
