"""Trees of a booster as arrays, whichever library wrote them, and the ONNX operator of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

#: Of the operators of trees with weights of either precision.
ML_OPSET = 3
#: Equals no category.
_NO_CATEGORY = -3e38


class Members(NamedTuple):
    """A split by category. `is_left`: where the categories of the set go; all others go the other way."""

    categories: tuple[int, ...]
    is_left: bool


class Tree(NamedTuple):
    """By node; a leaf has itself as children. `members`: of the splits by category."""

    group: int
    feature: Array
    threshold: Array
    left: Array
    right: Array
    missing_left: Array
    value: Array
    members: Mapping[int, Members]

    def is_leaf(self, node: int) -> bool:
        return bool(self.left[node] == node)


class Forest(NamedTuple):
    """`mode`: of splits by number; `dtype`: in which thresholds are compared and leaves added up."""

    trees: Sequence[Tree]
    groups: int
    mode: str
    dtype: type[np.floating[Any]]

    def _leaf(self, tree: Tree, row: Array) -> float:
        node = 0
        while not tree.is_leaf(node):
            value, members = row[tree.feature[node]], tree.members.get(node)
            if np.isnan(value):
                goes_left = bool(tree.missing_left[node])
            elif members is not None:
                goes_left = (value in members.categories) == members.is_left
            elif self.mode == "BRANCH_LT":
                goes_left = bool(value < tree.threshold[node])
            else:
                goes_left = bool(value <= tree.threshold[node])
            node = int((tree.left if goes_left else tree.right)[node])
        return float(tree.value[node])

    def sums(self, row: Array) -> Array:
        """Of the leaves of one row, by group."""
        found = np.zeros(self.groups)
        for tree in self.trees:
            found[tree.group] += self._leaf(tree, row)
        return found

    def thresholds(self) -> dict[int, Array]:
        """Of splits by number, by column."""
        found: dict[int, list[Array]] = {}
        for tree in self.trees:
            numeric = tree.left != np.arange(len(tree.left))
            numeric[list(tree.members)] = False
            for column in np.unique(tree.feature[numeric]):
                found.setdefault(int(column), []).append(tree.threshold[numeric & (tree.feature == column)])
        return {column: np.unique(np.concatenate(parts)) for column, parts in found.items()}

    def categories(self) -> dict[int, int]:
        """Largest category of a split, by column."""
        found: dict[int, int] = {}
        for tree in self.trees:
            for node, members in tree.members.items():
                column = int(tree.feature[node])
                found[column] = max(found.get(column, 0), *members.categories, 0)
        return found


class _Nodes:
    """Attributes of the operator, node by node."""

    def __init__(self, mode: str) -> None:
        self._mode = mode
        self.lists: dict[str, list[Any]] = {
            name: []
            for name in ("treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids")
        }
        self.missing: list[int] = []
        self.leaves: list[tuple[int, int, int, float]] = []

    def _add(self, tree: int, node: int, mode: str, *more: Any) -> None:
        """`more`: column, value, nodes for true and false, and whether a missing value is true."""
        feature, value, true, false, missing = more
        entry = (tree, node, feature, mode, value, true, false)
        for held, one in zip(self.lists.values(), entry):
            held.append(one)
        self.missing.append(int(missing))

    def _categories(self, number: int, tree: Tree, node: int, members: Members, following: int) -> int:
        """One comparison per category, each with the same way out. Gives the next free node."""
        inside, outside = tree.left[node], tree.right[node]
        if not members.is_left:
            inside, outside = outside, inside
        is_missing_inside = bool(tree.missing_left[node]) == members.is_left
        categories = members.categories or (_NO_CATEGORY,)
        at = node
        for index, category in enumerate(categories):
            is_last = index == len(categories) - 1
            false = int(outside) if is_last else following
            missing = is_missing_inside and index == 0
            self._add(
                number, at, "BRANCH_EQ", int(tree.feature[node]), float(category), int(inside), false, missing
            )
            if not is_last:
                at, following = following, following + 1
        return following

    def add_tree(self, number: int, tree: Tree) -> None:
        following = len(tree.left)
        for node in range(len(tree.left)):
            if tree.is_leaf(node):
                self._add(number, node, "LEAF", 0, 0.0, 0, 0, False)
                self.leaves.append((number, node, tree.group, float(tree.value[node])))
                continue
            members = tree.members.get(node)
            if members is not None:
                following = self._categories(number, tree, node, members, following)
                continue
            self._add(
                number,
                node,
                self._mode,
                int(tree.feature[node]),
                float(tree.threshold[node]),
                int(tree.left[node]),
                int(tree.right[node]),
                bool(tree.missing_left[node]),
            )


def _weights(name: str, values: Iterable[float], dtype: type[np.floating[Any]]) -> dict[str, Any]:
    """An attribute of numbers: a list of float32, or a tensor of float64."""
    import onnx

    array = np.array(list(values), dtype=dtype)
    if dtype is np.float64:
        return {f"{name}_as_tensor": onnx.numpy_helper.from_array(array, name)}
    return {name: array.tolist()}


def forest_node(forest: Forest, base: Sequence[float], source: str, target: str) -> Any:
    """The sums of the leaves of each row, with `base` added, as float32 [rows, groups]."""
    import onnx

    nodes = _Nodes(forest.mode)
    for number, tree in enumerate(forest.trees):
        nodes.add_tree(number, tree)
    attributes: dict[str, Any] = {
        f"nodes_{name}": held for name, held in nodes.lists.items() if name != "values"
    }
    trees, places, groups, weights = zip(*nodes.leaves)
    return onnx.helper.make_node(
        "TreeEnsembleRegressor",
        [source],
        [target],
        domain="ai.onnx.ml",
        n_targets=forest.groups,
        aggregate_function="SUM",
        post_transform="NONE",
        nodes_missing_value_tracks_true=nodes.missing,
        target_treeids=list(trees),
        target_nodeids=list(places),
        target_ids=list(groups),
        **attributes,
        **_weights("nodes_values", nodes.lists["values"], forest.dtype),
        **_weights("target_weights", weights, forest.dtype),
        **_weights("base_values", base, forest.dtype),
    )
