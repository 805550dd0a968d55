"""A model run in this process: PyTorch code, TorchScript or ONNX; numpy arrays in and out."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from .batches import Tensors
from .checkpoint import load_checkpoint
from .datatypes import is_of
from .dumps import Lengths
from .errors import ToolkitError
from .model_folder import ModelFolder
from .returned import plain_module, returned
from .signature import Signature, parse_signature
from .texts import as_texts, is_text

if TYPE_CHECKING:
    import torch

#: Member of a TorchScript archive that holds the signature.
SIGNATURE_FILE = "signature.json"


class Runner(Protocol):
    @property
    def device(self) -> Device:
        """Where it has computed."""
        ...

    def run(self, x: Tensors) -> Tensors:
        """One batch."""
        ...


#: By the input that has ones for what counts and zeros behind it: inputs and outputs whose first axis behind the batch
#: it covers.
Masks = dict[str, list[str]]


class LoadedModel(NamedTuple):
    """`lengths`: outputs whose last axis is valid up to what another output says for each sample, by their names; None
    where a mask among the inputs covers them.
    """

    module: torch.nn.Module
    inputs: list[str]
    outputs: list[str]
    lengths: Lengths
    masks: Masks


def load_model(folder: ModelFolder, checkpoint: Path | None) -> LoadedModel:
    """The folder's model with the weights of the checkpoint, or its own seeded ones; in evaluation mode, fp32."""
    value: Any = folder.call("model")
    try:
        module, names = value
        inputs, outputs = list(names["inputs"]), list(names["outputs"])
        masks: Masks = {str(name): list(covered) for name, covered in names.get("masks", {}).items()}
        covered_names = {name for covered in masks.values() for name in covered}
        if not {*masks} <= {*inputs} or not covered_names <= {*inputs, *outputs}:
            raise ValueError("masks name no tensor")
        lengths: Lengths = dict(names.get("lengths", {}))
        if not {*lengths, *lengths.values()} <= {*outputs}:
            raise ValueError("lengths name no output")
        lengths.update(dict.fromkeys(name for name in outputs if name in covered_names))
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise ToolkitError(
            "model-folder-invalid",
            'get_model must return (module, {"inputs": [names], "outputs": [names]}), and may add "lengths": '
            '{output: output with the valid size of its last axis} and "masks": {input: [tensors that it covers]}',
            where=str(folder.path / "model.py"),
        ) from error
    if not callable(getattr(module, "eval", None)):
        raise ToolkitError(
            "model-folder-invalid",
            f"get_model returns a {type(module).__name__} instead of a torch module",
            where=str(folder.path / "model.py"),
        )
    if checkpoint is not None:
        load_checkpoint(module, checkpoint)
    return LoadedModel(module.eval(), inputs, outputs, lengths, masks)


class Device(NamedTuple):
    """Where a framework computes. `title`: for people, "cpu" or the name of the GPU."""

    name: str
    title: str


CPU = Device("cpu", "cpu")


def torch_device(wanted: str) -> Device:
    """The first GPU that this process sees for "auto", else the CPU.

    fp32 is fp32 there: PyTorch and the libraries below it would else round the factors of products to 10 bits (TF32),
    which NVIDIA's image asks for in its environment.
    """
    if wanted == "cpu":
        return CPU
    for name in ("NVIDIA_TF32_OVERRIDE", "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE"):
        os.environ[name] = "0"
    import torch

    if not torch.cuda.is_available():
        return CPU
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    return Device("cuda", torch.cuda.get_device_name())


