"""Batches of a model folder's loader, checked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Callable, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from .errors import ToolkitError
from .model_folder import ModelFolder

Array = npt.NDArray[Any]
Tensors = dict[str, Array]


class Batch(NamedTuple):
    """`ids`: one a sample; the arrays have equal first axes."""

    ids: list[str]
    x: Tensors
    y: Tensors


class Batches:
    """At most `limit` samples (0 = all) of the loader; can be gone through more than once."""

    def __init__(self, folder: ModelFolder, limit: int, **context: object) -> None:
        """`context`: values for the loader's parameters, where it has them and the user says no other."""
        self._folder = folder
        self._limit = limit
        self._loader: Callable[[], Any] = folder.call("dataloader", **context)

    @property
    def sample_count(self) -> Optional[int]:
        """None when the loader does not say (it has no length)."""
        length = getattr(self._loader, "__len__", None)
        if length is None:
            return None
        count = int(length())
        return count if self._limit == 0 else min(count, self._limit)

    def __iter__(self) -> Iterator[Batch]:
        """Throws model-folder-invalid when a batch is not (ids, x, y) with equal first axes."""
        seen = 0
        for item in self._items():
            batch = self._checked(item)
            if self._limit != 0 and seen + len(batch.ids) > self._limit:
                batch = cut(batch, self._limit - seen)
            if not batch.ids:
                break
            seen += len(batch.ids)
            yield batch
            if seen == self._limit:
                break
        if seen == 0:
            raise ToolkitError(
                "input-invalid",
                "The loader gave no sample",
                where=str(self._folder.path / "dataloader.py"),
                remedy="Check that the data set holds samples that the loader finds.",
            )

    def _items(self) -> Iterator[Any]:
        with self._folder.own_code("The loader of dataloader.py"):
            yield from self._loader()

    def _checked(self, item: Any) -> Batch:
        where = str(self._folder.path / "dataloader.py")
        try:
            ids, x, y = item
            if isinstance(ids, (str, bytes, dict)):
                raise TypeError("ids")
            batch = Batch([str(i) for i in ids], _arrays(x), _arrays(y or {}))
        except (TypeError, ValueError, AttributeError) as error:
            raise ToolkitError(
                "model-folder-invalid",
                "The loader must yield (ids, x dict, y dict)",
                where=where,
                remedy="Yield a list of names, one per sample, the inputs by name and the true values by name.",
            ) from error
        for name, array in (*batch.x.items(), *batch.y.items()):
            if array.ndim == 0 or array.shape[0] != len(batch.ids):
                raise ToolkitError(
                    "model-folder-invalid",
                    f"The loader gave {len(batch.ids)} ids, but {name} has the shape {list(array.shape)}",
                    where=where,
                )
        for name, array in batch.x.items():
            if array.dtype.kind not in "biufU":
                raise ToolkitError(
                    "model-folder-invalid",
                    f"The loader returns {name} as {array.dtype}; only numbers, booleans and texts can be sent",
                    where=where,
                )
        return batch


def _arrays(tensors: Any) -> Tensors:
    return {str(name): np.asarray(value) for name, value in tensors.items()}


def cut(batch: Batch, count: int) -> Batch:
    """The first `count` samples."""
    return Batch(
        batch.ids[:count],
        {name: array[:count] for name, array in batch.x.items()},
        {name: array[:count] for name, array in batch.y.items()},
    )
