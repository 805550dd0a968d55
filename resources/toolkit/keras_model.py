"""A model folder whose model is Keras on TensorFlow: load, run, weights, export."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Optional

import numpy as np

from .batches import Tensors
from .datatypes import numpy_dtype, triton_datatype
from .errors import ToolkitError
from .model_folder import ModelFolder
from .returned import returned
from .runners import CPU, Device, check_type
from .signature import Signature, Tensor, parse_signature

_SIGNATURE_KEY = "serving_default"
#: Files that SavedModel keeps beside the graph and that its loaders leave alone.
NOTES = Path("assets.extra") / "workbench.json"


def import_tensorflow() -> Any:
    """Throws toolchain-missing where this Python has no TensorFlow."""
    # Warnings and errors only: what devices it looks for is no news.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")
    os.environ.setdefault("KERAS_BACKEND", "tensorflow")
    try:
        import tensorflow
    except ImportError as error:
        raise ToolkitError(
            "toolchain-missing",
            "TensorFlow is not installed",
            where="--framework",
            details=str(error),
        ) from error
    return tensorflow


def tensorflow_device(wanted: str) -> Device:
    """The first GPU that this process sees for "auto", with fp32 as fp32, else the CPU. Before anything is computed."""
    tensorflow = import_tensorflow()
    gpus = tensorflow.config.list_physical_devices("GPU")
    if wanted == "cpu" or not gpus:
        tensorflow.config.set_visible_devices([], "GPU")
        return CPU
    tensorflow.config.experimental.enable_tensor_float_32_execution(False)
    tensorflow.config.set_visible_devices(gpus[:1], "GPU")
    # It would take all of the memory, of which Triton has its part.
    tensorflow.config.experimental.set_memory_growth(gpus[0], True)
    details = tensorflow.config.experimental.get_device_details(gpus[0])
    return Device("cuda", str(details.get("device_name", "GPU")))


class KerasModel(NamedTuple):
    module: Any
    inputs: list[str]
    outputs: list[str]

    @property
    def parameters(self) -> int:
        return int(sum(int(np.prod(variable.shape)) for variable in self.module.trainable_variables))


def load_keras_model(folder: ModelFolder, checkpoint: Optional[Path], seed: int) -> KerasModel:
    """The folder's model with the weights of the checkpoint, or its own seeded ones; fp32."""
    import_tensorflow()
    import keras

    keras.utils.set_random_seed(seed)
    value: Any = folder.call("model")
    try:
        module, names = value
        model = KerasModel(module, list(names["inputs"]), list(names["outputs"]))
    except (TypeError, ValueError, KeyError) as error:
        raise ToolkitError(
            "model-folder-invalid",
            'get_model must return (model, {"inputs": [names], "outputs": [names]})',
            where=str(folder.path / "model.py"),
        ) from error
    if not isinstance(module, keras.Model):
        raise ToolkitError(
            "model-folder-invalid",
            f"get_model returns a {type(module).__name__}, not a Keras model",
            where=str(folder.path / "model.py"),
        )
    if checkpoint is not None:
        load_weights(module, checkpoint)
    return model


def save_weights(module: Any, path: Path) -> None:
    """Arrays by the variables' paths: data only, readable without TensorFlow."""
    with path.open("wb") as file:
        np.savez(file, **{variable.path: variable.numpy() for variable in module.variables})


def _refuse_weights(path: Path, message: str, details: Optional[str] = None) -> ToolkitError:
    return ToolkitError(
        "checkpoint-invalid",
        f"{path.name}: {message}",
        where=str(path),
        remedy="Use an .npz file with one array per variable of this model and profile.",
        details=details,
    )


def read_weights(path: Path) -> Tensors:
    """Throws checkpoint-invalid."""
    if not path.is_file():
        raise _refuse_weights(path, "the file does not exist")
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except Exception as error:
        raise _refuse_weights(path, "cannot be read as weights", str(error)) from error


def load_weights(module: Any, path: Path) -> None:
    """Throws checkpoint-invalid."""
    fill_weights(module, read_weights(path), path)


def fill_weights(module: Any, given: Mapping[str, Any], path: Path) -> None:
    """All of them or none. Throws checkpoint-invalid naming the first that does not fit."""

    def refuse(message: str, details: Optional[str] = None) -> ToolkitError:
        return _refuse_weights(path, message, details)

    wanted = {variable.path: variable for variable in module.variables}
    # The state of a dropout's random numbers has no part in inference; published checkpoints lack it.
    wanted, given = (
        {name: value for name, value in part.items() if not name.endswith("seed_generator_state")}
        for part in (wanted, given)
    )
    lone = sorted(set(given) ^ set(wanted))
    if lone:
        kind = "is missing" if lone[0] in wanted else "is unexpected"
        raise refuse(f"{lone[0]} {kind} ({len(lone)} names differ)", "\n".join(lone))
    for name, variable in wanted.items():
        array = given[name]
        if tuple(array.shape) != tuple(variable.shape):
            raise refuse(f"{name} is {list(array.shape)}, the model expects {list(variable.shape)}")
        if array.dtype.kind not in "fiub" or not np.isfinite(array).all():
            raise refuse(f"{name} holds values that are not finite numbers")
    for name, variable in wanted.items():
        variable.assign(given[name])


def _by_name(value: Any, outputs: Sequence[str]) -> dict[str, Any]:
    return dict(zip(outputs, returned(value, outputs).values))


