"""Requests of each batch size that framework and Triton are compared at, beside all samples in the loader's batches.

A dump has them in folders: `batch-<n>` for requests of n samples. With a dynamic batcher, `singly` and `gathered` have
the same rows, in the framework each by itself and on Triton sent at once, so that Triton makes batches of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..batches import Batch, Batches, Tensors, cut
from ..dumps import DumpWriter, Lengths, read_lengths, read_samples, write_lengths
from ..errors import ToolkitError
from ..model_folder import ModelFolder
from ..options import at_least
from ..texts import is_text

SINGLY, GATHERED = "singly", "gathered"
#: The same requests as those of all samples, computed a second time.
AGAIN = "again"
#: Numbers in the different samples of a request: of volumes, eight would take gigabytes.
_MOST_VALUES = 8_000_000


class Asked(NamedTuple):
    """`sizes`: of requests that are sent one after the other; `gathered`: rows that are sent at once, 0 = none;
    `samples`: different ones that requests are made of.
    """

    sizes: list[int]
    gathered: int
    samples: int

    @classmethod
    def of(cls, options: argparse.Namespace) -> Asked:
        return cls(options.at_batch_size, options.gathered, options.compared_samples)


def add_asked_arguments(parser: argparse.ArgumentParser, with_samples: bool = True) -> None:
    parser.add_argument(
        "--at-batch-size", type=at_least(1), action="append", default=[], metavar="N",
        help="also compare requests of so many samples; may be given several times",
    )  # fmt: skip
    parser.add_argument(
        "--gathered", type=at_least(0), default=0, metavar="N",
        help="also compare so many requests of one sample at once, which a dynamic batcher gathers; 0 = none",
    )  # fmt: skip
    if with_samples:
        parser.add_argument(
            "--compared-samples", type=at_least(1), default=8, metavar="N",
            help="different samples that these requests are made of",
        )  # fmt: skip


def folder_of(size: int) -> str:
    return f"batch-{size}"


def filled(batch: Batch, size: int) -> Batch:
    """`size` samples: those of the batch, over and over where it has fewer or they are large. Labels are left out."""
    each = sum(int(np.prod(array.shape[1:])) for array in batch.x.values())
    whole = cut(batch, min(size, max(1, _MOST_VALUES // max(1, each))))
    have = len(whole.ids)
    rows = np.arange(size) % have
    ids = [
        whole.ids[row] if turn < have else f"{whole.ids[row]} ({turn // have + 1})"
        for turn, row in enumerate(rows)
    ]
    return Batch(ids, {name: array[rows] for name, array in whole.x.items()}, {})


def different_in(request: Batch) -> int:
    """How many samples of a filled request come before it repeats them."""
    again = f"{request.ids[0]} (2)"
    return request.ids.index(again) if again in request.ids else len(request.ids)


def requests_of(folder: ModelFolder, size: int, samples: int) -> Iterator[Batch]:
    """Of one sample a request for each of `samples`; of more than one a single request."""
    each = min(size, samples)
    # A loader may make the samples of a batch equally long: it is told what a batch is here.
    for batch in Batches(folder, samples if size == 1 else each, batch_size=each):
        if size > 1:
            yield filled(batch, size)
            return
        # Whatever the loader takes for a batch.
        yield from rows_of(batch)


def rows_of(batch: Batch) -> Iterator[Batch]:
    """Each sample as a request of its own."""
    for row, name in enumerate(batch.ids):
        yield Batch([name], {key: array[row : row + 1] for key, array in batch.x.items()}, {})


def gathered_rows(folder: ModelFolder, asked: Asked) -> list[Batch]:
    """Rows of one batch, which all have the same shape: only such requests are gathered."""
    return list(rows_of(next(requests_of(folder, asked.gathered, asked.samples))))


class Writers:
    """A dump for each folder. `lengths`: see `write_lengths`."""

    def __init__(self, directory: Path, lengths: Lengths) -> None:
        self._directory = directory
        self._lengths = lengths
        self._writers: dict[str, DumpWriter] = {}

    def write(self, name: str, batch: Batch, outputs: Tensors) -> None:
        if name not in self._writers:
            (self._directory / name).mkdir()
            write_lengths(self._directory / name, self._lengths)
            self._writers[name] = DumpWriter(self._directory / name)
        self._writers[name].write(batch.ids, outputs=outputs)

    def flush(self) -> None:
        for writer in self._writers.values():
            writer.flush()


def _share(reference: Tensors, answer: Tensors) -> float:
    """How far apart two answers are, for telling which of two is nearer."""
    worst = 0.0
    for name, array in reference.items():
        other = answer.get(name)
        if other is None or other.shape != array.shape:
            return np.inf
        if array.size == 0:
            continue
        if is_text(array) or is_text(other):
            if not np.array_equal(array, other):
                return np.inf
            continue
        a, b = array.astype(np.float64), other.astype(np.float64)
        with np.errstate(invalid="ignore"):
            difference = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(a - b))
        scale = np.abs(a[np.isfinite(a)]).max(initial=0.0) or 1.0
        worst = max(worst, float(np.nan_to_num(difference, nan=np.inf).max()) / float(scale))
    return worst


def write_nearest(reference: Path, candidate: Path, size: int, target: Path) -> None:
    """For each gathered row the framework's answer alone, or the one in a batch where Triton's is nearer to that:
    which requests Triton put together nobody tells. `target`: an empty folder.
    """
    alone, together = reference / SINGLY, reference / folder_of(size)
    write_lengths(target, read_lengths(alone))
    writer = DumpWriter(target)
    for (name, one), (_, batched), (given, answer) in zip(
        read_samples(alone), read_samples(together), read_samples(candidate / GATHERED)
    ):
        if name != given:
            raise ToolkitError("input-invalid", f"The dumps hold different samples: {name} against {given}")
        chosen = batched if _share(batched, answer) < _share(one, answer) else one
        writer.write([name], outputs={key: array[None] for key, array in chosen.items()})
    writer.flush()
