"""Comparison of two dumps, output by output, in slices of bounded size.

The rule is `NumbersRule` of main/contract/measured/output-rules.ts, here in numpy for what is too large elsewhere;
test/fixtures/outputs/rules.json holds both to it. Only the gate asks more: that a tolerance can fail, and that some
value is finite.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from .batches import Array, Tensors
from .dumps import read_dumps, read_lengths
from .errors import ToolkitError
from .texts import is_text

#: Values compared at a time: bounds the memory of the float64 copies to some hundred MiB.
_SLICE_VALUES = 4_000_000

Mask = npt.NDArray[np.bool_]


class Slice(NamedTuple):
    """Some samples of one dump."""

    ids: Array
    tensors: Tensors
    shapes: Tensors


def _slices(directory: Path) -> Iterator[Slice]:
    outputs = read_dumps(directory, "outputs")
    for ids in read_dumps(directory, "ids"):
        dump = next(outputs, None)
        names = ids.tensors.get("ids")
        if dump is None or names is None or any(len(array) != len(names) for array in dump.tensors.values()):
            raise ToolkitError(
                "input-invalid", "The dump has not one output for each id", where=str(directory)
            )
        # Triton knows no sample without dimensions: what a model gives as [n] comes back as [n, 1].
        tensors = {
            name: array.reshape(-1, 1) if array.ndim == 1 else array for name, array in dump.tensors.items()
        }
        yield Slice(names, tensors, dump.shapes)


def _parts(part: Slice, start: int, stop: int) -> Slice:
    return Slice(
        part.ids[start:stop],
        {name: array[start:stop] for name, array in part.tensors.items()},
        {name: array[start:stop] for name, array in part.shapes.items()},
    )


def aligned(reference: Path, candidate: Path) -> Iterator[tuple[Slice, Slice]]:
    """Equal samples of both dumps; their files may be cut at different places. Throws input-invalid."""
    left, right = _slices(reference), _slices(candidate)
    a, b = next(left, None), next(right, None)
    if a is None or b is None:
        empty = reference if a is None else candidate
        raise ToolkitError("input-invalid", "The dump holds no outputs", where=str(empty))
    while a is not None and b is not None:
        per_sample = max(int(np.prod(array.shape[1:])) for array in a.tensors.values())
        count = min(len(a.ids), len(b.ids), max(1, _SLICE_VALUES // max(1, per_sample)))
        first, second = _parts(a, 0, count), _parts(b, 0, count)
        if not np.array_equal(first.ids, second.ids):
            at = int(np.argmax(first.ids != second.ids))
            raise ToolkitError(
                "input-invalid",
                f"The dumps hold different samples: {first.ids[at]} against {second.ids[at]}",
                where=str(candidate),
            )
        yield first, second
        a = _parts(a, count, len(a.ids)) if count < len(a.ids) else next(left, None)
        b = _parts(b, count, len(b.ids)) if count < len(b.ids) else next(right, None)
    if a is not None or b is not None:
        longer = reference if a is not None else candidate
        raise ToolkitError("input-invalid", "One dump holds more samples than the other", where=str(longer))


def _valid(part: Slice, name: str, lengths: str | None) -> Mask:
    """False where an element is padding; `lengths`: the output that holds the valid size of the last axis."""
    array = part.tensors[name]
    mask = np.ones(array.shape, dtype=np.bool_)
    if lengths is not None:
        counts = part.tensors[lengths].reshape([-1] + [1] * (array.ndim - 1))
        mask &= np.arange(array.shape[-1]) < counts
    shapes = part.shapes.get(name)
    if shapes is None:
        return mask
    for axis in range(1, array.ndim):
        positions = np.arange(array.shape[axis]).reshape([-1 if i == axis else 1 for i in range(array.ndim)])
        mask &= positions < shapes[:, axis - 1].reshape([-1] + [1] * (array.ndim - 1))
    return mask


def _shape(part: Slice, name: str, row: int) -> list[int]:
    """Of one sample, without padding."""
    shapes = part.shapes.get(name)
    return [int(size) for size in (part.tensors[name].shape[1:] if shapes is None else shapes[row])]


def _grown(array: Array, shape: tuple[int, ...]) -> Array:
    """Zeros, or False, behind the ends."""
    return np.pad(array, [(0, wanted - size) for size, wanted in zip(array.shape, shape)])


@dataclass
class OutputStatistics:
    """Running comparison of one output; differences in float64, into which every dumped type goes exactly enough."""

    output: str
    atol: float
    rtol: float
    max_mismatch: float = 0.0
    max_abs: float = -1.0
    max_rel: float = -1.0
    #: Largest difference as a share of atol + rtol * |reference|; infinite where nothing may differ and does.
    max_share: float = -1.0
    nan_count: int = 0
    inf_count: int = 0
    worst: str | None = None
    samples: int = 0
    within: bool = True
    compared: int = 0
    outside: int = 0
    low: float = np.inf
    high: float = -np.inf
    lengths: str | None = None
    other_lengths: int = 0
    #: The reference was computed without the padding of its batch: what the other has behind its end is not compared.
    unpadded: bool = False
    #: Values that are no padding, in the framework.
    values: int = 0

    def add(self, reference: Slice, candidate: Slice) -> None:
        """Throws verification-failed when shapes differ; other lengths of an output that has them are counted."""
        valid = _valid(reference, self.output, self.lengths)
        other = _valid(candidate, self.output, self.lengths)
        first, second = reference.tensors[self.output], candidate.tensors[self.output]
        if self.lengths is not None and valid.ndim == other.ndim:
            common = tuple(max(sizes) for sizes in zip(valid.shape, other.shape))
            first, second, valid, other = (_grown(array, common) for array in (first, second, valid, other))
            # From the first frame that is not there on, two such samples tell nothing of each other.
            same = (valid == other).reshape(len(valid), -1).all(axis=1)
            self.other_lengths += int((~same).sum())
            self.within &= bool(same.all())
            same = same.reshape([-1] + [1] * (valid.ndim - 1))
            valid, other = valid & same, other & same
        if self.unpadded and valid.ndim == other.ndim and valid.shape[2:] == other.shape[2:]:
            common = tuple(max(sizes) for sizes in zip(valid.shape, other.shape))
            first, second, valid, other = (_grown(array, common) for array in (first, second, valid, other))
            other = other & valid
        if valid.shape != other.shape or not np.array_equal(valid, other):
            raise self._other_shape(reference, candidate)
        self.values += int(valid.sum())
        if is_text(first) or is_text(second):
            self._add_texts(reference, first, second, valid)
            return
        a, b = first.astype(np.float64), second.astype(np.float64)
        self.samples += len(a)
        self.nan_count += int(((np.isnan(a) | np.isnan(b)) & valid).sum())
        self.inf_count += int(((np.isinf(a) | np.isinf(b)) & valid).sum())
        finite = np.isfinite(a) & np.isfinite(b) & valid
        # Equal infinities agree; NaN agrees with nothing.
        self.within &= bool((finite | ~valid | (np.isinf(a) & (a == b))).all())
        if not finite.any():
            return
        values = a[finite]
        self.low, self.high = min(self.low, float(values.min())), max(self.high, float(values.max()))
        difference = np.zeros(a.shape)
        difference[finite] = np.abs(values - b[finite])
        if first.dtype.kind in "iu" and second.dtype.kind in "iu":
            # Beyond 2^53 two of them may have one number of float64.
            difference = np.maximum(difference, (first != second) & finite)
        self.compared += int(values.size)
        allowed = self.atol + self.rtol * np.abs(values)
        self.outside += int((difference[finite] > allowed).sum())
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.where(difference[finite] == 0, 0.0, difference[finite] / allowed)
        self.max_share = max(self.max_share, float(shares.max()))
        nonzero = values != 0
        if nonzero.any():
            relative = difference[finite][nonzero] / np.abs(values[nonzero])
            self.max_rel = max(self.max_rel, float(relative.max()))
        by_sample = difference.reshape(len(a), -1).max(axis=1)
        worst = int(by_sample.argmax())
        if by_sample[worst] > self.max_abs:
            self.max_abs = float(by_sample[worst])
            self.worst = str(reference.ids[worst])

    def _add_texts(self, reference: Slice, first: Array, second: Array, valid: Mask) -> None:
        """Letter by letter: no tolerance applies. The difference of two texts is 1."""
        self.atol = self.rtol = 0.0
        self.samples += len(first)
        if not valid.any():
            return
        differs = (first != second) & valid if is_text(first) and is_text(second) else valid
        self.compared += int(valid.sum())
        self.outside += int(differs.sum())
        self.max_share = max(self.max_share, np.inf if differs.any() else 0.0)
        by_sample = differs.reshape(len(first), -1).max(axis=1)
        worst = int(by_sample.argmax())
        if float(by_sample[worst]) > self.max_abs:
            self.max_abs = float(by_sample[worst])
            self.worst = str(reference.ids[worst])

    def _other_shape(self, reference: Slice, candidate: Slice) -> ToolkitError:
        shapes = [
            [_shape(part, self.output, row) for part in (reference, candidate)]
            for row in range(len(reference.ids))
        ]
        row = next((row for row, pair in enumerate(shapes) if pair[0] != pair[1]), 0)
        wanted, found = shapes[row]
        return ToolkitError(
            "verification-failed",
            f"{self.output} of the sample {reference.ids[row]} has the shape {wanted} in the framework and {found} on "
            "Triton",
            where=self.output,
        )

    @property
    def empty(self) -> bool:
        """Without a value in any sample on either side, as detections of a picture with nothing in it."""
        return self.samples > 0 and self.values == 0 and self.other_lengths == 0

    @property
    def vacuous(self) -> bool:
        """An output of nothing but zeros would pass, or any value within the reference's own range would."""
        largest = max(abs(self.low), abs(self.high))
        if self.max_mismatch >= 1:
            return True
        if not np.isfinite(largest):
            return False
        spread = self.high - self.low
        return self.atol + self.rtol * largest >= largest or (0 < spread <= self.atol)

    def fields(self) -> dict[str, Any]:
        """As `OutputComparison` of the contract."""
        return {
            "output": self.output,
            "atol": self.atol,
            "rtol": self.rtol,
            "maxMismatch": self.max_mismatch,
            "mismatchShare": self.outside / self.compared if self.compared > 0 else None,
            "maxAbsDiff": None if self.max_abs < 0 else self.max_abs,
            "maxRelDiff": None if self.max_rel < 0 else self.max_rel,
            "allowanceShare": self.max_share if 0 <= self.max_share < np.inf else None,
            "nanCount": self.nan_count,
            "infCount": self.inf_count,
            "worstSample": self.worst,
            "sampleCount": self.samples,
            **({} if self.lengths is None else {"otherLengths": self.other_lengths}),
            **({"empty": True} if self.empty else {}),
            # Nothing finite compared means nothing shown, unless there is nothing on either side.
            "passed": self.within
            and (self.max_abs >= 0 or self.empty)
            and self.outside <= self.max_mismatch * self.compared,
            "vacuous": self.vacuous,
        }