class KerasRunner:
    """The model itself, without dropout."""

    def __init__(self, model: KerasModel, device: Device = CPU) -> None:
        tensorflow = import_tensorflow()
        self.device = device
        self._model = model
        self._call = tensorflow.function(lambda x: model.module(x, training=False), reduce_retracing=True)

    def run(self, x: Tensors) -> Tensors:
        wanted = {tensor.name.split(":")[0]: tensor.dtype for tensor in self._model.module.inputs}
        absent = [name for name in self._model.inputs if name not in x]
        if absent:
            raise ToolkitError("model-mismatch", f"The loader does not return {absent[0]}", where=absent[0])
        given = {}
        for name in self._model.inputs:
            datatype = triton_datatype(np.dtype(wanted.get(name, x[name].dtype)))
            given[name] = check_type(x, name, datatype)
        results = _by_name(self._call(given), self._model.outputs)
        return {name: tensor.numpy() for name, tensor in results.items()}


def _specs(signature: Signature) -> list[Any]:
    tensorflow = import_tensorflow()
    return [
        tensorflow.TensorSpec(
            [None if size == -1 else size for size in tensor.shape],
            tensorflow.as_dtype(numpy_dtype(tensor.datatype)),
            name=tensor.name,
        )
        for tensor in signature.inputs
    ]


def write_savedmodel(model: KerasModel, signature: Signature, path: Path) -> None:
    """One signature, `serving_default`, with the names of the model's own inputs and outputs."""
    tensorflow = import_tensorflow()

    def serve(**x: Any) -> dict[str, Any]:
        return _by_name(model.module(x, training=False), model.outputs)

    specs = {spec.name: spec for spec in _specs(signature)}
    holder = tensorflow.Module()
    # Without a reference the variables would be constants or lost.
    holder.model = model.module
    function = tensorflow.function(serve).get_concrete_function(**specs)
    tensorflow.saved_model.save(holder, str(path), signatures={_SIGNATURE_KEY: function})
    notes = path / NOTES
    notes.parent.mkdir()
    notes.write_text(json.dumps({**signature.fields(), "parameters": model.parameters}), encoding="utf-8")


def keras_to_onnx(model: KerasModel, signature: Signature, opset: int) -> Any:
    """Through tf2onnx. Throws model-folder-invalid where an operation has no counterpart in that operator set."""
    tensorflow = import_tensorflow()
    import tf2onnx

    def serve(*tensors: Any) -> dict[str, Any]:
        return _by_name(model.module(dict(zip(model.inputs, tensors)), training=False), model.outputs)

    try:
        converted, _ = tf2onnx.convert.from_function(
            tensorflow.function(serve), input_signature=_specs(signature), opset=opset
        )
    except Exception as error:
        raise ToolkitError(
            "model-folder-invalid",
            f"The model cannot be converted to ONNX operator set {opset}",
            where="model.py",
            details=str(error),
        ) from error
    return converted


def read_notes(path: Path) -> tuple[Signature, Optional[int]]:
    """Signature and parameter count of a SavedModel that `export` wrote. Throws input-invalid."""
    try:
        text = (path / NOTES).read_text(encoding="utf-8")
        parameters = json.loads(text)["parameters"]
        return parse_signature(text), None if parameters is None else int(parameters)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ToolkitError(
            "input-invalid",
            f"{path.name} is not a SavedModel written by export",
            where=str(path),
            details=str(error),
        ) from error


def _load_without_optimizer(path: Path) -> Any:
    from tensorflow.core.protobuf import saved_model_pb2

    model = saved_model_pb2.SavedModel()
    model.ParseFromString((path / "saved_model.pb").read_bytes())
    for graph in model.meta_graphs:
        for node in graph.object_graph_def.nodes:
            del node.slot_variables[:]
    with tempfile.TemporaryDirectory() as folder:
        for part in path.resolve().iterdir():
            if part.name != "saved_model.pb":
                (Path(folder) / part.name).symlink_to(part)
        (Path(folder) / "saved_model.pb").write_bytes(model.SerializeToString())
        return import_tensorflow().saved_model.load(folder)


def load_savedmodel(path: Path) -> Any:
    """The loaded object, which has `signatures`.

    A model that an older Keras saved together with its optimizer is loaded without that: this TensorFlow cannot restore
    an optimizer's variables, which no signature reads (tensorflow/tensorflow issue 61972).
    """
    try:
        return import_tensorflow().saved_model.load(str(path))
    except AttributeError:
        return _load_without_optimizer(path)


class SavedModelRunner:
    """The signature `serving_default` of a SavedModel folder."""

    def __init__(self, path: Path, device: Device = CPU) -> None:
        self.device = device
        try:
            # Kept: the signature alone does not hold the variables.
            self._loaded = load_savedmodel(path)
            self.call: Any = self._loaded.signatures[_SIGNATURE_KEY]
        except Exception as error:
            raise ToolkitError(
                "input-invalid", f"TensorFlow cannot load {path.name}", where=str(path), details=str(error)
            ) from error
        given = self.call.structured_input_signature[1]
        self._inputs = [
            Tensor(name, triton_datatype(np.dtype(spec.dtype.as_numpy_dtype)), [])
            for name, spec in given.items()
        ]

    def run(self, x: Tensors) -> Tensors:
        tensorflow = import_tensorflow()
        given = {
            tensor.name: tensorflow.constant(check_type(x, tensor.name, tensor.datatype))
            for tensor in self._inputs
        }
        return {name: value.numpy() for name, value in self.call(**given).items()}
