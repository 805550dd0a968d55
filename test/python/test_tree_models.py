"""Trees as ONNX against a walk through them, and samples of rows; the libraries themselves are tried by a campaign."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from support import REFUSAL, RESOURCES, ToolkitCase

from toolkit.errors import ToolkitError
from toolkit.model_folder import ModelFolder

sys.path.insert(0, str(RESOURCES))

from trees.forest import Array, Forest, Members, Tree
from trees.graph import Booster, booster_onnx
from trees.lightgbm_file import _blocks, _tree
from trees.samples import Column, Input, _values, read_rows

COLUMNS = 3


def _random_tree(generator: np.random.Generator, group: int, is_left: bool) -> Tree:
    """Of seven nodes; the last column is a category."""
    left, right = np.array([1, 3, 5, 3, 4, 5, 6]), np.array([2, 4, 6, 3, 4, 5, 6])
    feature = np.array([*generator.integers(0, COLUMNS, 3), 0, 0, 0, 0])
    members = {
        node: Members(tuple(sorted(generator.choice(70, 5, replace=False).tolist())), is_left)
        for node in range(3)
        if feature[node] == COLUMNS - 1
    }
    threshold = generator.normal(size=7).astype(np.float32)
    missing = generator.random(7) < 0.5
    return Tree(group, feature, threshold, left, right, missing, generator.normal(size=7), members)


def _rows(generator: np.random.Generator, count: int) -> Array:
    rows = generator.normal(size=(count, COLUMNS)).astype(np.float32)
    rows[:, COLUMNS - 1] = generator.integers(-1, 72, count)
    rows[generator.random(rows.shape) < 0.1] = np.nan
    return rows


def _run(model: Any, rows: Array) -> list[Array]:
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    found: list[Array] = session.run(None, {"input": rows})
    return found


class ForestTest(ToolkitCase):
    def test_every_row_falls_into_the_leaves_that_a_walk_finds(self) -> None:
        generator = np.random.default_rng(3)
        for mode, dtype, is_left in (
            ("BRANCH_LT", np.float32, False),
            ("BRANCH_LEQ", np.float64, True),
        ):
            trees = [_random_tree(generator, index % 2, is_left) for index in range(40)]
            forest = Forest(trees, 2, mode, dtype)
            rows = _rows(generator, 500)
            wanted = np.add([forest.sums(row) for row in rows], [0.5, -1])
            (found,) = _run(booster_onnx(Booster(forest, [0.5, -1], "identity"), COLUMNS, 17), rows)
            np.testing.assert_allclose(found, wanted, atol=2e-6)

    def test_a_threshold_of_float64_parts_rows_of_float32_as_it_is(self) -> None:
        value = np.float32(0.1)
        tree = Tree(
            0,
            np.array([0, 0, 0]),
            # Rounded to float32, all three are the same.
            np.array([np.nextafter(np.float64(value), 0), 0, 0]),
            np.array([1, 1, 2]),
            np.array([2, 1, 2]),
            np.zeros(3, dtype=np.bool_),
            np.array([0, 1.0, 2.0]),
            {},
        )
        model = booster_onnx(Booster(Forest([tree], 1, "BRANCH_LEQ", np.float64), [0], "identity"), 1, 17)
        (found,) = _run(model, np.array([[value], [np.nextafter(value, np.float32(0))]], dtype=np.float32))
        self.assertEqual(found.ravel().tolist(), [2.0, 1.0])

    def test_zeros_of_a_column_may_be_missing_values(self) -> None:
        tree = Tree(
            0,
            np.array([0, 0, 0]),
            np.array([1.0, 0, 0]),
            np.array([1, 1, 2]),
            np.array([2, 1, 2]),
            np.zeros(3, dtype=np.bool_),
            np.array([0, 1.0, 2.0]),
            {},
        )
        forest = Forest([tree], 1, "BRANCH_LEQ", np.float64)
        rows = np.array([[0.0, 5], [0.5, 5], [np.nan, 5], [3, 5]], dtype=np.float32)
        for zero_missing, wanted in (([0], [2.0, 1.0, 2.0, 2.0]), ([], [1.0, 1.0, 2.0, 2.0])):
            model = booster_onnx(Booster(forest, [0], "identity", 1.0, zero_missing), 2, 17)
            self.assertEqual(_run(model, rows)[0].ravel().tolist(), wanted)

    def test_answers_by_link(self) -> None:
        generator = np.random.default_rng(5)
        forest = Forest(
            [_random_tree(generator, index, True) for index in range(3)], 3, "BRANCH_LEQ", np.float64
        )
        rows = _rows(generator, 50)
        sums = np.stack([forest.sums(row) for row in rows])
        exponents = np.exp(sums - sums.max(axis=1, keepdims=True))
        shares = exponents / exponents.sum(axis=1, keepdims=True)
        label, probabilities = _run(booster_onnx(Booster(forest, [0] * 3, "softmax"), COLUMNS, 17), rows)
        np.testing.assert_allclose(probabilities, shares, atol=1e-6)
        np.testing.assert_array_equal(label.ravel(), shares.argmax(axis=1))
        for link, of in (
            ("exp", np.exp),
            ("softplus", lambda values: np.log1p(np.exp(values))),
            ("square", lambda values: np.sign(values) * values**2),
            ("sigmoid", lambda values: 1 / (1 + np.exp(-values))),
        ):
            (found,) = _run(booster_onnx(Booster(forest, [0] * 3, link), COLUMNS, 17), rows)
            np.testing.assert_allclose(found, of(sums), rtol=1e-5, atol=1e-6)

    def test_two_classes_have_both_probabilities(self) -> None:
        forest = Forest([_random_tree(np.random.default_rng(1), 0, True)], 1, "BRANCH_LEQ", np.float64)
        rows = _rows(np.random.default_rng(2), 20)
        positive = 1 / (1 + np.exp(-0.5 * np.stack([forest.sums(row) for row in rows])))
        label, both = _run(booster_onnx(Booster(forest, [0], "binary", 0.5), COLUMNS, 17), rows)
        np.testing.assert_allclose(both, np.hstack([1 - positive, positive]), atol=1e-6)
        np.testing.assert_array_equal(label, positive > 0.5)


LIGHTGBM = """tree
version=v4
num_tree_per_iteration=1

