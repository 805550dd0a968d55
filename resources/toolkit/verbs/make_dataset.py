"""A generated data set in the form that the model's loader reads."""

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
    parser.add_argument("--output", type=Path, required=True, help="new or empty folder")


def run(options: argparse.Namespace, report: Report) -> dict[str, Any]:
    folder = ModelFolder.from_options(options)
    if not folder.has("make_dataset"):
        raise ToolkitError(
            "model-folder-invalid",
            "The model folder generates no data set (it has no make_dataset.py)",
            where=str(options.model_dir),
            remedy="Provide a data set with --dataset.",
        )
    with new_directory(options.output) as directory:
        counts = folder.call("make_dataset", str(directory), progress=report.progress)
    samples = int(counts["samples"])
    parts = [f"{int(count):,} {name}" for name, count in counts.items() if int(count) > 0]
    report.fact("Data set", f"{', '.join(parts)}, generated")
    report.progress(1.0, "Data set written")
    return {"samples": samples, "counts": dict(counts), "path": str(options.output)}
