"""The reference of padded samples, and that a model whose answers depend on padding does not pass."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from support import ToolkitCase, run_verb

from toolkit.batches import Batch
from toolkit.errors import ToolkitError
from toolkit.unpadded import unpadded

_MODEL = """
import torch
from torch import nn


class Averaging(nn.Module):
    def forward(self, ids: torch.Tensor, mask: torch.Tensor):
        values = ids.to(torch.float32)
        counted = values * mask
        by_token = values + (counted.sum(dim=1) / mask.sum(dim=1)).unsqueeze(1)
        return by_token, counted.sum(dim=1, keepdim=True) / {divisor}


def get_model():
    masks = {{"mask": ["ids", "mask", "by_token"]}}
    return Averaging(), {{"inputs": ["ids", "mask"], "outputs": ["by_token", "mean"], "masks": masks}}
"""

#: Three of five tokens, one, and five, filled up with 7.
_LOADER = """
import numpy as np


def get_dataloader_fn(batch_size: int = 3):
    lengths = [3, 1, 5]

    def batches():
        for start in range(0, 3, batch_size):
            part = lengths[start : start + batch_size]
            mask = np.arange(max(part)) < np.array(part)[:, None]
            ids = np.where(mask, np.arange(1, max(part) + 1), 7)
            yield [f"s{start + i}" for i in range(len(part))], {"ids": ids, "mask": mask.astype(np.int64)}, {}

    return batches
"""


class UnpaddedTest(ToolkitCase):
    def folder(self, name: str, divisor: str) -> Path:
        folder = self.dir / name
        folder.mkdir()
        (folder / "model.py").write_text(_MODEL.format(divisor=divisor))
        (folder / "dataloader.py").write_text(_LOADER)
        (folder / "metrics.py").write_text("class MetricsCalculator:\n    pass\n")
        return folder

    def reference(self, folder: Path) -> Path:
        dump = self.dir / f"{folder.name}-reference"
        asked = ("--at-batch-size=1", "--at-batch-size=3", "--gathered=3")
        run_verb("infer-framework", "--model-dir", folder, "--runtime=pyt", *asked, "--output-dir", dump)
        return dump

    def served(self, folder: Path, reference: Path) -> Any:
        """What a server that computes whole batches answers, in place of Triton, and its comparison."""
        served = self.dir / f"{folder.name}-served"
        plain = folder / "model.py"
        plain.write_text(plain.read_text().replace(', "masks": masks', ""))
        asked = ("--at-batch-size=1", "--at-batch-size=3", "--gathered=3")
        run_verb("infer-framework", "--model-dir", folder, "--runtime=pyt", *asked, "--output-dir", served)
        (served / "singly").rename(served / "gathered")
        tolerance = ("--atol=*=1e-5", "--rtol=*=1e-5")
        return run_verb("verify", "--reference", reference, "--candidate", served, *asked, *tolerance)

    def test_a_batch_is_cut_where_the_mask_ends(self) -> None:
        mask = np.array([[1, 1, 0], [1, 1, 0], [1, 1, 1]])
        batch = Batch(
            ["a", "b", "c"], {"ids": np.arange(9).reshape(3, 3), "mask": mask, "x": np.ones((3, 2))}, {}
        )
        first, second = unpadded(batch, {"mask": ["ids", "mask"]})
        self.assertEqual([first.ids, second.ids], [["a", "b"], ["c"]])
        np.testing.assert_array_equal(first.x["ids"], [[0, 1], [3, 4]])
        self.assertEqual([first.x["x"].shape, second.x["ids"].shape], [(2, 2), (1, 3)])
        self.assertEqual(list(unpadded(batch, {})), [batch])

    def test_padding_in_front_or_a_sample_of_nothing_is_refused(self) -> None:
        for mask in ([[0, 1, 1]], [[1, 0, 1]], [[0, 0, 0]]):
            batch = Batch(["a"], {"mask": np.array(mask)}, {})
            with self.assertRaises(ToolkitError):
                list(unpadded(batch, {"mask": ["mask"]}))

    def test_padded_places_are_not_compared_and_everything_else_is(self) -> None:
        folder = self.folder("right", "mask.sum(dim=1, keepdim=True)")
        reference = self.reference(folder)
        self.assertEqual(json.loads((reference / "lengths.json").read_text()), {"by_token": None})
        found = self.served(folder, reference)
        passed = {output["output"]: output["passed"] for output in found["outputs"]}
        self.assertEqual(passed, {"by_token": True, "mean": True})
        self.assertEqual([part["outputs"][0]["passed"] for part in found["batches"]], [True, True, True])
        # Nine tokens of three samples, and not the fifteen places of the batch.
        self.assertEqual(found["outputs"][0]["sampleCount"], 3)

    def test_an_answer_that_depends_on_the_padding_does_not_pass(self) -> None:
        folder = self.folder("wrong", "mask.shape[1]")
        found = self.served(folder, self.reference(folder))
        passed = {output["output"]: output["passed"] for output in found["outputs"]}
        self.assertEqual(passed, {"by_token": True, "mean": False})
        # Alone there is no padding.
        self.assertEqual([part["outputs"][1]["passed"] for part in found["batches"]], [True, False, False])

    def test_masks_that_name_no_tensor_are_refused(self) -> None:
        folder = self.folder("other", "1")
        model = folder / "model.py"
        model.write_text(model.read_text().replace('"by_token"]}', '"nothing"]}'))
        with self.assertRaisesRegex(ToolkitError, "get_model must return"):
            self.reference(folder)
