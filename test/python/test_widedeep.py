"""Wide & Deep without TensorFlow: features, metric and, where pyarrow is there, data set and loader."""

from __future__ import annotations

import importlib
import importlib.util
import math
import unittest
from typing import Any, ClassVar

import numpy as np
from support import RESOURCES, ToolkitCase

from toolkit.model_folder import ModelFolder

WIDE_AND_DEEP = RESOURCES / "models" / "wide_and_deep"
HAS_PYARROW = importlib.util.find_spec("pyarrow") is not None


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
        limited = features().limited
        self.assertEqual((limited(table, 0, 0), tuple(limited(table, 40, 16))), (table, (4, 16)))


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


@unittest.skipUnless(HAS_PYARROW, "pyarrow comes with TensorFlow; the integration test reads such files")
class DataTest(ToolkitCase):
    SMALL: ClassVar[dict[str, str]] = {"max_rows": "20", "train_displays": "30", "valid_displays": "40"}

    def make(self) -> Any:
        flags = [f"--arg={name}={value}" for name, value in self.SMALL.items()]
        made = self.ok("make-dataset", "--model-dir", WIDE_AND_DEEP, *flags, "--output", self.dir / "data")
        self.assertGreater(made["samples"], 70 * 3)
        return self.dir / "data"

    def test_the_loader_reads_what_the_generator_wrote(self) -> None:
        loader = folder(str(self.make())).call("dataloader")
        batches = list(loader())
        ids = [i for part, _, _ in batches for i in part]
        self.assertEqual((len(ids), len(set(ids))), (len(loader), 40))
        for _, x, y in batches:
            self.assertEqual(list(x), list(features().INPUTS))
            self.assertEqual((x["ad_id"].dtype, x["ad_id_ctr"].dtype), (np.int32, np.float32))
            self.assertEqual(x["topic_id_list"].shape[1], 3)
            self.assertEqual(y["wide_deep_model"].shape[1], 1)
        lists = np.concatenate([x["topic_id_list"] for _, x, _ in batches])
        self.assertEqual((int(lists.min()), bool((lists[:, 0] == -1).any())), (-1, True))
        self.assertTrue((np.diff((lists == -1).astype(int), axis=1) >= 0).all(), "padding comes last")
        clicks = np.concatenate([y["wide_deep_model"][:, 0] for _, _, y in batches])
        for display in set(ids):
            self.assertEqual(clicks[[i == display for i in ids]].sum(), 1)

    def test_a_column_that_is_missing_is_named(self) -> None:
        from pyarrow import parquet

        path = self.make() / "valid" / "part_0.parquet"
        parquet.write_table(parquet.read_table(path).drop_columns(["ad_id", "clicked"]), path)
        with self.assertRaisesRegex(ValueError, r"part_0\.parquet has no column ad_id, clicked"):
            next(iter(folder(str(self.dir / "data")).call("dataloader")()))

    def test_a_folder_without_files_is_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, r"has no file valid/\*\.parquet"):
            folder(str(self.dir)).call("dataloader")


if __name__ == "__main__":
    unittest.main()
