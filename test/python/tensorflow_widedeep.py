"""Wide & Deep's data set and loader: run by the integration test in the environment with TensorFlow and pyarrow."""

from __future__ import annotations

import json
import unittest
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from make_checkpoint import write_wide_and_deep
from support import REFUSAL, ToolkitCase, failure, run_verb, spoken
from test_widedeep import WIDE_AND_DEEP, features, folder
from vectors import VECTORS, arrays, comparison

from toolkit.keras_model import KerasRunner, load_keras_model


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


class PublishedTest(ToolkitCase):
    """NVIDIA's network with the combiner mean: the wide part sums all the same, and ids lie outside their tables."""

    def write_checkpoint(self, tables: str = "") -> Path:
        target = self.dir / f"checkpoint{tables}"
        write_wide_and_deep(target, tables)
        return target

    def load(self, path: Path) -> list[object]:
        files = [self.dir / "weights.npz", self.dir / "arguments.json"]
        common = ["--model-dir", WIDE_AND_DEEP, "--framework=tf", "--checkpoint", path]
        return [*common, "--output", files[0], "--arguments", files[1]]

    def test_the_outputs_are_those_of_the_published_network(self) -> None:
        differences = list(comparison().compare(VECTORS / "wide_and_deep", 1e-4))
        self.assertIn("outside.wide_deep_model", [one.output for one in differences])
        for one in differences:
            self.assertLess(one.largest, 1e-4, one.output)

    def test_the_folder_of_a_tensorflow_checkpoint_loads(self) -> None:
        inputs, wanted = arrays("wide_and_deep", "inputs"), arrays("wide_and_deep", "outputs")
        for tables in ("", "embedding_tables"):
            path = self.write_checkpoint(tables)
            run_verb("load-checkpoint", *self.load(path))
            arguments = json.loads((self.dir / "arguments.json").read_text())
            self.assertEqual(arguments["deep_hidden_units"], "48,40,32")
            self.assertIn("platform:4:16", arguments["tables"])
            given = folder(**{**arguments, "combiner": "mean"})
            model = load_keras_model(given, self.dir / "weights.npz", 0)
            x = {name: inputs[name] for name in model.inputs}
            found = KerasRunner(model).run(x)["wide_deep_model"]
            np.testing.assert_allclose(found, wanted["wide_deep_model"], atol=1e-5)

    def test_what_is_no_checkpoint_is_refused(self) -> None:
        self.assertIn("no TensorFlow checkpoint", failure("load-checkpoint", *self.load(self.dir)).message)
        path = self.write_checkpoint()
        (path / "ckpt-1.index").write_bytes(b"nothing")
        error = failure("load-checkpoint", *self.load(path))
        self.assertEqual(error.code, "checkpoint-invalid")
        self.assertIn("cannot be read", spoken(error))


if __name__ == "__main__":
    unittest.main()
