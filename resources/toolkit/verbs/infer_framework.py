"""Outputs of a model run in this process."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any, Callable, Optional

from ..batches import Batches
from ..dumps import DumpWriter, write_lengths
from ..errors import ToolkitError
from ..files import new_directory
from ..model_folder import ModelFolder
from ..options import add_dump_arguments, add_model_arguments
from ..report import Report
from ..runners import (
    LiftedRunner,
    ModuleRunner,
    OnnxRunner,
    Runner,
    TorchScriptRunner,
    load_model,
    torch_device,
)
from ..signature import Signature, parse_signature


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_arguments(parser)
    add_dump_arguments(parser)
    parser.add_argument("--runtime", required=True, choices=("pyt", "tf", "onnx", "ts", "savedmodel"))
    parser.add_argument("--path", type=Path, help="model file, for onnx, ts and savedmodel")
    parser.add_argument(
        "--device", default="cpu", choices=("cpu", "auto"),
        help="auto: the first GPU where the framework sees one; ONNX Runtime runs on the CPU",
    )  # fmt: skip
    parser.add_argument("--signature", type=parse_signature, help="JSON, of a file that export did not write")


def _runner(
    folder: ModelFolder, options: argparse.Namespace, on_cpu: Callable[[str], None]
) -> tuple[Runner, dict[str, str]]:
    """The runner, and which outputs hold the valid lengths of others: only the model's own code says that."""
    if options.runtime == "pyt":
        import torch

        torch.manual_seed(options.seed)
        model = load_model(folder, options.checkpoint)
        module = model.module.half() if options.precision == "fp16" else model.module
        device = torch_device(options.device)
        return ModuleRunner(module, model.inputs, model.outputs, device, on_cpu), model.lengths
    if options.runtime == "tf":
        from ..keras_model import KerasRunner, load_keras_model, tensorflow_device

        device = tensorflow_device(options.device)
        return KerasRunner(load_keras_model(folder, options.checkpoint, options.seed), device), {}
    if options.runtime == "savedmodel" and options.path is not None and options.path.is_dir():
        from ..keras_model import SavedModelRunner, tensorflow_device

        saved = SavedModelRunner(options.path, tensorflow_device(options.device))
        return (saved if options.signature is None else LiftedRunner(saved, options.signature)), {}
    if options.path is None or not options.path.is_file():
        raise ToolkitError("input-invalid", f"--runtime {options.runtime} needs a model file", where="--path")
    given: Optional[Signature] = options.signature
    runner: Runner
    if options.runtime == "onnx":
        runner = OnnxRunner(options.path)
    else:
        runner = TorchScriptRunner(options.path, given, torch_device(options.device), on_cpu)
    return (runner if given is None else LiftedRunner(runner, given)), {}


def run(options: argparse.Namespace, report: Report) -> dict[str, Any]:
    folder = ModelFolder.from_options(options)
    report.progress(0.0, "Loading the model")
    runner, lengths = _runner(folder, options, report.warning)
    batches = Batches(folder, options.limit)
    total = batches.sample_count
    samples = count = 0
    started = time.monotonic()
    with new_directory(options.output_dir) as directory:
        write_lengths(directory, lengths)
        writer = DumpWriter(directory)
        for batch in batches:
            parts = {"outputs": runner.run(batch.x)}
            if options.dump_labels:
                parts["labels"] = batch.y
            if options.dump_inputs:
                parts["inputs"] = batch.x
            writer.write(batch.ids, **parts)
            samples += len(batch.ids)
            count += 1
            report.progress(None if total is None else samples / total, f"{samples} samples")
        writer.flush()
    report.fact("Reference on", runner.device.title)
    seconds = round(time.monotonic() - started, 3)
    return {"samples": samples, "batches": count, "seconds": seconds, "device": runner.device.title}
