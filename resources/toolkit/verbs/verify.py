"""Compare the outputs of two dumps."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from ..checks.compared_batches import (
    GATHERED,
    SINGLY,
    add_asked_arguments,
    folder_of,
    write_nearest,
)
from ..comparison import OutputStatistics, compare
from ..errors import ToolkitError
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
    add_asked_arguments(parser, with_samples=False)


class Comparing:
    """Dumps by the tolerances of the run, in which a difference of shapes is a difference as any other."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._limits = (dict(options.atol), dict(options.rtol), dict(options.max_mismatch))

    def whole(self, reference: Path, candidate: Path) -> list[OutputStatistics]:
        """Throws verification-failed."""
        return compare(reference, candidate, *self._limits)

    def part(self, reference: Path, candidate: Path) -> dict[str, Any]:
        """Outputs as the contract has them, or why they cannot be compared."""
        try:
            return {"outputs": [statistics.fields() for statistics in self.whole(reference, candidate)]}
        except ToolkitError as error:
            if error.code != "verification-failed":
                raise
            return {"outputs": [], "failure": error.message}


def _agrees(part: dict[str, Any]) -> bool:
    return "failure" not in part and all(output["passed"] for output in part["outputs"])


def _batches(options: argparse.Namespace, comparing: Comparing) -> list[dict[str, Any]]:
    """Requests of each batch size, and last those that a dynamic batcher gathered."""
    reference, candidate = options.reference, options.candidate
    found = [
        {"batchSize": size, **comparing.part(reference / folder_of(size), candidate / folder_of(size))}
        for size in options.at_batch_size
    ]
    if options.gathered > 0:
        with tempfile.TemporaryDirectory() as folder:
            nearest = Path(folder)
            write_nearest(reference, candidate, options.gathered, nearest)
            part = comparing.part(nearest, candidate / GATHERED)
        alone = comparing.part(reference / SINGLY, candidate / GATHERED)
        # The framework answers otherwise in a batch, and so does Triton, whatever the client sent.
        varies = _agrees(part) and not _agrees(alone)
        found.append({"batchSize": 1, "gathered": options.gathered, "varies": varies, **part})
    return found


def run(options: argparse.Namespace, report: Report) -> dict[str, Any]:
    """|reference - candidate| <= atol + rtol * |reference| for every element, and no NaN.

    Up to the share of --max-mismatch of the elements may differ by more.
    """
    report.progress(0.0, "Comparing outputs")
    outputs = []
    comparing = Comparing(options)
    for statistics in comparing.whole(options.reference, options.candidate):
        fields = statistics.fields()
        outputs.append(fields)
        difference = fields["maxAbsDiff"]
        if statistics.empty:
            report.fact(f"Largest difference of {statistics.output}", "no values on either side")
            continue
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
    batches = _batches(options, comparing)
    report.progress(1.0, "Compared")
    return {"outputs": outputs, "batches": batches}
