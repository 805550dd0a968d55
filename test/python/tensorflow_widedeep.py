"""Wide & Deep's data set and loader: run by the integration test in the environment with TensorFlow and pyarrow."""

from __future__ import annotations

import unittest
from typing import Any, ClassVar

import numpy as np
from support import REFUSAL, ToolkitCase
from test_widedeep import WIDE_AND_DEEP, features, folder


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
        with self.assertRaisesRegex(REFUSAL, r"part_0\.parquet has no column ad_id, clicked"):
            next(iter(folder(str(self.dir / "data")).call("dataloader")()))

    def test_a_folder_without_files_is_refused(self) -> None:
        with self.assertRaisesRegex(REFUSAL, r"has no file valid/\*\.parquet"):
            folder(str(self.dir)).call("dataloader")


if __name__ == "__main__":
    unittest.main()
