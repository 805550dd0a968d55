from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from support import REFUSAL, RESNET50, ToolkitCase, resnet_flags

from toolkit.checkpoint import load_checkpoint
from toolkit.errors import ToolkitError
from toolkit.model_folder import ModelFolder


def folder(dataset: Path | None, **given: str) -> ModelFolder:
    context = {
        "data_dir": None if dataset is None else str(dataset),
        "batch_size": 4,
        "precision": "fp32",
        "seed": 0,
    }
    return ModelFolder(RESNET50, given, context)


def model(**given: str) -> torch.nn.Module:
    module: torch.nn.Module = folder(None, **given).call("model")[0]
    return module.eval()


class ModelTest(ToolkitCase):
    def test_full_size_has_the_published_parameters(self) -> None:
        module = model()
        self.assertEqual(sum(parameter.numel() for parameter in module.parameters()), 25_557_032)
        strides = {name: m.stride for name, m in module.named_modules() if isinstance(m, torch.nn.Conv2d)}
        for stage in (2, 3, 4):
            self.assertEqual(strides[f"layer{stage}.0.conv1"], (1, 1))
            self.assertEqual(strides[f"layer{stage}.0.conv2"], (2, 2))
        with torch.inference_mode():
            scores = module(torch.randn(2, 3, 224, 224, generator=torch.Generator().manual_seed(1)))
        self.assertEqual(list(scores.shape), [2, 1000])
        self.assertTrue(bool(torch.isfinite(scores).all()))
        # Far inside float16, and not all the same.
        self.assertLess(float(scores.abs().max()), 1000)
        self.assertGreater(float((scores[0] - scores[1]).abs().max()), 0.01)

    def test_the_seed_decides_the_weights(self) -> None:
        small = {"blocks": "1,1,1,1", "width": "4", "classes": "10"}
        first, again, other = (
            model(**small, seed=seed).state_dict()["fc.weight"] for seed in ("3", "3", "4")
        )
        self.assertTrue(torch.equal(first, again))
        self.assertFalse(torch.equal(first, other))


class DataTest(ToolkitCase):
    def make(self, **changes: str) -> Path:
        output = self.dir / "data"
        result = self.ok("make-dataset", *resnet_flags(**changes), "--output", output)
        self.assertEqual(result["samples"], len(list(output.rglob("*.jpg"))))
        return output

    def test_real_jpeg_files_in_class_folders(self) -> None:
        root = self.make(train_images="2")
        files = sorted(root.rglob("*.jpg"))
        self.assertEqual(len(files), 30)
        with Image.open(files[0]) as image:
            self.assertEqual(image.format, "JPEG")
            self.assertGreater(len(image.getcolors(1 << 20) or []), 100)

    def test_all_batches_come_the_last_partial_one_too(self) -> None:
        root = self.make()
        loader = folder(root, image_size="32", classes="10").call("dataloader")
        batches = list(loader())
        self.assertEqual([len(ids) for ids, _, _ in batches], [4, 4, 2])
        self.assertEqual(len(loader), 10)
        ids = [name for names, _, _ in batches for name in names]
        self.assertEqual(ids[0], "val/checkers/checkers-0000.jpg")
        self.assertEqual([int(v) for _, _, y in batches for v in y["OUTPUT__0"]], list(range(10)))
        x = batches[0][1]["INPUT__0"]
        self.assertEqual((x.shape, x.dtype), ((4, 3, 32, 32), np.dtype(np.float32)))

    def test_integer_folders_are_class_indices(self) -> None:
        root = self.make(classes="1000", dataset_classes="4")
        loader = folder(root, image_size="32", classes="1000").call("dataloader")
        labels = [int(v) for _, _, y in loader() for v in y["OUTPUT__0"]]
        self.assertEqual(labels, [0, 250, 500, 750])
        with self.assertRaisesRegex(REFUSAL, "index 750, the model has 600"):
            folder(root, image_size="32", classes="600").call("dataloader")

    def test_pixels_are_rgb_normalised_channels_first(self) -> None:
        root = self.dir / "root"
        (root / "val" / "0").mkdir(parents=True)
        # Wider than high: the middle third is red, what is cropped away is blue.
        pixels = np.zeros((60, 180, 3), dtype=np.uint8)
        pixels[:, :, 2] = 255
        pixels[:, 50:130] = (255, 0, 0)
        Image.fromarray(pixels).save(root / "val" / "0" / "a.jpg", quality=100, subsampling=0)
        (_, x, _) = next(iter(folder(root, image_size="32", precision="fp16").call("dataloader")()))
        values = x["INPUT__0"]
        self.assertEqual(values.dtype, np.dtype(np.float16))
        expected = [(1 - 0.485) / 0.229, -0.456 / 0.224, -0.406 / 0.225]
        np.testing.assert_allclose(values[0, :, 4:28, 4:28].mean(axis=(1, 2)), expected, atol=0.05)

    def test_top_1_and_top_5(self) -> None:
        calculator = folder(None).call("metrics")
        scores = np.array([[0.1, 0.9, 0, 0, 0, 0], [6, 5, 4, 3, 2, 1], [1, 1, 1, 1, 1, 1]])
        labels = np.array([1, 5, 0])
        one_hot = np.eye(6)[labels]
        for given in (labels, one_hot):
            values: dict[str, float] = calculator.calc(
                ids=[], y_pred={"OUTPUT__0": scores}, x=None, y_real={"OUTPUT__0": given}
            )
            self.assertAlmostEqual(values["top1"], 2 / 3)
            self.assertAlmostEqual(values["top5"], 2 / 3)
        nan = np.full((1, 6), np.nan)
        values = calculator.calc(ids=[], y_pred={"OUTPUT__0": nan}, x=None, y_real={"OUTPUT__0": labels[:1]})
        self.assertEqual(values["top1"], 0.0)

    def test_training_lifts_accuracy_far_above_chance(self) -> None:
        root = self.make(train_images="80", val_images="10", dataset_image_size="40")
        flags = resnet_flags(width="16", train_epochs="10", train_threads="1", classifier_std="0.05")
        result = self.ok("train", *flags, "--dataset", root, "--output", self.dir / "w.pt")
        self.assertTrue(result["trained"])
        self.assertEqual(result["steps"], 130)
        self.assertGreater(result["heldOut"]["top1"], 0.5)

    def test_without_training_the_seeded_weights_are_saved(self) -> None:
        flags = resnet_flags()
        result = self.ok("train", *flags, "--seed=7", "--output", self.dir / "w.pt", "--dataset", self.make())
        self.assertEqual((result["trained"], result["heldOut"]), (False, {}))
        state = torch.load(self.dir / "w.pt", weights_only=True)
        small = {"blocks": "1,1,1,1", "width": "4", "classes": "10", "seed": "7"}
        self.assertTrue(torch.equal(state["conv1.weight"], model(**small).state_dict()["conv1.weight"]))


