"""A user's weights, as published or as a state dictionary, to the file and the arguments that later verbs take."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Optional

from ..checkpoint import fill_module, read_state
from ..files import replacing
from ..model_folder import ModelFolder
from ..options import add_model_arguments
from ..report import Report, bytes_text
from ..runners import load_model


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_arguments(parser)
    parser.add_argument("--output", type=Path, required=True, help="file for the weights")
    parser.add_argument(
        "--arguments",
        type=Path,
        required=True,
        help="JSON file for the arguments that the checkpoint decides",
    )


def _converted(folder: ModelFolder, path: Path) -> tuple[dict[str, str], Optional[Mapping[str, Any]]]:
    """Arguments, and weights by the model's own names; None where the folder has no converter."""
    if not folder.has("convert_checkpoint"):
        return {}, None
    arguments, state = folder.call("convert_checkpoint", str(path))
    return {str(name): str(value) for name, value in arguments.items()}, state


def _torch(folder: ModelFolder, state: Optional[Mapping[str, Any]], options: argparse.Namespace) -> int:
    import torch

    module = load_model(folder, None).module
    fill_module(module, read_state(options.checkpoint) if state is None else state, options.checkpoint)
    with replacing(options.output) as partial:
        torch.save(module.state_dict(), partial)
    return sum(parameter.numel() for parameter in module.parameters())


def _keras(folder: ModelFolder, state: Optional[Mapping[str, Any]], options: argparse.Namespace) -> int:
    from ..keras_model import fill_weights, load_keras_model, read_weights, save_weights

    model = load_keras_model(folder, None, options.seed)
    path = options.checkpoint
    fill_weights(model.module, read_weights(path) if state is None else state, path)
    with replacing(options.output) as partial:
        save_weights(model.module, partial)
    return model.parameters


def run(options: argparse.Namespace, report: Report) -> dict[str, Any]:
    folder = ModelFolder.from_options(options)
    path: Path = options.checkpoint
    report.progress(0.0, "Reading the checkpoint")
    arguments, state = _converted(folder, path)
    folder.decide(arguments)
    report.progress(0.5, "Loading the weights into the model")
    parameters = (_keras if options.framework == "tf" else _torch)(folder, state, options)
    with replacing(options.arguments) as partial:
        partial.write_text(json.dumps(arguments, indent=1) + "\n", encoding="utf-8")
    for name, value in arguments.items():
        report.fact("Set by the checkpoint", f"{name} = {value}")
    report.fact("Weights file", f"{options.output.name}, {bytes_text(options.output.stat().st_size)}")
    report.progress(1.0, "Checkpoint loaded")
    return {"parameters": parameters, "arguments": arguments, "path": str(options.output)}
