"""Metrics of a dump."""

from __future__ import annotations

import argparse
import math
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np

from ..dumps import read_all
from ..errors import ToolkitError
from ..files import replacing
from ..model_folder import ModelFolder
from ..options import add_model_arguments
from ..report import Report

_formula_starts = frozenset("=+-@\uff1d\uff0b\uff0d\uff20")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_arguments(parser)
    parser.add_argument("--dump-dir", type=Path, required=True, help="dump with labels")
    parser.add_argument("--csv", type=Path, required=True)


def _inert(name: str) -> str:
    """The name as a cell that no spreadsheet takes for a formula, as the workbench's own tables write it."""
    visible = name.lstrip("'")
    while visible != "" and unicodedata.category(visible[0]) in ("Cc", "Cf"):
        visible = visible[1:]
    return f"'{name}" if visible[:1] in _formula_starts else name


def _checked(value: Any) -> dict[str, float | None]:
    where = "metrics.py"
    if not isinstance(value, dict) or not value:
        raise ToolkitError("model-folder-invalid", "calc must return a dict of numbers", where=where)
    numbers: dict[str, float | None] = {}
    for name, number in value.items():
        if (
            not isinstance(name, str)
            or name == ""
            or any(letter.isspace() or letter in ',"' for letter in name)
        ):
            raise ToolkitError(
                "model-folder-invalid", f"The metric name {name!r} is not a plain word", where=where
            )
        try:
            found = float(number)
        except (TypeError, ValueError):
            raise ToolkitError(
                "model-folder-invalid",
                f"The metric {name} is {type(number).__name__}, not a number",
                where=where,
                remedy="calc must return a dict of finite numbers.",
            ) from None
        # Of outputs with NaN there is none: the gate says so.
        numbers[name] = found if math.isfinite(found) else None
    return numbers


def run(options: argparse.Namespace, report: Report) -> dict[str, Any]:
    """CSV with one header and one value row; the first column `_total_` is the number of samples."""
    folder = ModelFolder.from_options(options)
    report.progress(0.0, "Reading the dump")
    outputs, labels = read_all(options.dump_dir, "outputs"), read_all(options.dump_dir, "labels")
    ids = read_all(options.dump_dir, "ids").get("ids", np.empty(0, dtype=np.str_))
    if not outputs or not labels:
        lacking = "outputs" if not outputs else "labels"
        raise ToolkitError(
            "input-invalid",
            f"The dump contains no {lacking}",
            where=str(options.dump_dir),
            remedy="Write it with --dump-labels.",
        )
    calculator = folder.call("metrics")
    with folder.own_code("MetricsCalculator.calc of metrics.py"):
        result = calculator.calc(
            ids=list(ids), y_pred=outputs, x=read_all(options.dump_dir, "inputs") or None, y_real=labels
        )
    values = _checked(result)
    with replacing(options.csv) as partial:
        header = ",".join(["_total_", *map(_inert, values)])
        row = ",".join([str(len(ids)), *("" if value is None else repr(value) for value in values.values())])
        partial.write_text(f"{header}\n{row}\n", encoding="utf-8")
    for name, value in values.items():
        report.fact(name, "not a finite number" if value is None else f"{value:.4f}")
    report.progress(1.0, "Metrics computed")
    return {"metrics": values, "samples": len(ids)}
