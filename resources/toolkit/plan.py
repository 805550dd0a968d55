"""A TensorRT plan: its optimisation profile, the command of trtexec, and what it was built with. Source: NVIDIA's
trtexec documentation and its migration guide from TensorRT 10 to 11."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from .batches import Batch
from .errors import ToolkitError
from .signature import Signature, Tensor

#: Places of trtexec in NVIDIA's images beside the path.
TRTEXEC_FOLDERS = ("/usr/src/tensorrt/bin", "/opt/tensorrt/bin", "/usr/local/tensorrt/bin")

Shape = list[int]


class Profile(NamedTuple):
    """Shapes by input: what the plan takes at least and at most, and what it is tuned for."""

    least: dict[str, Shape]
    best: dict[str, Shape]
    most: dict[str, Shape]


@dataclass(frozen=True)
class Provenance:
    """What a plan depends on: it loads in this version of TensorRT on GPUs of this compute capability alone."""

    tensorrtVersion: str  # noqa: N815 - names of the contract
    gpuName: str  # noqa: N815
    computeCapability: str  # noqa: N815
    image: str | None
    command: list[str]
    onnxSha256: str  # noqa: N815

    def fields(self) -> dict[str, Any]:
        """As `PlanProvenance` of the contract."""
        return asdict(self)


def find_profile(inputs: Sequence[Tensor], batches: Iterable[Batch], max_batch_size: int) -> Profile:
    """Batch 1 with the least sizes; the largest batch with the most common sizes; the largest batch and sizes. Without
    shapes for a model that is served without batches and in which nothing varies: trtexec takes none for it.

    The data set is gone through, whole, only where a dimension other than the batch varies. Throws input-invalid when
    the batch does not vary, model-mismatch when the loader lacks an input.
    """
    if max_batch_size == 0 and all(-1 not in tensor.shape for tensor in inputs):
        return Profile({}, {}, {})
    fixed = [tensor.name for tensor in inputs if tensor.shape[:1] != [-1]]
    if fixed:
        raise ToolkitError(
            "input-invalid",
            f"{', '.join(fixed)}: the ONNX model has a fixed batch size",
            remedy="Export the model with a batch axis that varies, or choose the format onnx.",
        )
    seen: dict[str, Counter[tuple[int, ...]]] = {tensor.name: Counter() for tensor in inputs}
    for tensor in inputs:
        if -1 not in tensor.shape[1:]:
            seen[tensor.name][tuple(tensor.shape[1:])] += 1
    varying = [tensor.name for tensor in inputs if -1 in tensor.shape[1:]]
    if varying:
        for batch in batches:
            for name in varying:
                if name not in batch.x:
                    raise ToolkitError("model-mismatch", f"The loader does not return {name}", where=name)
                seen[name][tuple(batch.x[name].shape[1:])] += len(batch.ids)
    largest = max(1, max_batch_size)

    def over(name: str, choose: Any) -> Shape:
        return [choose(sizes) for sizes in zip(*seen[name])]

    return Profile(
        {name: [1, *over(name, min)] for name in seen},
        # Of equally common shapes the one that came first.
        {name: [largest, *counts.most_common(1)[0][0]] for name, counts in seen.items()},
        {name: [largest, *over(name, max)] for name in seen},
    )


def _shapes(flag: str, shapes: dict[str, Shape]) -> list[str]:
    if not shapes:
        return []
    # trtexec parts names, shapes and pairs at these two signs.
    quoted = {name: f"'{name}'" if re.search("[:,]", name) else name for name in shapes}
    pairs = [f"{quoted[name]}:{'x'.join(map(str, shape))}" for name, shape in shapes.items()]
    return [f"--{flag}={','.join(pairs)}"]


def check_types(version: str, signature: Signature) -> None:
    """TensorRT before 10 makes 32-bit integers of 64-bit ones: requests of the model would not fit the plan.
    Throws combination-unsupported."""
    wide = [tensor.name for tensor in signature.inputs + signature.outputs if tensor.datatype == "INT64"]
    if wide and int(version.split(".")[0]) < 10:
        raise ToolkitError(
            "combination-unsupported",
            f"TensorRT {version} does not support INT64, the type of {', '.join(wide)}",
            remedy="Choose release 24.05 or later, or the format onnx.",
        )


def takes_types_from_graph(version: str) -> bool:
    """From TensorRT 11 on every network is strongly typed."""
    return int(version.split(".")[0]) >= 11


def plan_command(
    trtexec: str,
    version: str,
    onnx: Path,
    plan: Path,
    profile: Profile,
    precision: str,
    workspace_bytes: int,
) -> list[str]:
    """`onnx` has the precision already where `takes_types_from_graph`, inputs and outputs apart.

    fp32: without TF32, whose 10 bits of mantissa on newer GPUs are not what fp32 promises and fail tolerances. fp16: up
    to TensorRT 10 float16 kernels must be allowed; TensorRT 11 takes every type from the graph and has no such flag.
    """
    flags = [] if precision == "fp16" else ["--noTF32"]
    if precision == "fp16" and not takes_types_from_graph(version):
        flags = ["--fp16"]
    return [
        trtexec,
        f"--onnx={onnx}",
        f"--saveEngine={plan}",
        *_shapes("minShapes", profile.least),
        *_shapes("optShapes", profile.best),
        *_shapes("maxShapes", profile.most),
        # An upper bound of scratch memory, in MiB by its suffix.
        f"--memPoolSize=workspace:{max(1, workspace_bytes // 2**20)}M",
        *flags,
        "--skipInference",
    ]


def parse_version(banner: str) -> str:
    """ "10.9.0" of "[TensorRT v100900]", "8.6.2" of "[TensorRT v8602]". Throws toolkit-failed."""
    found = re.search(r"\[TensorRT v(\d+)\]", banner)
    if found is None:
        raise ToolkitError("toolkit-failed", "trtexec does not report its version", details=banner[-2000:])
    number = int(found.group(1))
    # From 10 on minor and patch have two digits each; before that minor has one place and patch two.
    major, rest = divmod(number, 10_000) if number >= 100_000 else divmod(number, 1_000)
    minor, patch = divmod(rest, 100)
    return f"{major}.{minor}.{patch}"


def parse_gpu(text: str) -> tuple[str, str]:
    """Names and compute capability of the GPUs of nvidia-smi's CSV, each name once.

    Throws toolkit-failed where there is none, combination-unsupported where they differ in the capability.
    """
    lines = [line.rpartition(",") for line in text.splitlines()]
    gpus = [(name.strip(), last.strip()) for name, _, last in lines if re.fullmatch(r"\s*\d+\.\d+\s*", last)]
    if not gpus:
        raise ToolkitError("toolkit-failed", "nvidia-smi reports no GPU", details=text[-2000:])
    capabilities = dict.fromkeys(capability for _, capability in gpus)
    if len(capabilities) > 1:
        raise ToolkitError(
            "combination-unsupported",
            f"The GPUs have the compute capabilities {', '.join(capabilities)}: a plan loads only on one of them",
            remedy="Name GPUs of one kind (--gpus).",
            details=text[-2000:],
        )
    return ", ".join(dict.fromkeys(name for name, _ in gpus)), gpus[0][1]
