"""Batches of the held-out fold's cases, one patch a case."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .cases import centre_patch, list_cases, read_case, split_cases

Tensors = dict[str, npt.NDArray[Any]]


class PatchLoader:
    """Yields (ids, x, y): x INPUT__0 [batch, modality, size, size, size], y OUTPUT__0 [batch, size, size, size]."""

    def __init__(
        self,
        data_dir: Path,
        batch_size: int,
        precision: str,
        patch_size: int,
        fold: int,
        modalities: int,
        classes: int,
    ) -> None:
        _, self._cases = split_cases(list_cases(data_dir), fold)
        self._batch_size = batch_size
        self._patch_size = patch_size
        self._modalities = modalities
        self._classes = classes
        self._dtype = np.float16 if precision == "fp16" else np.float32

    def __len__(self) -> int:
        """Samples, not batches."""
        return len(self._cases)

    def __call__(self) -> Iterator[tuple[list[str], Tensors, Tensors]]:
        for start in range(0, len(self._cases), self._batch_size):
            part = self._cases[start : start + self._batch_size]
            read = [read_case(case, self._modalities, self._classes) for case in part]
            x = np.stack([centre_patch(image, self._patch_size) for image, _ in read])
            y = np.stack([centre_patch(label, self._patch_size) for _, label in read])
            yield [case.id for case in part], {"INPUT__0": x.astype(self._dtype)}, {"OUTPUT__0": y}


def get_dataloader_fn(
    data_dir: str,
    batch_size: int = 1,
    precision: str = "fp32",
    patch_size: int = 128,
    fold: int = 2,
    modalities: int = 4,
    classes: int = 4,
) -> PatchLoader:
    """The last batch may be smaller; none is left out."""
    return PatchLoader(Path(data_dir), batch_size, precision, patch_size, fold, modalities, classes)
