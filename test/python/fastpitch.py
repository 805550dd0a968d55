"""What the tests of FastPitch share: its model folder, and how small a test wants the model."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from support import RESOURCES

from toolkit.model_folder import ModelFolder

FASTPITCH = RESOURCES / "models" / "fastpitch"

#: The real model, loader and metrics, as small as a test wants them.
SMALL = {
    "channels": "16",
    "encoder_layers": "1",
    "decoder_layers": "1",
    "head_size": "8",
    "filters": "24",
    "predictor_filters": "12",
    "max_frames": "512",
}


def folder(dataset: Path | None = None, /, **given: str) -> ModelFolder:
    context = {"data_dir": None if dataset is None else str(dataset), "batch_size": 4, "seed": 0}
    return ModelFolder(FASTPITCH, given, context)


def module_of(name: str) -> Any:
    """A module of the model folder."""
    folder()
    return importlib.import_module(f"_model_folder.{name}")


def flags(**given: str) -> list[str]:
    return [
        "--model-dir", str(FASTPITCH), *(f"--arg={name}={value}" for name, value in {**SMALL, **given}.items())
    ]  # fmt: skip