class ModuleRunner:
    """A torch module, eager or scripted, called with its inputs in order."""

    def __init__(
        self,
        module: torch.nn.Module,
        inputs: Sequence[str],
        outputs: Sequence[str],
        device: Device = CPU,
        on_cpu: Callable[[str], None] = lambda _why: None,
    ) -> None:
        """`on_cpu`: told why the rest runs on the CPU, where the GPU did not do."""
        self._module = module.to(device.name)
        self._inputs = inputs
        self._outputs = outputs
        self._on_cpu = on_cpu
        self._access: list[str] | None = None
        self.device = device

    def plain(self, module: torch.nn.Module) -> torch.nn.Module:
        """The model as a file holds it, without names of outputs. After `run`, which sees what it returns."""
        return module if self._access is None else plain_module(module, len(self._inputs), self._access)

    def _call(self, arguments: Sequence[torch.Tensor]) -> Any:
        import torch

        with torch.inference_mode():
            return self._module(*(tensor.to(self.device.name) for tensor in arguments))

    def _forward(self, arguments: Sequence[torch.Tensor]) -> Any:
        """A GPU may be too small beside Triton, and code may fix a device: the CPU does then."""
        if self.device == CPU:
            return self._call(arguments)
        try:
            return self._call(arguments)
        except RuntimeError as error:
            why = (str(error).strip() or type(error).__name__).splitlines()[0]
            title = self.device.title
        self.device = CPU
        self._module = self._module.to("cpu")
        result = self._call(arguments)
        self._on_cpu(f"The reference ran on the CPU, as {title} did not compute it: {why}")
        return result

    def run(self, x: Tensors) -> Tensors:
        import torch

        texts = [name for name in self._inputs if is_text(_input(x, name))]
        if texts:
            raise ToolkitError(
                "model-folder-invalid",
                f"The loader returns {texts[0]} as text; PyTorch takes numbers and booleans only",
                where="dataloader.py",
            )
        arguments = [torch.from_numpy(np.ascontiguousarray(_input(x, name))) for name in self._inputs]
        try:
            value = self._forward(arguments)
        except MemoryError:
            raise
        except Exception as error:
            given = ", ".join(f"{name} {x[name].dtype} {list(x[name].shape)}" for name in self._inputs)
            text = (str(error).strip() or type(error).__name__).splitlines()
            raise ToolkitError(
                "model-folder-invalid",
                f"forward failed on {given}: {text[-1]}",
                where="model.py, forward",
                remedy="Use the types and shapes in dataloader.py that forward expects.",
                details="".join(traceback.format_exception(type(error), error, error.__traceback__)),
            ) from error
        values, self._access = returned(value, self._outputs)
        if not all(isinstance(value, torch.Tensor) for value in values):
            kinds = ", ".join(type(value).__name__ for value in values)
            raise ToolkitError(
                "model-folder-invalid",
                f"forward gives {kinds} and no tensors as {', '.join(self._outputs)}",
                where="model.py, forward",
                remedy="Let forward return a tensor for each output, or name only those that are tensors.",
            )
        return dict(zip(self._outputs, torch_arrays(values, "model-folder-invalid", "model.py, forward")))


def torch_arrays(tensors: Sequence[torch.Tensor], code: str, where: str) -> list[Any]:
    """Throws `code` for what NumPy has no type for: bfloat16, quantised and sparse tensors."""
    try:
        return [tensor.cpu().numpy() for tensor in tensors]
    except (TypeError, RuntimeError) as error:
        kinds = ", ".join(str(tensor.dtype).replace("torch.", "") for tensor in tensors)
        raise ToolkitError(
            code,
            f"forward returns {kinds}, which cannot be read: {str(error).splitlines()[0]}",
            where=where,
            remedy="Convert the outputs to float32 in forward.",
            details=str(error),
        ) from error


def _input(x: Tensors, name: str) -> Any:
    if name not in x:
        raise ToolkitError(
            "model-mismatch", f"The loader does not return {name}; it returns {', '.join(x)}", where=name
        )
    return x[name]


def save_torchscript(module: Any, signature: Signature, path: Path) -> None:
    """Writes the module with its signature inside. Through memory: on a full disk the library's own writer aborts the
    whole process.
    """
    import torch

    with path.open("wb") as file:
        torch.jit.save(module, file, _extra_files={SIGNATURE_FILE: signature.to_json()})


def load_torchscript(path: Path) -> tuple[Any, Signature]:
    """Throws input-invalid when the file is none that `export` wrote."""
    import torch

    extra: dict[str, Any] = {SIGNATURE_FILE: ""}
    try:
        module = torch.jit.load(str(path), map_location="cpu", _extra_files=extra)
        signature = parse_signature(extra[SIGNATURE_FILE])
    except Exception as error:
        raise ToolkitError(
            "input-invalid",
            f"{path.name} is not a TorchScript file written by export",
            where=str(path),
            details=str(error),
        ) from error
    return module.eval(), signature


def load_foreign_torchscript(path: Path) -> Any:
    """A TorchScript file of any origin. Loading one may run code that it holds. Throws model-file-invalid."""
    import torch

    try:
        return torch.jit.load(str(path), map_location="cpu").eval()
    except Exception as error:
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ToolkitError(
            "model-file-invalid",
            f"PyTorch cannot load {path.name}: {first}",
            where=str(path),
            remedy="Export it again with torch.jit.script or torch.jit.trace of this PyTorch or an older one.",
            details=str(error),
        ) from error


