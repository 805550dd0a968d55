"""Samples of a Hugging Face folder: lengths, padding and shapes; the models themselves are tried by a campaign."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from support import REFUSAL, RESOURCES, ToolkitCase, run_verb

from toolkit.batches import Batch, Batches
from toolkit.model_folder import ModelFolder

FOLDER = RESOURCES / "huggingface"


def _row(name: str, length: int) -> dict[str, Any]:
    return {"name": name, "datatype": "INT64", "shape": [length]}


TEXT = [_row("input_ids", 8), _row("attention_mask", 8)]
TRANSLATION = [*TEXT, _row("decoder_input_ids", 4)]
SOUND = [{"name": "input_values", "datatype": "FP32", "shape": [160]}]
IMAGE = [{"name": "pixel_values", "datatype": "FP32", "shape": [3, 4, 6]}]


class HuggingFaceSamplesTest(ToolkitCase):
    def made(self, inputs: list[dict[str, Any]], *flags: str) -> Path:
        output = self.dir / f"data-{len(list(self.dir.iterdir()))}"
        given = ["--model-dir", FOLDER, f"--arg=inputs={json.dumps(inputs)}", *flags]
        run_verb("make-dataset", *given, "--output", output)
        return output

    def batches(self, inputs: list[dict[str, Any]], data: Path, size: int, **more: object) -> list[Batch]:
        context: dict[str, object] = {"data_dir": str(data), "batch_size": size, **more}
        return list(Batches(ModelFolder(FOLDER, {"inputs": json.dumps(inputs)}, context), 0))

    def test_lengths_are_mixed_and_a_batch_is_as_long_as_its_longest(self) -> None:
        data = self.made(
            TEXT, "--arg=longest=16", "--arg=padding_id=9", "--arg=ranges=input_ids:1:8", "--arg=samples=6"
        )
        singles = self.batches(TEXT, data, 1)
        lengths = [batch.x["input_ids"].shape[1] for batch in singles]
        self.assertEqual(lengths[:3], [16, 2, 8])
        for batch in singles:
            self.assertTrue((batch.x["attention_mask"] == 1).all())
            self.assertTrue((batch.x["input_ids"] < 8).all())
        first, second = self.batches(TEXT, data, 3)
        self.assertEqual(first.x["input_ids"].shape, (3, 16))
        self.assertEqual(second.x["input_ids"].shape, (3, max(lengths[3:])))
        np.testing.assert_array_equal(first.x["attention_mask"].sum(axis=1), [16, 2, 8])
        self.assertTrue((first.x["input_ids"][1, 2:] == 9).all())

    def test_what_is_measured_has_one_shape_and_no_padding(self) -> None:
        data = self.made(TRANSLATION, "--arg=longest=16", "--arg=samples=4")
        (batch,) = self.batches(TRANSLATION, data, 4, purpose="load")
        shapes = {name: array.shape for name, array in batch.x.items()}
        self.assertEqual(shapes, {"input_ids": (4, 8), "attention_mask": (4, 8), "decoder_input_ids": (4, 4)})
        self.assertTrue((batch.x["attention_mask"] == 1).all())

    def test_what_is_measured_has_the_lengths_that_are_asked_for(self) -> None:
        data = self.made(TRANSLATION, "--arg=longest=16", "--arg=samples=2", "--arg=ranges=input_ids:1:8")
        batches = self.batches(TRANSLATION, data, 4, purpose="load", lengths=[3, 20, 5])
        self.assertEqual([len(batch.ids) for batch in batches], [1, 1, 1])
        shapes = [{name: array.shape for name, array in batch.x.items()} for batch in batches]
        for found, length in zip(shapes, (3, 20, 5)):
            row = (1, length)
            self.assertEqual(found, {"input_ids": row, "attention_mask": row, "decoder_input_ids": (1, 4)})
        for batch in batches:
            self.assertTrue((batch.x["attention_mask"] == 1).all())
            self.assertTrue((batch.x["input_ids"] > 0).all())

    def test_or_each_sample_its_own_length(self) -> None:
        path = self.dir / "given.npz"
        ids = np.array([[5, 6, 0], [7, 0, 0], [1, 2, 3]])
        np.savez(path, input_ids=ids, attention_mask=ids != 0)
        batches = self.batches(TEXT, path, 4, purpose="load", lengths=[])
        self.assertEqual([batch.x["input_ids"].tolist() for batch in batches], [[[5, 6]], [[7]], [[1, 2, 3]]])
        np.savez(path, input_ids=ids)
        whole = self.batches(TEXT, path, 4, purpose="load", lengths=[])
        self.assertEqual([batch.x["input_ids"].shape for batch in whole], [(1, 3)] * 3)

    def written(self, *flags: str) -> dict[str, Any]:
        data = self.made(TEXT, "--arg=longest=16", "--arg=samples=2")
        output = self.dir / f"load-{len(list(self.dir.iterdir()))}"
        signature = [{**item, "shape": [-1, -1]} for item in TEXT]
        run_verb(
            "profile-data", "--model-dir", FOLDER, f"--arg=inputs={json.dumps(TEXT)}", "--dataset", data,
            "--mode=dataset", f"--signature={json.dumps(signature)}", "--output-dir", output, *flags,
        )  # fmt: skip
        manifest: dict[str, Any] = json.loads((output / "input-data.json").read_text())
        for tensor in manifest["tensors"]:
            for shape, file in zip(tensor.get("shapes", [tensor["shape"]]), tensor["files"]):
                self.assertEqual((output / file).stat().st_size, 8 * shape[0])
        return manifest

    def test_the_files_of_the_load_say_their_shapes_and_their_padding(self) -> None:
        pads = ("--padding=input_ids=9", "--padding=attention_mask=0")
        ids, mask = self.written("--count=3", "--lengths=3,20,5", *pads)["tensors"]
        self.assertEqual([ids["shape"], ids["shapes"]], [[3], [[3], [20], [5]]])
        self.assertEqual([ids["padding"], mask["padding"], len(ids["files"])], [9, 0, 3])
        alike = self.written("--count=2", "--lengths=7,7", *pads)["tensors"][0]
        self.assertEqual([alike["shape"], "shapes" in alike, "padding" in alike], [[7], False, False])
        own = self.written("--count=1000", "--lengths=dataset", *pads)["tensors"][0]
        self.assertEqual(own["shapes"], [[16], [2]])
        self.assertNotIn("shapes", self.written("--count=2")["tensors"][0])

    def test_rows_without_a_mask_are_equally_long_within_a_batch(self) -> None:
        data = self.made(SOUND, "--arg=samples=4")
        self.assertEqual(
            [batch.x["input_values"].shape for batch in self.batches(SOUND, data, 2)], [(2, 160), (2, 150)]
        )
        translated = self.batches(TRANSLATION, self.made(TRANSLATION, "--arg=longest=16"), 8)
        self.assertEqual([batch.x["decoder_input_ids"].shape[1] for batch in translated], [4, 4])

    def test_images_keep_their_size_and_take_half_precision(self) -> None:
        data = self.made(IMAGE, "--arg=samples=2")
        (batch,) = self.batches(IMAGE, data, 2, precision="fp16")
        self.assertEqual(
            (batch.x["pixel_values"].shape, batch.x["pixel_values"].dtype), ((2, 3, 4, 6), np.float16)
        )

    def test_given_samples_may_come_without_a_mask(self) -> None:
        path = self.dir / "given.npz"
        np.savez(path, input_ids=np.ones((2, 5), np.int32))
        (batch,) = self.batches(TEXT, path, 2)
        np.testing.assert_array_equal(batch.x["attention_mask"], np.ones((2, 5)))

    def test_given_samples_that_do_not_fit_are_refused_by_name(self) -> None:
        cases: dict[str, dict[str, Any]] = {
            'has no entry "input_ids"': {"other": np.ones((2, 5))},
            "the shape \\[5, 1\\]": {"input_ids": np.ones((2, 5, 1), int)},
            "zeros behind them": {"input_ids": np.ones((1, 2), int), "attention_mask": np.array([[0, 1]])},
            "equally long": {"input_ids": np.ones((1, 2), int), "attention_mask": np.ones((1, 3), int)},
            "same number of samples": {
                "input_ids": np.ones((1, 2), int),
                "attention_mask": np.ones((2, 2), int),
            },
        }
        for words, arrays in cases.items():
            path = self.dir / "given.npz"
            np.savez(path, **arrays)
            with self.subTest(words), self.assertRaisesRegex(REFUSAL, words):
                self.batches(TEXT, path, 2)
