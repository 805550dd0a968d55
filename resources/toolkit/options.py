"""Command line of the verbs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NoReturn

from .errors import ToolkitError

#: PyTorch, TensorFlow with Keras.
FRAMEWORKS = ("pyt", "tf")
PRECISIONS = ("fp32", "fp16")


class Parser(argparse.ArgumentParser):
    """A usage fault is an error line like any other."""

    def error(self, message: str) -> NoReturn:
        raise ToolkitError("input-invalid", message, where=self.prog, remedy=self.format_usage().strip())


def assignment(text: str) -> tuple[str, str]:
    """`NAME=VALUE`."""
    name, equals, value = text.partition("=")
    if name == "" or equals == "":
        raise argparse.ArgumentTypeError(f'"{text}" is not of the form NAME=VALUE')
    return name, value


def tolerance(text: str) -> tuple[str, float]:
    """`NAME=V` with V >= 0; NAME may be `*`."""
    name, value = assignment(text)
    try:
        number = float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f'"{value}" in "{text}" is not a number') from None
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f'the tolerance in "{text}" must be a finite number, 0 or more')
    return name, number


def at_least(minimum: int):  # type: ignore[no-untyped-def]
    """Type of an integer argument with a lower bound."""

    def convert(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f'"{text}" is not an integer') from None
        if value < minimum:
            raise argparse.ArgumentTypeError(f"{value} is less than {minimum}")
        return value

    return convert


def add_model_arguments(parser: argparse.ArgumentParser) -> None:
    """The common flags of every verb that works with a model folder."""
    group = parser.add_argument_group("model")
    group.add_argument(
        "--model-dir", type=Path, required=True, help="folder with model.py, dataloader.py, ..."
    )
    group.add_argument("--framework", default="pyt", choices=FRAMEWORKS, help="what model.py is written in")
    group.add_argument("--profile", default="full", choices=("quick", "full"))
    group.add_argument(
        "--arg", dest="args", type=assignment, action="append", default=[], metavar="NAME=VALUE",
        help="argument of a function of the model folder, by its own name",
    )  # fmt: skip
    group.add_argument(
        "--samples-only", action="store_true",
        help="the model is a file of its own; the folder gives samples for it and nothing else",
    )  # fmt: skip
    group.add_argument(
        "--dataset-may-be-file", action="store_true", help="the loader of the folder reads a file, too"
    )
    group.add_argument("--dataset", type=Path, help="data set folder; an npz or JSON file for --samples-only")
    group.add_argument(
        "--checkpoint",
        type=Path,
        help="weights: a state dictionary, or .npz for tf; of load-checkpoint also as published",
    )
    group.add_argument(
        "--arguments-from", type=Path, help="JSON of load-checkpoint: arguments that win over every --arg"
    )
    group.add_argument("--precision", default="fp32", choices=PRECISIONS)
    group.add_argument("--batch-size", type=at_least(1), default=8)
    group.add_argument("--limit", type=at_least(0), default=0, help="samples to use; 0 = all")
    group.add_argument("--seed", type=at_least(0), default=0)


def add_dump_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--output-dir", type=Path, required=True, help="new or empty folder for the dumps")
    parser.add_argument("--dump-labels", action="store_true")
    parser.add_argument("--dump-inputs", action="store_true")
