"""Outputs of a model run in this process."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional

import numpy as np

from ..batches import Batch, Batches, Tensors
from ..checks.compared_batches import (
    AGAIN,
    SINGLY,
    Asked,
    Writers,
    add_asked_arguments,
    folder_of,
    gathered_rows,
    requests_of,
)
from ..checks.randomness import onnx_random_operators, torch_random_operators
from ..dumps import DumpWriter, Lengths, write_lengths
from ..errors import ToolkitError
from ..files import new_directory
from ..model_folder import ModelFolder
from ..options import add_dump_arguments, add_model_arguments
from ..report import Report
from ..runners import (
    LiftedRunner,
    Masks,
    ModuleRunner,
    OnnxRunner,
    Runner,
    TorchScriptRunner,
    load_model,
    torch_device,
)
from ..signature import Signature, parse_signature
from ..unpadded import unpadded

#: Of one sample and its answer that are kept: a few are.
_MOST_KNOWN_BYTES = 16 * 1024 * 1024


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_arguments(parser)
    add_dump_arguments(parser)
    add_asked_arguments(parser)
    parser.add_argument(
        "--again", action="store_true",
        help="compute each batch twice; the second answers go into the folder again of the dump",
    )  # fmt: skip
    parser.add_argument("--runtime", required=True, choices=("pyt", "tf", "onnx", "ts", "savedmodel"))
    parser.add_argument("--path", type=Path, help="model file, for onnx, ts and savedmodel")
    parser.add_argument(
        "--device", default="cpu", choices=("cpu", "auto"),
        help="auto: the first GPU where the framework sees one; ONNX Runtime runs on the CPU",
    )  # fmt: skip
    parser.add_argument("--signature", type=parse_signature, help="JSON, of a file that export did not write")


class Reference(NamedTuple):
    """The runner, which outputs hold the valid lengths of others, and which inputs say what is padding: only the
    model's own code says that.
    """

    runner: Runner
    lengths: Lengths
    masks: Masks


def _runner(folder: ModelFolder, options: argparse.Namespace, on_cpu: Callable[[str], None]) -> Reference:
    if options.runtime == "pyt":
        import torch

        torch.manual_seed(options.seed)
        model = load_model(folder, options.checkpoint)
        module = model.module.half() if options.precision == "fp16" else model.module
        device = torch_device(options.device)
        runner = ModuleRunner(module, model.inputs, model.outputs, device, on_cpu)
        return Reference(runner, model.lengths, model.masks)
    if options.runtime == "tf":
        from ..keras_model import KerasRunner, load_keras_model, tensorflow_device

        device = tensorflow_device(options.device)
        keras = load_keras_model(folder, options.checkpoint, options.seed)
        return Reference(KerasRunner(keras, device), {}, {})
    if options.runtime == "savedmodel" and options.path is not None and options.path.is_dir():
        from ..keras_model import SavedModelRunner, tensorflow_device

        saved = SavedModelRunner(options.path, tensorflow_device(options.device))
        lifted = saved if options.signature is None else LiftedRunner(saved, options.signature)
        return Reference(lifted, {}, {})
    if options.path is None or not options.path.is_file():
        raise ToolkitError("input-invalid", f"--runtime {options.runtime} needs a model file", where="--path")
    given: Optional[Signature] = options.signature
    of_file: Runner
    if options.runtime == "onnx":
        of_file = OnnxRunner(options.path)
    else:
        of_file = TorchScriptRunner(options.path, given, torch_device(options.device), on_cpu)
    return Reference(of_file if given is None else LiftedRunner(of_file, given), {}, {})


def _compute_asked(reference: Reference, folder: ModelFolder, asked: Asked, writers: Writers) -> None:
    """A sample alone may be among both kinds of requests, and is computed once."""
    known: dict[str, tuple[Tensors, Tensors]] = {}

    def compute(name: str, whole: Batch) -> None:
        for batch in unpadded(whole, reference.masks):
            compute_one(name, batch)

    def compute_one(name: str, batch: Batch) -> None:
        key = batch.ids[0]
        before = known.get(key) if len(batch.ids) == 1 else None
        if before is not None and all(
            np.array_equal(before[0][name], array) for name, array in batch.x.items()
        ):
            outputs = before[1]
        else:
            outputs = reference.runner.run(batch.x)
        size = sum(array.nbytes for array in (*batch.x.values(), *outputs.values()))
        if len(batch.ids) == 1 and size <= _MOST_KNOWN_BYTES:
            known[key] = (batch.x, outputs)
        writers.write(name, batch, outputs)

    # What is gathered is compared with a batch too.
    for size in sorted({*asked.sizes, asked.gathered} - {0}):
        for batch in requests_of(folder, size, asked.samples):
            compute(folder_of(size), batch)
    if asked.gathered > 0:
        for row in gathered_rows(folder, asked):
            compute(SINGLY, row)


def _random_operators(
    runner: Runner, folder: ModelFolder, options: argparse.Namespace, report: Report
) -> list[str]:
    """None where they cannot be found out: what they are is more than what is needed."""
    try:
        if options.runtime == "onnx":
            return onnx_random_operators(options.path)
        if options.runtime in ("pyt", "ts"):
            first = next(iter(Batches(folder, 1)))
            return torch_random_operators(runner, first.x, folder.path)
    except Exception as error:
        report.warning(f"The random operators of the model were not found: {error}")
    return []


def run(options: argparse.Namespace, report: Report) -> dict[str, Any]:
    folder = ModelFolder.from_options(options)
    report.progress(0.0, "Loading the model")
    reference = _runner(folder, options, report.warning)
    runner, lengths, masks = reference
    batches = Batches(folder, options.limit)
    total = batches.sample_count
    samples = count = 0
    started = time.monotonic()
    with new_directory(options.output_dir) as directory:
        writer, others = DumpWriter(directory), Writers(directory, lengths)
        write_lengths(directory, lengths)
        for whole in batches:
            for batch in unpadded(whole, masks):
                parts = {"outputs": runner.run(batch.x)}
                if options.dump_labels:
                    parts["labels"] = batch.y
                if options.dump_inputs:
                    parts["inputs"] = batch.x
                writer.write(batch.ids, **parts)
                if options.again:
                    others.write(AGAIN, batch, runner.run(batch.x))
            samples += len(whole.ids)
            count += 1
            report.progress(None if total is None else samples / total, f"{samples} samples")
        writer.flush()
        _compute_asked(reference, folder, Asked.of(options), others)
        others.flush()
    report.fact("Reference on", runner.device.title)
    seconds = round(time.monotonic() - started, 3)
    result: dict[str, Any] = {
        "samples": samples,
        "batches": count,
        "seconds": seconds,
        "device": runner.device.title,
    }
    if options.again:
        result["random"] = _random_operators(runner, folder, options, report)
    return result
