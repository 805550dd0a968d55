"""Wide & Deep without TensorFlow: features and metric."""

from __future__ import annotations

import importlib
import math
import unittest
from typing import Any

import numpy as np
from support import REFUSAL, RESOURCES

from toolkit.model_folder import ModelFolder

WIDE_AND_DEEP = RESOURCES / "models" / "wide_and_deep"


def folder(dataset: object = None, **given: str) -> ModelFolder:
    return ModelFolder(WIDE_AND_DEEP, given, {"data_dir": dataset, "batch_size": 64, "precision": "fp32"})


def features() -> Any:
    folder().entry("metrics")
    return importlib.import_module("_model_folder.features")


def map12(ids: list[int], scores: list[float], clicked: list[float]) -> float:
    """By the folder's own calculator; one sample a place."""
    values: dict[str, float] = (
        folder()
        .call("metrics")
        .calc(
            ids=[str(i) for i in ids],
            y_pred={"wide_deep_model": np.array(scores, dtype=np.float32)[:, None]},
            x=None,
            y_real={"wide_deep_model": np.array(clicked, dtype=np.float32)[:, None]},
        )
    )
    return values["map12"]


class FeaturesTest(unittest.TestCase):
    def test_the_29_inputs_of_the_published_deployment(self) -> None:
        names = features()
        counts = (len(names.ONE_HOT), len(names.MULTI_HOT), len(names.NUMERIC))
        self.assertEqual(counts, (13, 3, 13))
        self.assertEqual(len(set(names.INPUTS)), 29)

    def test_the_parameters_of_the_published_size(self) -> None:
        """Tables of both parts and the layers; the published description says about 90 million."""
        tables = {**features().ONE_HOT, **features().MULTI_HOT}
        embedded = sum(table.rows * table.dim for table in tables.values())
        width = 13 + sum(table.dim for table in tables.values())
        layers = sum((a + 1) * b for a, b in zip([width, *[1024] * 5], [*[1024] * 5, 1]))
        wide = sum(table.rows for table in tables.values()) + 13 + 1
        self.assertEqual((width, embedded + layers + wide), (1248, 91_777_245))

    def test_limits_only_make_tables_smaller(self) -> None:
        table = features().ONE_HOT["platform"]
        sizes = features().table_sizes
        self.assertEqual((sizes(0, 0)["platform"], tuple(sizes(40, 16)["platform"])), (table, (4, 16)))

    def test_single_tables_have_sizes_of_their_own(self) -> None:
        sizes = features().table_sizes(40, 16, ["ad_id:7:5"])
        self.assertEqual((tuple(sizes["ad_id"]), tuple(sizes["document_id"])), ((7, 5), (40, 16)))
        for text in ("ad_id:7", "ad:7:5", "ad_id:7:x"):
            with self.assertRaisesRegex(REFUSAL, f'not "{text}"'):
                features().table_sizes(0, 0, [text])


class MetricTest(unittest.TestCase):
    def test_the_mean_of_one_over_the_rank_of_the_click(self) -> None:
        # Display 7: the click is second of three; display 3: second of two; their rows are mixed.
        value = map12([7, 3, 7, 3, 7], [0.9, 0.8, 0.5, 0.1, 0.2], [0, 1, 1, 0, 0])
        self.assertAlmostEqual(value, (1 / 2 + 1) / 2)

    def test_only_the_first_twelve_count(self) -> None:
        scores = [1 - i / 20 for i in range(14)]
        clicks = np.eye(14)
        self.assertAlmostEqual(map12([1] * 14, scores, list(clicks[11])), 1 / 12)
        self.assertEqual(map12([1] * 14, scores, list(clicks[12])), 0.0)

    def test_more_than_one_click(self) -> None:
        # Precision 1/1 at the first and 2/3 at the third, over two clicks.
        self.assertAlmostEqual(map12([1, 1, 1], [3, 2, 1], [1, 0, 1]), (1 + 2 / 3) / 2)

    def test_displays_without_a_click_are_left_out(self) -> None:
        self.assertEqual(map12([1, 1, 2], [2, 1, 5], [1, 0, 0]), 1.0)
        self.assertEqual(map12([1, 2], [1, 1], [0, 0]), 0.0)

    def test_equal_scores_and_nan_earn_nothing(self) -> None:
        self.assertAlmostEqual(map12([1, 1, 1, 1], [0.5] * 4, [1, 0, 0, 0]), 1 / 4)
        self.assertAlmostEqual(map12([1, 1], [math.nan, 0.1], [1, 0]), 1 / 2)


if __name__ == "__main__":
    unittest.main()
