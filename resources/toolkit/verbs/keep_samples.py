"""A few samples with the outputs that the framework gave for them, as raw tensors: what a deployment is checked by."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Optional

import numpy as np

from ..batches import Array, Batch, Batches, Tensors
from ..checks.compared_batches import add_asked_arguments, different_in, folder_of, requests_of, rows_of
from ..datatypes import triton_datatype
from ..dumps import read_lengths, read_samples
from ..errors import ToolkitError
from ..files import new_directory
from ..model_folder import ModelFolder
from ..options import add_model_arguments, at_least
from ..report import Report
from ..texts import is_text, raw_bytes

#: Of the samples one by one, all tensors together; one is kept whatever its size. Of the batch as much again.
MOST_BYTES = 64 * 1024 * 1024


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_arguments(parser)
    parser.add_argument("--reference", type=Path, required=True, help="dump of the model in its framework")
    add_asked_arguments(parser)
    parser.add_argument("--count", type=at_least(1), default=8, help="samples at most")
    parser.add_argument("--output-dir", type=Path, required=True, help="samples.json and one file per tensor")


def _write(directory: Path, index: int, kind: str, tensors: Mapping[str, Array]) -> list[dict[str, Any]]:
    """A file for each tensor, whose first axis counts samples."""
    written = []
    for position, (name, array) in enumerate(tensors.items()):
        file = f"{index}-{kind}-{position}.bin"
        (directory / file).write_bytes(raw_bytes(array))
        datatype = triton_datatype(array.dtype)
        written.append({"name": name, "datatype": datatype, "shape": list(array.shape), "file": file})
    return written


class Kept(NamedTuple):
    """A request with the framework's answer. `repeat`: samples that it has, the same ones over and over."""

    id: str
    inputs: Tensors
    outputs: Tensors
    repeat: Optional[int] = None

    def size(self) -> int:
        return sum(array.nbytes for array in (*self.inputs.values(), *self.outputs.values()))


def _paired(requests: Iterable[Batch], reference: Path) -> Iterator[Kept]:
    """Requests of one sample with their answers."""
    expected = read_samples(reference)
    for request in requests:
        found, outputs = next(expected, ("", {}))
        if found != request.ids[0]:
            raise ToolkitError(
                "input-invalid",
                f"The dump holds the sample {found} where the loader gives {request.ids[0]}",
                where=str(reference),
            )
        yield Kept(found, request.x, {name: array[None] for name, array in outputs.items()})


def _alike(first: Tensors, second: Tensors) -> bool:
    """Up to the rounding of sums in another order."""
    return all(
        array.shape == second[name].shape
        and (
            np.array_equal(array, second[name])
            if is_text(array)
            else np.allclose(array, second[name], rtol=1e-3, atol=1e-5, equal_nan=True)
        )
        for name, array in first.items()
    )


def _batch(folder: ModelFolder, size: int, samples: int, reference: Path) -> Optional[Kept]:
    """A request of `size` samples; None where its answers do not repeat as its samples do."""
    request = next(requests_of(folder, size, samples))
    answers = [outputs for _, outputs in read_samples(reference)]
    different = different_in(request)
    repeats = all(_alike(answers[row % different], outputs) for row, outputs in enumerate(answers))
    # Samples that were computed without their padding are of no one length.
    shapes = {tuple(array.shape for array in answer.values()) for answer in answers}
    if len(answers) != size or not repeats or len(shapes) > 1:
        return None
    outputs = {name: np.stack([answer[name] for answer in answers[:different]]) for name in answers[0]}
    inputs = {name: array[:different] for name, array in request.x.items()}
    return Kept(f"{size} samples", inputs, outputs, size)


def _kept(folder: ModelFolder, options: argparse.Namespace) -> Iterator[Kept]:
    """First the samples one by one, then a batch of the largest size."""
    sizes: list[int] = options.at_batch_size
    if 1 not in sizes:
        rows = (row for batch in Batches(folder, options.count) for row in rows_of(batch))
        yield from _paired(rows, options.reference)
        return
    single = requests_of(folder, 1, options.count)
    yield from _paired(single, options.reference / folder_of(1))
    if max(sizes) > 1:
        batch = _batch(
            folder, max(sizes), options.compared_samples, options.reference / folder_of(max(sizes))
        )
        if batch is not None:
            yield batch


def run(options: argparse.Namespace, report: Report) -> dict[str, Any]:
    folder = ModelFolder.from_options(options)
    report.progress(0.0, "Keeping samples for the check of a deployment")
    samples: list[dict[str, Any]] = []
    used = count = 0
    with new_directory(options.output_dir) as directory:
        for kept in _kept(folder, options):
            of_batch = kept.repeat is not None
            if samples and used + kept.size() > (2 * MOST_BYTES if of_batch else MOST_BYTES):
                continue
            used += kept.size()
            count += 0 if of_batch else 1
            at = len(samples)
            samples.append(
                {
                    "id": kept.id,
                    "inputs": _write(directory, at, "input", kept.inputs),
                    "outputs": _write(directory, at, "output", kept.outputs),
                    **({} if kept.repeat is None else {"repeat": kept.repeat}),
                }
            )
        lengths = {name: of for name, of in read_lengths(options.reference).items() if of is not None}
        document = {"lengths": lengths, "samples": samples}
        (directory / "samples.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return {"samples": count}