Tree=0
num_leaves=3
num_cat=1
split_feature=0 1
threshold=0.5 0
decision_type=10 1
left_child=1 -1
right_child=-2 -3
leaf_value=1 2 3
cat_boundaries=0 2
cat_threshold=5 1


end of trees

parameters:
"""


class LightgbmTextTest(ToolkitCase):
    def test_a_tree_is_read_with_its_categories_and_missing_values(self) -> None:
        header, block = _blocks(LIGHTGBM)
        self.assertEqual(header["version"], "v4")
        tree = _tree(block, 0, 1.0)
        self.assertEqual(tree.members, {1: Members((0, 2, 32), is_left=True)})
        forest = Forest([tree], 1, "BRANCH_LEQ", np.float64)
        rows = [[0.5, 0], [0.5, 1], [0.6, 0], [np.nan, 32], [0.1, np.nan]]
        found = [forest.sums(np.array(row))[0] for row in rows]
        self.assertEqual(found, [1, 3, 2, 1, 3])


class RowsTest(ToolkitCase):
    def written(self, content: Any) -> Path:
        path = self.dir / "rows.json"
        path.write_text(json.dumps(content))
        return path

    def test_rows_come_as_one_array_or_by_column(self) -> None:
        item = Input("input", 2)
        rows = read_rows(self.written({"input": [[1, 2], [3, None]]}), item, [])
        np.testing.assert_array_equal(rows, np.array([[1, 2], [3, np.nan]], dtype=np.float32))
        by_column = self.written({"age": [1, 3], "other": [0, 0], "income": [2, 4]})
        np.testing.assert_array_equal(read_rows(by_column, item, ["age", "income"]), [[1, 2], [3, 4]])

    def test_other_rows_are_refused_by_name(self) -> None:
        item = Input("input", 2)
        for content, words in (
            ({"input": [[1, 2, 3]]}, "not \\[rows, 2\\]"),
            ({"age": [1]}, "has no column income"),
            ({"input": [["a", "b"]]}, "cannot be converted to FP32"),
            ({"input": []}, "not \\[rows, 2\\]"),
        ):
            with self.assertRaisesRegex(REFUSAL, words):
                read_rows(self.written(content), item, ["age", "income"])

    def test_rows_with_other_columns_name_what_to_give(self) -> None:
        item = Input("input", 2)
        with self.assertRaises(ToolkitError) as shape:
            read_rows(self.written({"input": [[1, 2, 3]]}), item, [])
        self.assertIn("Give all 2 columns", shape.exception.remedy or "")
        with self.assertRaisesRegex(REFUSAL, 'has no entry "input"; it has age'):
            read_rows(self.written({"age": [1]}), item, [])

    def test_samples_lie_on_both_sides_of_what_a_model_compares_with(self) -> None:
        generator = np.random.default_rng(0)
        values = _values(Column(steps=np.array([1.0, 1.001, 500.0])), 400, generator)
        for low, high in ((-np.inf, 1), (1, 1.001), (1.001, 500), (500, np.inf)):
            self.assertGreater(int(((values > low) & (values <= high)).sum()), 40)
        self.assertEqual(set(_values(Column(choices=np.arange(3)), 90, generator)), {0, 1, 2})

    def test_the_loader_gives_batches_of_the_input(self) -> None:
        np.savez(self.dir / "samples.npz", input=np.arange(10, dtype=np.float32).reshape(5, 2))
        inputs = json.dumps([{"name": "input", "datatype": "FP32", "shape": [2]}])
        context: dict[str, object] = {"data_dir": str(self.dir), "batch_size": 2}
        loader = ModelFolder(RESOURCES / "trees", {"inputs": inputs}, context).call("dataloader")
        self.assertEqual([x["input"].shape for _, x, _ in loader()], [(2, 2), (2, 2), (1, 2)])
