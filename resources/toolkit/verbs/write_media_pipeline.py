"""The steps of a Hugging Face folder of images or audio around its exported model, and what they have to answer."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path
from typing import Any

from ..model_folder import own_code
from ..options import at_least
from ..report import Report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--folder", type=Path, required=True, help="the Hugging Face folder")
    parser.add_argument("--auto-class", required=True, help="class of transformers that loads it")
    parser.add_argument("--task", required=True)
    parser.add_argument("--name", required=True, help="of the pipeline")
    parser.add_argument(
        "--first", default="", help="name of the first step; absent: one model does all of it"
    )
    parser.add_argument("--last", default="", help="name of the last step")
    parser.add_argument(
        "--most-samples", type=at_least(1), required=True, help="images or recordings of a batch"
    )
    parser.add_argument("--samples", type=Path, help="folder of images or recordings, also with labels")
    parser.add_argument("--output", type=Path, required=True, help="folder whose models/ has the steps")


def run(options: argparse.Namespace, report: Report) -> dict[str, Any]:
    # transformers is imported only where it is needed: the other verbs run without it.
    code = importlib.import_module("huggingface.media_pipeline")
    with own_code(Path(str(code.__file__)).parent, "media_pipeline.py"):
        if options.first == "":
            return _speech(options, report)
        written: dict[str, Any] = code.write_media_pipeline(
            folder=str(options.folder),
            auto_class=options.auto_class,
            task=options.task,
            name=options.name,
            first=options.first,
            last=options.last,
            most_samples=options.most_samples,
            output=options.output,
            progress=report.progress,
            samples=options.samples,
        )
    return written


def _speech(options: argparse.Namespace, report: Report) -> dict[str, Any]:
    code = importlib.import_module("huggingface.speech_reference")
    written: dict[str, Any] = code.write_speech(
        folder=str(options.folder),
        auto_class=options.auto_class,
        name=options.name,
        output=options.output,
        progress=report.progress,
        samples=options.samples,
    )
    return written
