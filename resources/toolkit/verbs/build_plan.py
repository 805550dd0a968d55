"""An exported ONNX model to a TensorRT plan, by trtexec on the GPU that will serve it."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections import deque
from pathlib import Path
from typing import Any

from ..batches import Batches
from ..errors import ToolkitError
from ..files import replacing
from ..formats.onnx_file import (
    get_parameters,
    infer_shapes,
    load_onnx,
    onnx_opset,
    onnx_signature,
    save_checked,
    to_float16,
)
from ..model_folder import ModelFolder
from ..options import add_model_arguments, at_least
from ..plan import (
    TRTEXEC_FOLDERS,
    Provenance,
    check_types,
    find_profile,
    parse_gpu,
    parse_version,
    plan_command,
    takes_types_from_graph,
)
from ..report import Report
from ..signature import artefact_fields

_GIBIBYTE = 2**30


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_arguments(parser)
    parser.add_argument("--input", type=Path, required=True, help="ONNX file of the verb export, fp32")
    parser.add_argument("--output", type=Path, required=True, help="plan; beside it comes <plan>.json")
    parser.add_argument("--max-batch-size", type=at_least(0), required=True)
    parser.add_argument("--workspace-bytes", type=at_least(1), default=_GIBIBYTE)
    parser.add_argument("--image", help="image that this runs in, noted beside the plan")


def _find_trtexec() -> str:
    path = os.pathsep.join([os.environ.get("PATH", ""), *TRTEXEC_FOLDERS])
    found = shutil.which("trtexec", path=path)
    if found is None:
        raise ToolkitError(
            "toolchain-missing",
            "trtexec is not installed",
            remedy='Choose the engine "docker" with GPUs and NVIDIA\'s images, which have it.',
        )
    return found


def _output_of(command: list[str]) -> str:
    try:
        ended = subprocess.run(  # noqa: S603 - a program of the image with fixed arguments
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
    except OSError as error:
        raise ToolkitError("toolchain-missing", f"{command[0]} cannot be run: {error}") from error
    return ended.stdout


def _build(command: list[str]) -> None:
    """Runs trtexec; its lines go to the log. Throws toolkit-failed with the last of them."""
    tail: deque[str] = deque(maxlen=40)
    with subprocess.Popen(  # noqa: S603 - as above
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            assert process.stdout is not None
            for line in process.stdout:
                sys.stderr.write(line)
                tail.append(line)
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        raise ToolkitError(
            "toolkit-failed",
            f"trtexec ended with exit code {process.returncode}",
            remedy="See its last lines for an unsupported operator or a lack of memory. For memory, raise the "
            "workspace or lower the maximum batch size.",
            details="".join(tail),
        )


def run(options: argparse.Namespace, report: Report) -> dict[str, Any]:
    """fp16: up to TensorRT 10 the builder makes float16 kernels of the exported graph; later ones take the types of the
    graph, which becomes float16 first. Inputs and outputs stay those of the exported model."""
    trtexec = _find_trtexec()
    version = parse_version(_output_of([trtexec, "--help"]))
    smi = ["nvidia-smi", "--query-gpu=name,compute_cap", "--format=csv,noheader"]
    gpu, capability = parse_gpu(_output_of(smi))
    report.progress(0.0, "Reading the model")
    model = load_onnx(options.input)
    parameters, source = get_parameters(model), options.input
    output: Path = options.output
    if options.precision == "fp16" and takes_types_from_graph(version):
        source = output.with_name(f"{output.stem}.fp16.onnx")
        model = to_float16(model, keep_io_types=True)
        infer_shapes(model)
        save_checked(model, source)
    signature = onnx_signature(model)
    check_types(version, signature)
    folder = ModelFolder.from_options(options)
    report.progress(0.1, "Finding the shapes")
    profile = find_profile(signature.inputs, Batches(folder, options.limit), options.max_batch_size)
    report.progress(None, f"Building the plan with TensorRT {version} on {gpu}")
    with replacing(output) as partial:
        command = plan_command(
            trtexec, version, source, partial, profile, options.precision, options.workspace_bytes
        )
        _build(command)
        if not partial.is_file() or partial.stat().st_size == 0:
            raise ToolkitError("toolkit-failed", "trtexec wrote no plan", where=str(output))
    # The name that the plan has now, not that of the file under work.
    shown = plan_command(
        trtexec, version, source, output, profile, options.precision, options.workspace_bytes
    )
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    provenance = Provenance(version, gpu, capability, options.image, shown, digest)
    with replacing(output.with_name(f"{output.name}.json")) as partial:
        partial.write_text(json.dumps(provenance.fields(), indent=2) + "\n", encoding="utf-8")
    report.fact("TensorRT", version)
    report.fact("Built on", f"{gpu}, compute capability {capability}")
    report.fact("trtexec", " ".join(shown))
    report.progress(1.0, "Plan built")
    fields = artefact_fields(output, signature, parameters, onnx_opset(model), report)
    return {**fields, "plan": provenance.fields()}
