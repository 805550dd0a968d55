"""ONNX files: check, write, convert, signature."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

from ..datatypes import numpy_dtype, triton_datatype
from ..errors import ToolkitError, runtime_reason
from ..files import copy_file, replacing
from ..runners import OnnxRunner, Runner
from ..signature import Signature, Tensor
from .model_format import Conversion, Converted, Export, ModelFormat

_PARAMETERS = "parameters"
#: Constants up to here may say shapes; those above are weights.
_MOST_SHAPE_BYTES = 4096


def _load(path: Path, check: bool) -> Any:
    import onnx

    if not path.is_file():
        raise ToolkitError("input-invalid", f"There is no file {path}", where=str(path))
    try:
        if check:
            # Of the file: a model that is loaded would be written out once more for the checker.
            onnx.checker.check_model(str(path))
        model = onnx.load(str(path))
    except Exception as error:
        raise ToolkitError(
            "input-invalid", f"{path.name} is not a valid ONNX model", where=str(path), details=str(error)
        ) from error
    return model


def load_onnx(path: Path) -> Any:
    """Loads and checks. Throws input-invalid."""
    return _load(path, check=True)


def read_onnx(path: Path) -> Any:
    """Loads with its external weights; whether it can be run is for its runtime to say. Throws input-invalid."""
    return _load(path, check=False)


def _unfit(error: Exception) -> ToolkitError:
    return ToolkitError("toolkit-failed", "The ONNX model does not pass the checker", details=str(error))


def _without_weights(model: Any) -> Any:
    """The model with the shapes of its weights and not their values."""
    import onnx

    light = onnx.ModelProto()
    for owner, copy in ((model, light), (model.graph, light.graph)):
        for field, value in owner.ListFields():
            if field.name in ("graph", "initializer"):
                continue
            if hasattr(value, "extend"):
                getattr(copy, field.name).extend(value)
            elif field.message_type is not None:
                getattr(copy, field.name).CopyFrom(value)
            else:
                setattr(copy, field.name, value)
    for tensor in model.graph.initializer:
        if tensor.ByteSize() <= _MOST_SHAPE_BYTES:
            light.graph.initializer.append(tensor)
        else:
            light.graph.initializer.add(name=tensor.name, data_type=tensor.data_type, dims=tensor.dims)
    return light


def infer_shapes(model: Any) -> None:
    """Adds inferred shapes. Throws toolkit-failed."""
    import onnx

    try:
        # Weights would be written and read once each way, and no shape depends on them.
        inferred = onnx.shape_inference.infer_shapes(
            _without_weights(model), check_type=True, strict_mode=True
        )
    except Exception as error:
        raise _unfit(error) from error
    for name in ("node", "value_info", "output"):
        model.graph.ClearField(name)
        getattr(model.graph, name).extend(getattr(inferred.graph, name))


def save_onnx(model: Any, path: Path) -> None:
    import onnx

    with replacing(path) as partial:
        onnx.save(model, str(partial))


def save_checked(model: Any, path: Path) -> None:
    """Throws toolkit-failed, without a file, where the checker refuses it."""
    import onnx

    with replacing(path) as partial:
        onnx.save(model, str(partial))
        try:
            onnx.checker.check_model(str(partial))
        except Exception as error:
            raise _unfit(error) from error


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


def _use_other(graph: Any, name: str, other: str) -> None:
    """What takes that tensor takes the other one, in inner graphs as well."""
    for node in graph.node:
        for index, given in enumerate(node.input):
            if given == name:
                node.input[index] = other
        for attribute in node.attribute:
            if attribute.HasField("g"):
                _use_other(attribute.g, name, other)


def _part_outputs(graph: Any) -> None:
    """Each output comes from an Identity, unused elsewhere: the converter renames what makes an output that keeps
    its type, and leaves other uses of it behind."""
    import onnx

    for name in [value.name for value in graph.output]:
        own = f"{name}_own"
        _use_other(graph, name, own)
        for node in graph.node:
            for index, made in enumerate(node.output):
                if made == name:
                    node.output[index] = own
        graph.node.append(onnx.helper.make_node("Identity", [own], [name]))


def to_float16(model: Any, keep_io_types: bool = False) -> Any:
    """All float32 becomes float16, but for operators that have none; inputs and outputs too unless they are kept."""
    from onnx import TensorProto
    from onnxconverter_common import float16

    if keep_io_types:
        _part_outputs(model.graph)
    own = {name for name, _ in _casts_to(model.graph, TensorProto.FLOAT)}
    converted = float16.convert_float_to_float16(model, keep_io_types=keep_io_types)
    # The converter leaves the model's own casts at float32 although it declares their results float16.
    for name, attribute in _casts_to(converted.graph, TensorProto.FLOAT):
        if name in own:
            attribute.i = TensorProto.FLOAT16
    return converted


def _write_own(export: Export, path: Path) -> None:
    """Of a module that another library computes, which a trace would not see: it writes its graph itself."""
    signature, opset = export.signature, export.options.opset
    written = export.model.module.to_onnx(opset)
    found = [[value.name for value in side] for side in (written.graph.input, written.graph.output)]
    wanted = [[tensor.name for tensor in side] for side in (signature.inputs, signature.outputs)]
    if found != wanted or onnx_opset(written) > opset:
        raise ToolkitError(
            "toolkit-failed",
            f"The model wrote {found} in operator set {onnx_opset(written)}, not {wanted} in {opset}",
        )
    save_checked(written, path)


def _write(export: Export, path: Path) -> None:
    import torch

    model, signature, opset = export.model, export.signature, export.options.opset
    if hasattr(model.module, "to_onnx"):
        _write_own(export, path)
        return
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
            # Of LSTMs; whether the file takes another batch size is tried out afterwards.
            warnings.filterwarnings(
                "ignore", message="Exporting a model to ONNX with a batch_size other than 1"
            )
            try:
                torch.onnx.export(
                    model.module,
                    export.arguments(),
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
        set_parameters(exported, export.parameters)
        save_checked(exported, partial)


def _write_keras(export: Export, path: Path) -> None:
    from ..keras_model import keras_to_onnx

    converted = keras_to_onnx(export.model, export.signature, export.options.opset)
    infer_shapes(converted)
    set_parameters(converted, export.parameters)
    save_checked(converted, path)


def _open(path: Path, signature: Signature, device: str) -> Runner:
    del signature, device
    return OnnxRunner(path)


def _convert(conversion: Conversion) -> Converted:
    source, target, precision, foreign, report = conversion
    model = read_onnx(source) if foreign else load_onnx(source)
    parameters = get_parameters(model)
    if precision == "fp32":
        copy_file(source, target)
        return Converted(onnx_signature(model), parameters, onnx_opset(model))
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
    if foreign:
        # What the converter made must load before it is served.
        try:
            OnnxRunner(target)
        except ToolkitError as error:
            reason = runtime_reason(error.details or error.message)
            raise ToolkitError(
                "combination-unsupported",
                f"The model cannot be used in float16: {reason}",
                where=str(source),
                remedy="Choose the precision fp32, in which the file stays as it is.",
                details=error.details,
            ) from error
    return Converted(onnx_signature(converted), parameters, onnx_opset(converted))


ONNX = ModelFormat({"pyt": _write, "tf": _write_keras}, _open, _convert)