class TorchScriptRunner:
    def __init__(
        self,
        path: Path,
        given: Signature | None = None,
        device: Device = CPU,
        on_cpu: Callable[[str], None] = lambda _why: None,
    ) -> None:
        """`given`: of a file that does not hold its signature."""
        if given is None:
            module, self.signature = load_torchscript(path)
        else:
            module, self.signature = load_foreign_torchscript(path), given
        names = [[tensor.name for tensor in part] for part in (self.signature.inputs, self.signature.outputs)]
        self._runner = ModuleRunner(module, names[0], names[1], device, on_cpu)

    @property
    def device(self) -> Device:
        return self._runner.device

    def run(self, x: Tensors) -> Tensors:
        return self._runner.run({t.name: check_type(x, t.name, t.datatype) for t in self.signature.inputs})


_TRITON_BY_ONNX = {
    "tensor(bool)": "BOOL",
    "tensor(uint8)": "UINT8",
    "tensor(uint16)": "UINT16",
    "tensor(uint32)": "UINT32",
    "tensor(uint64)": "UINT64",
    "tensor(int8)": "INT8",
    "tensor(int16)": "INT16",
    "tensor(int32)": "INT32",
    "tensor(int64)": "INT64",
    "tensor(float16)": "FP16",
    "tensor(float)": "FP32",
    "tensor(double)": "FP64",
    "tensor(string)": "BYTES",
}


#: Of ONNX Runtime on CPU. In float16 it takes 0.00001 for the epsilon of normalisations that share one constant
#: (seen in 1.31); the unfused operations compute what the file says.
_WRONG_IN_FLOAT16 = ["SimplifiedLayerNormFusion"]


def _onnx_session(path: Path) -> Any:
    import onnxruntime

    providers = ["CPUExecutionProvider"]
    session = onnxruntime.InferenceSession(str(path), providers=providers)
    types = {item.type for item in (*session.get_inputs(), *session.get_outputs())}
    if "tensor(float16)" not in types:
        return session
    return onnxruntime.InferenceSession(str(path), providers=providers, disabled_optimizers=_WRONG_IN_FLOAT16)


def _tensor(value: Any) -> Any:
    """Texts as such; a ZipMap's map of classes per row, in ascending order, as a tensor."""
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        return as_texts(value) if isinstance(value, np.ndarray) and value.dtype.kind == "O" else value
    return np.array([[row[label] for label in sorted(row)] for row in value], dtype=np.float32)


class OnnxRunner:
    device = CPU

    def __init__(self, path: Path) -> None:
        try:
            self._session = _onnx_session(path)
        except Exception as error:
            raise ToolkitError(
                "input-invalid", f"ONNX Runtime cannot load {path.name}", where=str(path), details=str(error)
            ) from error
        self._inputs = {
            item.name: _TRITON_BY_ONNX.get(item.type, item.type) for item in self._session.get_inputs()
        }
        self._outputs = [item.name for item in self._session.get_outputs()]

    def run(self, x: Tensors) -> Tensors:
        feeds = {name: check_type(x, name, datatype) for name, datatype in self._inputs.items()}
        results = self._session.run(self._outputs, feeds)
        return dict(zip(self._outputs, map(_tensor, results)))


class LiftedRunner:
    """A model of which some tensors have no batch axis: takes and gives those with a leading axis of 1."""

    def __init__(self, runner: Runner, signature: Signature) -> None:
        self._runner = runner
        self._inputs = {tensor.name for tensor in signature.inputs if tensor.reshape is not None}
        self._outputs = {tensor.name for tensor in signature.outputs if tensor.reshape is not None}

    @property
    def device(self) -> Device:
        return self._runner.device

    def run(self, x: Tensors) -> Tensors:
        # Of a scalar, a plain index would give a number and no array.
        given = {name: np.asarray(array[0]) if name in self._inputs else array for name, array in x.items()}
        results = self._runner.run(given)
        return {
            name: np.asarray(array)[None] if name in self._outputs else array
            for name, array in results.items()
        }


def check_type(x: Tensors, name: str, datatype: str) -> Any:
    """The input as the model wants it. Throws model-mismatch; nothing is converted in silence."""
    array = _input(x, name)
    if not is_of(array.dtype, datatype):
        raise ToolkitError(
            "model-mismatch",
            f"The model expects {name} as {datatype}, but the loader gives {array.dtype}",
            where=name,
            remedy="Give --precision fp16 for a model with FP16 inputs and fp32 for one with FP32 inputs.",
        )
    return array
