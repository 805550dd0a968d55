"""A published data set, as it is unpacked, to the layout that the model's loader reads."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..errors import ToolkitError
from ..files import new_directory
from ..model_folder import ModelFolder
from ..options import add_model_arguments
from ..report import Report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_arguments(parser)
    parser.add_argument("--source", type=Path, required=True, help="folder as it was unpacked")
    parser.add_argument("--output", type=Path, required=True, help="new or empty folder")


def run(options: argparse.Namespace, report: Report) -> dict[str, Any]:
    folder = ModelFolder.from_options(options)
    if not folder.has("prepare_dataset"):
        raise ToolkitError(
            "model-folder-invalid",
            "The model folder prepares no data set (it has no prepare_dataset.py)",
            where=str(options.model_dir),
        )
    if not options.source.is_dir():
        raise ToolkitError("input-invalid", f"{options.source} does not exist", where="--source")
    with new_directory(options.output) as directory:
        counts = folder.call("prepare_dataset", str(options.source), str(directory), progress=report.progress)
    for name, count in counts.items():
        report.fact(str(name), f"{int(count):,}")
    report.progress(1.0, "Data set prepared")
    return {"counts": dict(counts), "path": str(options.output)}