class Evil:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("evil",)


class CheckpointTest(ToolkitCase):
    def setUp(self) -> None:
        super().setUp()
        self.small = {"blocks": "1,1,1,1", "width": "4", "classes": "10"}
        self.path = self.dir / "weights.pt"

    def refusal(self, value: object) -> ToolkitError:
        torch.save(value, self.path)
        with self.assertRaises(ToolkitError) as caught:
            load_checkpoint(model(**self.small), self.path)
        self.assertEqual(caught.exception.code, "checkpoint-invalid")
        self.assertIn("weights.pt", caught.exception.message)
        self.assertIsNotNone(caught.exception.remedy)
        return caught.exception

    def test_plain_nested_and_prefixed_states_are_taken(self) -> None:
        state = model(**self.small, seed="9").state_dict()
        without_counters = {
            key: value for key, value in state.items() if not key.endswith("num_batches_tracked")
        }
        prefixed = {f"module.{key}": value for key, value in state.items()}
        for value in (state, without_counters, prefixed, {"state_dict": state, "epoch": 3}):
            target = model(**self.small)
            torch.save(value, self.path)
            load_checkpoint(target, self.path)
            self.assertTrue(torch.equal(target.state_dict()["fc.weight"], state["fc.weight"]))

    def test_what_does_not_fit_is_named(self) -> None:
        state = model(**self.small).state_dict()
        without_bias = {key: value for key, value in state.items() if key != "fc.bias"}
        self.assertIn("1 keys are missing (fc.bias)", self.refusal(without_bias).message)
        self.assertIn("unexpected (extra)", self.refusal({**state, "extra": torch.zeros(1)}).message)
        self.assertIn(
            "fc.bias is [3], the model needs [10]", self.refusal({**state, "fc.bias": torch.zeros(3)}).message
        )
        self.assertIn("NaN", self.refusal({**state, "fc.bias": torch.full((10,), float("nan"))}).message)
        self.assertIn("not a tensor", self.refusal({**state, "fc.bias": "text"}).message)
        self.assertIn("not a state dictionary", self.refusal([1, 2]).message)

    def test_nothing_in_the_file_is_executed(self) -> None:
        os.chdir(self.dir)
        self.addCleanup(os.chdir, Path(__file__).parent)
        self.refusal({"conv1.weight": Evil()})
        self.path.write_bytes(pickle.dumps(Evil()))
        with self.assertRaises(ToolkitError):
            load_checkpoint(model(**self.small), self.path)
        self.assertFalse((self.dir / "evil").exists())

    def test_a_wrong_file_never_falls_back(self) -> None:
        root = self.dir / "data"
        self.ok("make-dataset", *resnet_flags(), "--output", root)
        self.path.write_text("no weights")
        for verb, flags in (
            ("export", ["--format=onnx", "--output", self.dir / "model.onnx"]),
            ("infer-framework", ["--runtime=pyt", "--output-dir", self.dir / "dump"]),
        ):
            error = self.refused(
                "checkpoint-invalid",
                verb,
                *resnet_flags(),
                "--dataset",
                root,
                "--checkpoint",
                self.path,
                *flags,
            )
            self.assertEqual(error["where"], str(self.path))
        missing = self.refused(
            "checkpoint-invalid", "train", *resnet_flags(), "--dataset", root, "--checkpoint", self.dir / "none.pt",
            "--output", self.dir / "w.pt",
        )  # fmt: skip
        self.assertIn("no such file", missing["message"])
        self.assertEqual(sorted(entry.name for entry in self.dir.iterdir()), ["data", "weights.pt"])
