"""A file of XGBoost: the reference is its Booster, the graph is made of the trees that it writes as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from .forest import Array, Forest, Members, Tree
from .graph import Booster

#: By objective; all others are the sum itself.
_LINKS = {
    "binary:logistic": "binary",
    "multi:softprob": "softmax",
    "multi:softmax": "softmax",
    "reg:logistic": "sigmoid",
    "count:poisson": "exp",
    "reg:gamma": "exp",
    "reg:tweedie": "exp",
    "survival:cox": "exp",
    "survival:aft": "exp",
}
#: Rows on which it is seen what the library adds to the leaves.
_PROBES = 15


def _members(tree: Mapping[str, Any]) -> dict[int, Members]:
    """The categories of a split go to the right."""
    categories = tree.get("categories", [])
    segments = zip(tree.get("categories_nodes", []), tree["categories_segments"], tree["categories_sizes"])
    return {
        int(node): Members(tuple(sorted(int(one) for one in categories[start : start + size])), is_left=False)
        for node, start, size in segments
    }


def _tree(tree: Mapping[str, Any], group: int, weight: float) -> Tree:
    left, right = np.array(tree["left_children"]), np.array(tree["right_children"])
    nodes = np.arange(len(left))
    leaf = left == -1
    conditions = np.array(tree["split_conditions"], dtype=np.float32)
    return Tree(
        group,
        np.array(tree["split_indices"]),
        conditions,
        np.where(leaf, nodes, left),
        np.where(leaf, nodes, right),
        np.array(tree["default_left"]).astype(np.bool_),
        np.where(leaf, conditions.astype(np.float64) * weight, 0.0),
        _members(tree) if tree.get("categories_nodes") else {},
    )


class XgboostFile:
    library = "xgboost"

    def __init__(self, path: str, rounds: int) -> None:
        """`rounds`: in use; 0: all. Raises ValueError where the library cannot load the file."""
        import xgboost

        self._xgboost = xgboost
        try:
            self._booster = xgboost.Booster(model_file=path)
        except xgboost.core.XGBoostError as error:
            raise ValueError(f"XGBoost cannot load the file: {str(error).splitlines()[0]}") from error
        document = json.loads(self._booster.save_raw(raw_format="json"))
        self._learner = document["learner"]
        self.objective = str(self._learner["objective"]["name"])
        self.link = _LINKS.get(self.objective, "identity")
        self.features = int(self._booster.num_features())
        self._range = (0, rounds)
        if self.objective == "multi:softmax":
            # The same trees; this one answers with probabilities.
            self._booster.set_param({"objective": "multi:softprob"})

    def _predict(self, rows: Array, margin: bool = False) -> Array:
        data = self._xgboost.DMatrix(
            rows,
            missing=np.nan,
            feature_names=self._booster.feature_names,
            feature_types=self._booster.feature_types,
            enable_categorical=True,
        )
        answer = self._booster.predict(data, output_margin=margin, iteration_range=self._range)
        return np.asarray(answer, dtype=np.float32).reshape(len(rows), -1)

    def predict(self, rows: Array) -> list[Array]:
        answer = self._predict(rows)
        if self.link == "binary":
            return [(answer > 0.5).astype(np.int64), np.concatenate([1 - answer, answer], axis=1)]
        if self.link == "softmax":
            return [answer.argmax(axis=1, keepdims=True), answer]
        return [answer]

    def forest(self) -> Forest:
        booster = self._learner["gradient_booster"]
        weights = booster.get("weight_drop", [])
        model = booster.get("gbtree", booster)["model"]
        groups = max(1, *(int(group) + 1 for group in model["tree_info"]))
        parallel = int(model["gbtree_model_param"].get("num_parallel_tree", 1) or 1)
        count = len(model["trees"])
        used = count if self._range[1] == 0 else min(count, self._range[1] * groups * parallel)
        trees = [
            _tree(model["trees"][index], int(model["tree_info"][index]), weights[index] if weights else 1.0)
            for index in range(used)
        ]
        return Forest(trees, groups, "BRANCH_LT", np.float32)

    def booster(self) -> Booster:
        """What is added to the leaves is seen of the library: how a file states it depends on its version."""
        forest = self.forest()
        rows = np.random.default_rng(0).standard_normal((_PROBES, self.features)).astype(np.float32)
        for column in forest.categories():
            rows[:, column] = 0
        margins = self._predict(rows, margin=True).astype(np.float64)
        base = np.median(margins - np.stack([forest.sums(row) for row in rows]), axis=0)
        return Booster(forest, base.tolist(), self.link)

    def facts(self) -> dict[str, Any]:
        return {"columns": self._booster.feature_names, "objective": self.objective}
