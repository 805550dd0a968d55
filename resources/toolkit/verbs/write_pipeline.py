"""The steps of a Hugging Face folder around its exported model, and samples of what they have to answer."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path
from typing import Any

from ..model_folder import own_code
from ..options import at_least
from ..report import Report

#: Tasks whose pipeline is the generating model itself.
GENERATING = ("text-generation", "text2text-generation")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--folder", type=Path, required=True, help="the Hugging Face folder")
    parser.add_argument("--auto-class", required=True, help="class of transformers that loads it")
    parser.add_argument("--task", required=True)
    parser.add_argument("--texts", type=Path, required=True, help="a text per line, or a table")
    parser.add_argument("--name", required=True, help="of the pipeline")
    parser.add_argument("--most-tokens", type=at_least(2), required=True, help="longer texts are cut")
    parser.add_argument("--most-texts", type=at_least(1), required=True, help="texts of a batch")
    parser.add_argument("--pooling", default="", help="of sentence vectors")
    parser.add_argument("--dense", default="", help="folders of the layers behind the pooling, with commas")
    parser.add_argument("--normalize", action="store_true", help="vectors of length 1")
    parser.add_argument("--pairs", action="store_true", help="a second text may come with each one")
    parser.add_argument("--output", type=Path, required=True, help="folder whose models/ has the steps")


def run(options: argparse.Namespace, report: Report) -> dict[str, Any]:
    # transformers is imported only where it is needed: the other verbs run without it.
    code = importlib.import_module("huggingface.pipeline")
    with own_code(Path(str(code.__file__)).parent, "pipeline.py"):
        if options.task in GENERATING:
            texts = importlib.import_module("huggingface.labeled_texts").texts_of(options.texts)
            return _generation(options, texts, report)
        written: dict[str, Any] = code.write_pipeline(
            folder=str(options.folder),
            auto_class=options.auto_class,
            task=options.task,
            texts_file=options.texts,
            name=options.name,
            most_tokens=options.most_tokens,
            most_texts=options.most_texts,
            pooling=options.pooling,
            dense=options.dense,
            normalize=options.normalize,
            pairs=options.pairs,
            output=options.output,
            progress=report.progress,
        )
    return written


def _generation(options: argparse.Namespace, texts: list[str], report: Report) -> dict[str, Any]:
    code = importlib.import_module("huggingface.generation_reference")
    written: dict[str, Any] = code.write_generation(
        folder=str(options.folder),
        auto_class=options.auto_class,
        texts=texts,
        name=options.name,
        most_tokens=options.most_tokens,
        output=options.output,
        progress=report.progress,
    )
    return written
