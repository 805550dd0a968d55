"""Compare the outputs of two dumps."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..comparison import compare
from ..options import tolerance
from ..report import Report, scale_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--reference", type=Path, required=True, help="dump of the model in its framework")
    parser.add_argument("--candidate", type=Path, required=True, help="dump to check")
    for name, text in (("--atol", "absolute"), ("--rtol", "relative")):
        parser.add_argument(
            name, type=tolerance, nargs="+", action="extend", default=[], metavar="NAME=V",
            help=f"{text} tolerance of an output; NAME * = every output not named; else 0",
        )  # fmt: skip
    parser.add_argument(
        "--max-mismatch", type=tolerance, nargs="+", action="extend", default=[], metavar="NAME=SHARE",
        help="share of an output's values, 0 to 1, that may lie outside the tolerances; NAME as above",
    )  # fmt: skip


def run(options: argparse.Namespace, report: Report) -> dict[str, Any]:
    """|reference - candidate| <= atol + rtol * |reference| for every element, and no NaN.

    Up to the share of --max-mismatch of the elements may differ by more.
    """
    report.progress(0.0, "Comparing outputs")
    outputs = []
    limits = (dict(options.atol), dict(options.rtol), dict(options.max_mismatch))
    for statistics in compare(options.reference, options.candidate, *limits):
        fields = statistics.fields()
        outputs.append(fields)
        difference = fields["maxAbsDiff"]
        shown = "none finite" if difference is None else scale_text(difference)
        report.fact(f"Largest difference of {statistics.output}", f"{shown} (sample {fields['worstSample']})")
        if statistics.outside > 0:
            report.fact(
                f"Values of {statistics.output} outside the tolerance",
                f"{statistics.outside:,} of {statistics.compared:,}",
            )
        if statistics.other_lengths > 0:
            report.warning(
                f"{statistics.output}: {statistics.other_lengths} of {statistics.samples} samples have another length "
                f"({statistics.lengths}) in each dump and were not compared value by value"
            )
        if fields["vacuous"]:
            report.warning(
                f"The tolerance of {statistics.output} (atol {scale_text(statistics.atol)}, "
                f"rtol {scale_text(statistics.rtol)}) cannot fail: its values lie between "
                f"{scale_text(statistics.low)} and {scale_text(statistics.high)}, and the largest "
                f"observed difference is {shown}"
            )
    report.progress(1.0, "Compared")
    return {"outputs": outputs}
