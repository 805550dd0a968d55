"""Samples of rows: made of the values that a model tells apart, or read by column or as one array."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from toolkit.samples import read_file, refuse_file

from .library import LibraryFile
from .sklearn_file import SklearnFile

Array = npt.NDArray[Any]

#: One of so many values is missing, and one of so many categories was not seen in training.
_MISSING, _UNSEEN = 0.05, 0.02


class Input(NamedTuple):
    name: str
    columns: int


def parse_inputs(text: str) -> list[Input]:
    """Of `[{"name", "datatype", "shape"}]`, the shape without the batch axis."""
    return [Input(item["name"], item["shape"][0]) for item in json.loads(text)]


class Column(NamedTuple):
    """Where its values lie. `choices`: of a category, in place of a range; `steps`: what a model compares with."""

    middle: float = 0.0
    width: float = 1.0
    choices: Optional[Array] = None
    steps: Optional[Array] = None


def _values(column: Column, count: int, generator: np.random.Generator) -> Array:
    if column.choices is not None:
        chosen: Array = generator.choice(column.choices, count)
        return chosen
    if column.steps is None or len(column.steps) == 0:
        return generator.normal(column.middle, column.width, count)
    steps = np.asarray(column.steps, dtype=np.float64)
    margin = max(1e-3, float(steps[-1] - steps[0]) / 8)
    edges = np.concatenate([[steps[0] - margin], steps, [steps[-1] + margin]])
    place = generator.integers(0, len(edges) - 1, count)
    values: Array = edges[place] + (edges[place + 1] - edges[place]) * generator.random(count)
    return values


def _of_parts(step: Any, columns: dict[int, Column]) -> None:
    for _, part, where in getattr(step, "transformers_", []):
        if isinstance(part, str):
            continue
        inner: dict[int, Column] = {}
        for one in getattr(part, "steps", [("", part)]):
            _of_step(one[1], inner)
        places = np.arange(step.n_features_in_)[where] if not isinstance(where, int) else np.array([where])
        for index, place in enumerate(np.atleast_1d(places)):
            if index in inner:
                columns.setdefault(int(place), inner[index])


def _of_step(step: Any, columns: dict[int, Column]) -> None:
    """What an estimator saw of the columns in training."""
    _of_parts(step, columns)
    for index, seen in enumerate(getattr(step, "categories_", [])):
        columns.setdefault(index, Column(choices=np.array([one for one in seen if one == one])))
    for index, ends in enumerate(zip(getattr(step, "data_min_", []), getattr(step, "data_max_", []))):
        columns.setdefault(index, Column(steps=np.array(ends)))
    middles: Any = getattr(step, "mean_", getattr(step, "center_", getattr(step, "statistics_", None)))
    widths: Any = getattr(step, "scale_", None)
    # Steps that give columns in another order have neither.
    for index in range(0 if middles is None or hasattr(step, "components_") else len(middles)):
        width = 1.0 if widths is None else float(widths[index])
        columns.setdefault(index, Column(float(middles[index]), width))


def _of_trees(last: Any) -> dict[int, Column]:
    """Thresholds of trees that see the rows as they come."""
    found: dict[int, list[float]] = {}
    for tree in np.ravel(np.array(getattr(last, "estimators_", [last]), dtype=object)):
        inner = getattr(tree, "tree_", None)
        if inner is None:
            continue
        for feature, threshold in zip(inner.feature, inner.threshold):
            # Infinite where a node parts the missing values from all others.
            if feature >= 0 and np.isfinite(threshold):
                found.setdefault(int(feature), []).append(float(threshold))
    return {column: Column(steps=np.unique(values)) for column, values in found.items()}


def columns_of(loaded: LibraryFile) -> dict[int, Column]:
    """By number; a column that is not among them has no say, or is of mean 0 and deviation 1."""
    if not isinstance(loaded, SklearnFile):
        forest = loaded.forest()
        columns = {column: Column(steps=steps) for column, steps in forest.thresholds().items()}
        columns.update(
            {column: Column(choices=np.arange(most + 1)) for column, most in forest.categories().items()}
        )
        return columns
    *before, last = loaded.steps
    found: dict[int, Column] = {}
    for step in before[:1]:
        _of_step(step, found)
    return found if before else _of_trees(last)


def make_rows(loaded: LibraryFile, count: int, seed: int) -> Array:
    """[count, columns] of float32; with missing values and categories that training had not, where the model takes
    them.
    """
    generator = np.random.default_rng(seed)
    columns = columns_of(loaded)
    rows = np.empty((count, loaded.features), dtype=np.float32)
    for index in range(loaded.features):
        column = columns.get(index, Column())
        rows[:, index] = _values(column, count, generator)
        if not isinstance(loaded, SklearnFile) and column.choices is not None:
            rows[generator.random(count) < _UNSEEN, index] = len(column.choices)
    if not isinstance(loaded, SklearnFile) or loaded.takes_missing():
        rows[generator.random(rows.shape) < _MISSING] = np.nan
    return rows


def _of_columns(path: Path, given: Mapping[str, Any], columns: Sequence[str]) -> Any:
    missing = [name for name in columns if name not in given]
    if missing:
        raise refuse_file(
            path, f"has no column {', '.join(missing[:5])}; it has {', '.join(given) or 'nothing'}"
        )
    return np.stack([np.asarray(given[name], dtype=np.float32) for name in columns], axis=1)


def read_rows(path: Path, item: Input, columns: Sequence[str]) -> Array:
    """An array `input`, or one array per column by its name; null and NaN are missing values. Throws input-invalid."""
    path = path / "samples.npz" if path.is_dir() else path
    given = read_file(path)
    try:
        found = given[item.name] if item.name in given or not columns else _of_columns(path, given, columns)
        rows = np.asarray(found, dtype=np.float32)
    except KeyError:
        held = ", ".join(given) or "nothing"
        raise refuse_file(path, f'has no entry "{item.name}"; it has {held}') from None
    except (TypeError, ValueError) as error:
        raise refuse_file(path, f"{item.name} cannot be converted to FP32 ({error})") from error
    if rows.ndim != 2 or rows.shape[1] != item.columns or len(rows) == 0:
        raise refuse_file(
            path,
            f"samples of {item.name} have the shape {list(rows.shape)}, not [rows, {item.columns}]",
            f"Give all {item.columns} columns in each row, in the order of the training.",
        )
    return rows
