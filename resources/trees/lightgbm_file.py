"""A text model of LightGBM: the reference is its Booster, the graph is made of the trees in the text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .forest import Array, Forest, Members, Tree
from .graph import Booster

#: By the first word of the objective; all others are the sum itself.
_LINKS = {
    "binary": "binary",
    "multiclass": "softmax",
    "multiclassova": "one-vs-all",
    "poisson": "exp",
    "gamma": "exp",
    "tweedie": "exp",
    "cross_entropy": "sigmoid",
    "cross_entropy_lambda": "softplus",
}
_CATEGORICAL, _DEFAULT_LEFT = 1, 2
#: What a missing value is, in the third and fourth bit of a decision.
_MISSING_NONE, _MISSING_ZERO = 0, 1
_WORD_BITS = 32


def _blocks(text: str) -> Iterator[dict[str, str]]:
    """Lines `name=value` between empty ones: the header, then a block per tree."""
    for part in text.split("\n\n"):
        lines = [line for line in part.strip().splitlines() if line]
        if lines[:1] == ["end of trees"]:
            return
        if lines:
            yield {name: value for name, _, value in (line.partition("=") for line in lines)}


def _list(block: Mapping[str, str], name: str, dtype: Any) -> Array:
    return np.array(block.get(name, "").split(), dtype=dtype)


def _categories(block: Mapping[str, str], number: int) -> tuple[int, ...]:
    """Of one set of bits."""
    start, stop = _list(block, "cat_boundaries", np.int64)[number : number + 2]
    words = _list(block, "cat_threshold", np.uint32)[start:stop]
    return tuple(
        index * _WORD_BITS + bit
        for index, word in enumerate(words)
        for bit in range(_WORD_BITS)
        if int(word) >> bit & 1
    )


def _missing_left(decision: Array, threshold: Array) -> Array:
    """A column without missing values takes NaN for 0; by category NaN goes to the right."""
    kind = decision >> 2 & 3
    by_default = (decision & _DEFAULT_LEFT) != 0
    left = np.where(kind == _MISSING_NONE, threshold >= 0, by_default)
    return np.where((decision & _CATEGORICAL) != 0, False, left)


def _tree(block: Mapping[str, str], group: int, weight: float) -> Tree:
    values = _list(block, "leaf_value", np.float64) * weight
    inner = len(values) - 1
    decision = _list(block, "decision_type", np.int64)[:inner]
    threshold = _list(block, "threshold", np.float64)[:inner]
    own = np.arange(inner, inner + len(values))

    def children(name: str) -> Array:
        numbers = _list(block, name, np.int64)[:inner]
        # A leaf is the complement of its number.
        return np.concatenate([np.where(numbers < 0, inner + ~numbers, numbers), own])

    return Tree(
        group,
        np.concatenate([_list(block, "split_feature", np.int64)[:inner], np.zeros_like(own)]),
        np.concatenate([threshold, np.zeros(len(values))]),
        children("left_child"),
        children("right_child"),
        np.concatenate([_missing_left(decision, threshold), np.zeros(len(values), dtype=np.bool_)]),
        np.concatenate([np.zeros(inner), values]),
        {
            node: Members(_categories(block, int(threshold[node])), is_left=True)
            for node in range(inner)
            if decision[node] & _CATEGORICAL
        },
    )


class LightgbmFile:
    library = "lightgbm"

    def __init__(self, path: str, rounds: int) -> None:
        """Raises ValueError where the library cannot load the file."""
        del rounds
        import lightgbm

        try:
            self._booster = lightgbm.Booster(model_file=path)
        except lightgbm.basic.LightGBMError as error:
            raise ValueError(f"LightGBM cannot load the file: {error}") from error
        self._header, *self._trees = _blocks(Path(path).read_text(encoding="utf-8"))
        self._objective = self._header.get("objective", "").split()
        self.objective = (self._objective or ["custom"])[0]
        self.link = _LINKS.get(self.objective, "identity")
        if self.objective == "regression" and "sqrt" in self._objective:
            self.link = "square"
        self.features = int(self._booster.num_feature())

    def predict(self, rows: Array) -> list[Array]:
        # As a table with names it would be asked for the order of the training.
        answer = np.asarray(self._booster.predict(rows, validate_features=False)).reshape(len(rows), -1)
        if self.link == "binary":
            both = np.concatenate([1 - answer, answer], axis=1).astype(np.float32)
            return [(answer > 0.5).astype(np.int64), both]
        if self.link in ("softmax", "one-vs-all"):
            return [answer.argmax(axis=1, keepdims=True), answer.astype(np.float32)]
        return [answer.astype(np.float32)]

    def forest(self) -> Forest:
        groups = int(self._header["num_tree_per_iteration"])
        rounds = len(self._trees) // groups
        weight = 1 / rounds if "average_output" in self._header else 1.0
        trees = [_tree(block, index % groups, weight) for index, block in enumerate(self._trees)]
        return Forest(trees, groups, "BRANCH_LEQ", np.float64)

    def _zero_missing(self) -> list[int]:
        columns: set[int] = set()
        for block in self._trees:
            decision = _list(block, "decision_type", np.int64)
            concerned = (decision >> 2 & 3 == _MISSING_ZERO) & (decision & _CATEGORICAL == 0)
            columns.update(_list(block, "split_feature", np.int64)[concerned].tolist())
        return sorted(columns)

    def booster(self) -> Booster:
        words = dict(word.partition(":")[::2] for word in self._objective)
        forest = self.forest()
        return Booster(
            forest,
            [0.0] * forest.groups,
            self.link,
            float(words.get("sigmoid") or 1),
            self._zero_missing(),
        )

    def facts(self) -> dict[str, Any]:
        return {
            "columns": self._booster.feature_name(),
            "categories": self._booster.pandas_categorical,
            "objective": self.objective,
        }
