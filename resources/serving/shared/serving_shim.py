"""What the shims of all formats share: it lies beside their model.py, and each instance is a process of its own."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np
import numpy.typing as npt
import triton_python_backend_utils as pb_utils

Array = npt.NDArray[Any]


# Names of Triton's own backends for the shims' parameters.
_own_names = {
    "intra_op_threads": ("intra_op_thread_count", "INTRA_OP_THREAD_COUNT", "TF_NUM_INTRA_THREADS"),
    "inter_op_threads": ("inter_op_thread_count", "INTER_OP_THREAD_COUNT", "TF_NUM_INTER_THREADS"),
    "signature": ("TF_SIGNATURE_DEF",),
}


def read_parameters(config: dict[str, Any]) -> dict[str, str]:
    """`parameters` of config.pbtxt as plain text; those of Triton's own backends under the names of the shims."""
    parameters = {name: value["string_value"] for name, value in config.get("parameters", {}).items()}
    for name, others in _own_names.items():
        for other in others:
            if other in parameters:
                parameters.setdefault(name, parameters[other])
    # As a model of the Python backend it names the shim.
    file = config.get("default_model_filename", "")
    if file not in ("", "model.py"):
        parameters.setdefault("model_filename", file)
    return parameters


def thread_count(parameters: dict[str, str], name: str) -> int:
    """0 where the parameter is absent. Raises TritonModelException when it is no count."""
    text = parameters.get(name, "0").strip()
    if not text.isdigit():
        raise pb_utils.TritonModelException(
            f'parameter {name}: "{text}" is not a number of threads, 0 or more'
        )
    return int(text)


def find_model_file(args: dict[str, str], parameters: dict[str, str], default: str) -> Path:
    """Raises TritonModelException when the version folder holds no such file."""
    name = parameters.get("model_filename", default)
    path = Path(args["model_repository"]) / args["model_version"] / name
    if not path.is_file():
        raise pb_utils.TritonModelException(f"{path} does not exist; parameter model_filename names it")
    return path


def run_requests(
    requests: Sequence[Any],
    names: tuple[Sequence[str], Sequence[str]],
    batching: bool,
    infer: Callable[[list[Array]], list[Array]],
) -> list[Any]:
    """One response a request. `names`: inputs and outputs; with `batching`, all requests run as one batch."""
    inputs, outputs = names
    given = [
        [pb_utils.get_input_tensor_by_name(request, name).as_numpy() for name in inputs]
        for request in requests
    ]
    if batching and len(given) > 1:
        joined = _run_joined(given, outputs, infer)
        if joined is not None:
            return joined
    responses = []
    for arrays in given:
        try:
            responses.append(_response(outputs, infer(arrays)))
        except Exception as error:
            responses.append(
                pb_utils.InferenceResponse(error=pb_utils.TritonError(f"{type(error).__name__}: {error}"))
            )
    return responses


def _run_joined(
    given: Sequence[list[Array]], outputs: Sequence[str], infer: Callable[[list[Array]], list[Array]]
) -> Optional[list[Any]]:
    """None when the batch as a whole fails: the requests are then tried one by one, and only bad ones get an error."""
    try:
        results = infer([np.concatenate(arrays) for arrays in zip(*given)])
    except Exception as error:
        pb_utils.Logger.log_warn(f"a batch of {len(given)} requests failed and is tried one by one: {error}")
        return None
    ends = np.cumsum([len(arrays[0]) for arrays in given])
    if any(len(result) != ends[-1] for result in results):
        return None
    parts = [np.split(result, ends[:-1]) for result in results]
    return [_response(outputs, [part[index] for part in parts]) for index in range(len(given))]


def _response(names: Sequence[str], arrays: Sequence[Array]) -> Any:
    tensors = [pb_utils.Tensor(name, np.ascontiguousarray(array)) for name, array in zip(names, arrays)]
    return pb_utils.InferenceResponse(output_tensors=tensors)


def is_decoupled(config: dict[str, Any]) -> bool:
    """Whether Triton takes the answers one by one, as many as there are."""
    return bool(config.get("model_transaction_policy", {}).get("decoupled", False))


def deliver(requests: Sequence[Any], responses: list[Any], decoupled: bool) -> Optional[list[Any]]:
    """What execute returns; a decoupled model hands each answer, the only one, to its request's own sender."""
    if not decoupled:
        return responses
    for request, response in zip(requests, responses):
        request.get_response_sender().send(response, flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
    return None


def configured_model(config: dict[str, Any], default: str) -> Optional[Path]:
    """
    File of the newest version, for completing a configuration: Triton does not say where the model is.
    None where nobody else says so: a configuration that was written for the model lacks nothing.
    """
    repository = os.environ.get("TRITON_WORKBENCH_REPOSITORY", "")
    if repository == "":
        return None
    folder = Path(repository) / config["name"]
    versions = [int(entry.name) for entry in folder.iterdir() if entry.name.isdigit() and entry.is_dir()]
    name = read_parameters(config).get("model_filename", default)
    path: Path = folder / str(max(versions, default=1)) / name
    return path


Described = tuple[str, str, Sequence[int]]


def complete_config(completed: Any, tensors: tuple[Sequence[Described], Sequence[Described]]) -> Any:
    """Fills in what config.pbtxt lacks, as Triton's own backends do. `tensors`: name, type, shape (-1: variable)."""
    config = completed.as_dict()
    every = [*tensors[0], *tensors[1]]
    dims = {item["name"]: item["dims"] for side in ("input", "output") for item in config[side]}
    batched = all(
        len(shape) > 0 and shape[0] == -1 and len(dims.get(name, shape[1:])) == len(shape) - 1
        for name, _, shape in every
    )
    size = config["max_batch_size"]
    if size == 0 and batched:
        # Their `default-max-batch-size`, with the dynamic batcher where no other is chosen.
        size = 4
        completed.set_max_batch_size(size)
        if "sequence_batching" not in config and "dynamic_batching" not in config:
            completed.set_dynamic_batching()
    for side, add in (("input", completed.add_input), ("output", completed.add_output)):
        if config[side]:
            continue
        for name, data_type, shape in tensors[0 if side == "input" else 1]:
            add({"name": name, "data_type": data_type, "dims": list(shape[1:] if size > 0 else shape)})
    return completed
