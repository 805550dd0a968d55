"""Trees of scikit-learn are walked without a look at their bounds: a file must not lead outside them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .forest import Array

_LEAF = -1


def _reachable(root: Any) -> Iterator[Any]:
    """Every object that an estimator holds, once."""
    waiting = [root]
    seen: dict[int, Any] = {}
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, (str, bytes, int, float, type)):
            continue
        seen[id(one)] = one
        yield one
        if isinstance(one, dict):
            waiting.extend(one.values())
        elif isinstance(one, (list, tuple, set)):
            waiting.extend(one)
        elif isinstance(one, np.ndarray):
            waiting.extend(one.ravel().tolist() if one.dtype == object else [])
        else:
            waiting.extend(getattr(one, "__dict__", {}).values())


def _check_walk(children: list[Array], inner: Array, columns: Array, features: int) -> None:
    """Children come after their parent, so that each way ends; raises ValueError."""
    places = np.flatnonzero(inner)
    leads_away = any(((child[inner] <= places) | (child[inner] >= len(inner))).any() for child in children)
    asked = columns[inner]
    if leads_away or (asked < 0).any() or (asked >= features).any():
        raise ValueError("A tree of the file leads outside its nodes or columns")


def _check_tree(tree: Any, features: int) -> None:
    if not 0 < tree.node_count <= tree.capacity:
        raise ValueError("A tree of the file has another number of nodes than it says")
    left = tree.children_left
    _check_walk([left, tree.children_right], left != _LEAF, tree.feature, features)


def _check_predictor(predictor: Any, features: int) -> None:
    from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE

    nodes = predictor.nodes
    if not isinstance(nodes, np.ndarray) or nodes.ndim != 1 or len(nodes) == 0:
        raise ValueError("A tree of the file has no nodes")
    if nodes.dtype != PREDICTOR_RECORD_DTYPE:
        raise ValueError("A tree of the file has nodes of another version of scikit-learn")
    if nodes["is_categorical"].any():
        raise ValueError("A tree of the file splits by categories, which the converter leaves out")
    children = [nodes[side].astype(np.int64) for side in ("left", "right")]
    _check_walk(children, nodes["is_leaf"] == 0, nodes["feature_idx"], features)


def check_trees(model: Any, last: Any) -> None:
    """Raises ValueError where a tree would read outside its memory. `last`: the step that predicts."""
    from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor
    from sklearn.tree._tree import Tree

    features = int(last.n_features_in_)
    for one in _reachable(model):
        if isinstance(one, Tree):
            _check_tree(one, features)
        elif isinstance(one, TreePredictor):
            _check_predictor(one, features)
    stages = getattr(last, "n_trees_per_iteration_", None)
    estimators = getattr(last, "estimators_", None)
    # Stages of gradient boosting are added to as many sums as there are classes.
    if isinstance(estimators, np.ndarray) and stages is not None and estimators.shape[1:] != (stages,):
        raise ValueError("The file has another number of trees in a stage than it says")
