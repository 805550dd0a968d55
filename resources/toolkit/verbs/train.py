"""Train the model, or save the initial weights of one that is not trained here."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any, Callable

from ..files import replacing
from ..model_folder import ModelFolder
from ..options import add_model_arguments
from ..report import Report, bytes_text
from ..runners import load_model

#: The model and what writes its weights.
Source = tuple[Any, Callable[[Path], None]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_arguments(parser)
    parser.add_argument("--output", type=Path, required=True, help="file for the weights")


def _torch(folder: ModelFolder, options: argparse.Namespace) -> Source:
    import torch

    torch.manual_seed(options.seed)
    module = load_model(folder, options.checkpoint).module
    return module, lambda path: torch.save(module.eval().state_dict(), path)


def _keras(folder: ModelFolder, options: argparse.Namespace) -> Source:
    from ..keras_model import load_keras_model, save_weights

    module = load_keras_model(folder, options.checkpoint, options.seed).module
    return module, lambda path: save_weights(module, path)


def run(options: argparse.Namespace, report: Report) -> dict[str, Any]:
    folder = ModelFolder.from_options(options)
    report.progress(0.0, "Loading the model")
    started = time.monotonic()
    module, save = _keras(folder, options) if options.framework == "tf" else _torch(folder, options)
    outcome: dict[str, Any] = {"trained": False, "steps": 0, "held_out": {}}
    if folder.has("train"):
        outcome = folder.call("train", module, progress=report.progress)
    with replacing(options.output) as partial:
        save(partial)
    held_out = {str(name): float(value) for name, value in outcome["held_out"].items()}
    seconds = round(time.monotonic() - started, 3)
    if outcome["trained"]:
        report.fact("Training", f"{outcome['steps']} steps in {seconds:.1f} s")
    elif options.checkpoint is None:
        report.warning("The weights are random: the speed of this model is meaningful, its metrics are not")
    for name, value in held_out.items():
        report.fact(f"Held-out {name}", f"{value:.4f}")
    report.fact("Weights file", f"{options.output.name}, {bytes_text(options.output.stat().st_size)}")
    report.progress(1.0, "Weights saved")
    return {
        "trained": bool(outcome["trained"]),
        "steps": int(outcome["steps"]),
        "seconds": seconds,
        "heldOut": held_out,
        "path": str(options.output),
    }
