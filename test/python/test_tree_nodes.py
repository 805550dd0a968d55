"""Trees of a file of skops lead nowhere outside themselves; the libraries' own trees are tried by a campaign."""

from __future__ import annotations

import sys
import unittest
from types import SimpleNamespace
from typing import Any

import numpy as np
from support import RESOURCES

sys.path.insert(0, str(RESOURCES))

from trees.tree_nodes import _check_tree, _reachable


def _tree(**change: Any) -> Any:
    """The first column decides between two leaves."""
    tree = {
        "node_count": 3,
        "capacity": 3,
        "children_left": np.array([1, -1, -1]),
        "children_right": np.array([2, -1, -1]),
        "feature": np.array([0, -2, -2]),
    }
    return SimpleNamespace(**{**tree, **change})


class TreeNodes(unittest.TestCase):
    def test_a_tree_within_its_bounds_passes(self) -> None:
        _check_tree(_tree(), 1)
        # Of one leaf.
        leaf = np.array([-1])
        _check_tree(_tree(node_count=1, capacity=1, children_left=leaf, children_right=leaf, feature=leaf), 1)

    def test_one_that_leads_outside_is_refused(self) -> None:
        for change, words in (
            ({"children_left": np.array([3, -1, -1])}, "outside its nodes"),
            ({"children_right": np.array([2**60, -1, -1])}, "outside its nodes"),
            ({"children_right": np.array([-7, -1, -1])}, "outside its nodes"),
            ({"children_right": np.array([0, -1, -1])}, "outside its nodes"),
            ({"children_left": np.array([1, 1, -1]), "feature": np.array([0, 0, 0])}, "outside its nodes"),
            ({"feature": np.array([1, -2, -2])}, "columns"),
            ({"feature": np.array([-1, -2, -2])}, "columns"),
            ({"node_count": 4}, "another number of nodes"),
            ({"node_count": 0}, "another number of nodes"),
            ({"node_count": -3}, "another number of nodes"),
        ):
            with self.subTest(change), self.assertRaisesRegex(ValueError, words):
                _check_tree(_tree(**change), 1)

    def test_every_tree_is_found_wherever_it_is_held(self) -> None:
        trees = [_tree() for _ in range(4)]
        held = np.array([[trees[0]], [trees[1]]], dtype=object)
        model = SimpleNamespace(
            estimators_=held, more={"a": (trees[2], None)}, again=[trees[2], {"deep": [trees[3]]}]
        )
        model.itself = model
        found = [one for one in _reachable(model) if hasattr(one, "node_count")]
        self.assertEqual(sorted(map(id, found)), sorted(map(id, trees)))


if __name__ == "__main__":
    unittest.main()