def compare(
    reference: Path,
    candidate: Path,
    atol: Mapping[str, float],
    rtol: Mapping[str, float],
    max_mismatch: Optional[Mapping[str, float]] = None,
) -> list[OutputStatistics]:
    """All outputs of two dumps. An output that one of them lacks throws verification-failed.

    `max_mismatch`: share of an output's values that may lie outside the tolerances: class numbers differ whole or not.
    """
    shares = max_mismatch or {}
    found: dict[str, OutputStatistics] = {}
    lengths = read_lengths(reference)
    for first, second in aligned(reference, candidate):
        if set(first.tensors) != set(second.tensors):
            lone = ", ".join(sorted(set(first.tensors) ^ set(second.tensors)))
            raise ToolkitError(
                "verification-failed", f"Only one of the dumps has the output {lone}", where=lone
            )
        for name in first.tensors:
            if name not in found:
                limits = [limit.get(name, limit.get("*", 0.0)) for limit in (atol, rtol, shares)]
                found[name] = OutputStatistics(
                    *(name, limits[0], limits[1], limits[2]),
                    lengths=lengths.get(name),
                    unpadded=name in lengths and lengths[name] is None,
                )
            found[name].add(first, second)
    unknown = sorted((set(atol) | set(rtol) | set(shares)) - set(found) - {"*"})
    if unknown:
        raise ToolkitError(
            "input-invalid",
            f"There is a tolerance for {', '.join(unknown)}, but the outputs are {', '.join(found)}",
            where="--atol, --rtol",
        )
    return list(found.values())
