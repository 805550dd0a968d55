"""Requests of chosen batch sizes: what they are made of, and how their answers are compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from support import ToolkitCase, run_verb, write_toy

from toolkit.batches import Batch
from toolkit.checks.compared_batches import filled, folder_of, requests_of
from toolkit.dumps import DumpWriter, read_all
from toolkit.model_folder import ModelFolder

#: Doubles a sample that comes alone.
_BRANCHING = """
import torch
from torch import nn


class Branching(nn.Module):
    def forward(self, values: torch.Tensor, flags: torch.Tensor):
        scaled = values * 2 if values.shape[0] == 1 else values
        return scaled, flags


def get_model():
    return Branching(), {"inputs": ["VALUES__0", "FLAGS__1"], "outputs": ["SCALED__0", "SUM__1"]}
"""


_LOADER = """
import numpy as np


def get_dataloader_fn(batch_size: int = 2):
    def batches():
        values = np.arange(12, dtype=np.float32).reshape(4, 3)
        for start in range(0, 4, batch_size):
            rows = slice(start, start + batch_size)
            ids = [f"s{row}" for row in range(4)[rows]]
            yield ids, {"VALUES__0": values[rows], "FLAGS__1": np.ones(len(ids), np.int64)}, {}

    return batches
"""


def write_dump(folder: Path, outputs: Any, ids: list[str]) -> None:
    folder.mkdir(parents=True)
    writer = DumpWriter(folder)
    for name, row in zip(ids, outputs):
        writer.write([name], outputs={"O": np.asarray(row, np.float32)[None]})
    writer.flush()


class RequestsTest(ToolkitCase):
    def requests(self, size: int, samples: int, count: int = 5) -> list[Batch]:
        toy = write_toy(self.dir / f"toy-{size}-{samples}")
        folder = ModelFolder(toy, {"samples": str(count)}, {"batch_size": 2})
        return list(requests_of(folder, size, samples))

    def test_of_one_sample_there_is_one_for_each(self) -> None:
        found = self.requests(1, 3)
        self.assertEqual([batch.ids for batch in found], [["s0"], ["s1"], ["s2"]])
        self.assertEqual([batch.x["VALUES__0"].shape[0] for batch in found], [1, 1, 1])

    def test_of_more_samples_there_is_one_which_repeats_what_there_is(self) -> None:
        (four,) = self.requests(4, 8)
        self.assertEqual(four.ids, ["s0", "s1", "s2", "s3"])
        (seven,) = self.requests(7, 3)
        self.assertEqual(seven.ids, ["s0", "s1", "s2", "s0 (2)", "s1 (2)", "s2 (2)", "s0 (3)"])
        np.testing.assert_array_equal(seven.x["VALUES__0"][3], seven.x["VALUES__0"][0])
        # The data set has fewer than the request.
        (eight,) = self.requests(8, 8, count=2)
        self.assertEqual(len({name[:2] for name in eight.ids}), 2)

    def test_large_samples_repeat_sooner(self) -> None:
        volumes = np.zeros((4, 3_000_000), np.int8)
        self.assertEqual(filled(Batch(list("abcd"), {"x": volumes}, {}), 4).ids, ["a", "b", "a (2)", "b (2)"])


class ComparedTest(ToolkitCase):
    def test_the_framework_computes_each_size_by_itself(self) -> None:
        folder = write_toy(self.dir / "toy")
        (folder / "model.py").write_text(_BRANCHING)
        (folder / "dataloader.py").write_text(_LOADER)
        dump = self.dir / "framework"
        # The batch of what is gathered need not be among the sizes.
        asked = ["--at-batch-size=1", "--at-batch-size=4", "--gathered=2", "--compared-samples=2"]
        model = ["--model-dir", folder, "--batch-size=2"]
        run_verb("infer-framework", *model, *asked, "--runtime=pyt", "--output-dir", dump)
        one, two = (read_all(dump / folder_of(size), "outputs")["SCALED__0"] for size in (1, 2))
        np.testing.assert_array_equal(one, 2 * two)
        np.testing.assert_array_equal(read_all(dump / "singly", "outputs")["SCALED__0"], one)
        samples = self.dir / "samples"
        kept = run_verb(
            "keep-samples", *model, *asked, "--reference", dump, "--count=2", "--output-dir", samples
        )
        self.assertEqual(kept["samples"], 2)
        found = json.loads((samples / "samples.json").read_text(encoding="utf-8"))["samples"]
        self.assertEqual([entry.get("repeat") for entry in found], [None, None, 4])
        # What is expected is the answer at that size.
        values = [
            np.frombuffer((samples / entry["outputs"][0]["file"]).read_bytes(), "<f4")
            for entry in (found[1], found[2])
        ]
        np.testing.assert_array_equal(values[0], values[1][3:] * 2)

    def verify(
        self, reference: dict[str, Any], candidate: dict[str, Any], *flags: str
    ) -> list[dict[str, Any]]:
        ids = ["a", "b"]
        for side, parts in (("reference", reference), ("candidate", candidate)):
            write_dump(self.dir / side, parts.pop("all", [[1], [2]]), ids)
            for name, rows in parts.items():
                write_dump(self.dir / side / name, rows, ids)
        found: list[dict[str, Any]] = run_verb(
            "verify", "--reference", self.dir / "reference", "--candidate", self.dir / "candidate", *flags
        )["batches"]
        return found

    def test_a_size_that_differs_fails_alone(self) -> None:
        same = [[1], [2]]
        batches = self.verify(
            {"batch-1": same, "batch-2": same},
            {"batch-1": [[1], [4]], "batch-2": same},
            "--at-batch-size=1",
            "--at-batch-size=2",
        )
        passed = [[output["passed"] for output in batch["outputs"]] for batch in batches]
        self.assertEqual(passed, [[False], [True]])
        self.assertEqual(batches[0]["outputs"][0]["maxAbsDiff"], 2)

    def test_another_shape_at_a_size_is_told_there(self) -> None:
        (batch,) = self.verify({"batch-2": [[1], [2]]}, {"batch-2": [[1, 1], [2, 2]]}, "--at-batch-size=2")
        self.assertEqual(batch["outputs"], [])
        self.assertIn(
            "O of the sample a has the shape [1] in the framework and [2] on Triton", batch["failure"]
        )

    def test_gathered_requests_may_have_the_answer_alone_or_that_of_a_batch(self) -> None:
        alone, together = [[2], [4]], [[1], [2]]
        for name, answers, passes, varies in (
            ("as alone", alone, True, False),
            ("as in a batch", together, True, True),
            ("the first alone, the other in a batch", [[2], [2]], True, True),
            ("as neither", [[2], [9]], False, False),
        ):
            with self.subTest(name):
                (batch,) = self.verify(
                    {"singly": alone, "batch-2": together}, {"gathered": answers}, "--gathered=2"
                )
                self.assertEqual([output["passed"] for output in batch["outputs"]], [passes])
                self.assertEqual((batch["batchSize"], batch["gathered"], batch["varies"]), (1, 2, varies))
                self.setUp()
