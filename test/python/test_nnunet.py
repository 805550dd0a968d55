from __future__ import annotations

import gzip
import importlib
import json
import math
import struct
from pathlib import Path
from typing import Any

import numpy as np
import torch
from support import REFUSAL, RESOURCES, ToolkitCase

from toolkit.model_folder import ModelFolder
from toolkit.options import Parser
from toolkit.report import Report

NNUNET = RESOURCES / "models" / "nnunet"

#: Small enough for a test, and yet the real network, loader and metric.
SMALL = {
    "features": "4,8,8",
    "patch_size": "16",
    "cases": "6",
    "dataset_image_size": "20",
}


def folder(dataset: Path | None, batch_size: int = 4, precision: str = "fp32", **given: str) -> ModelFolder:
    context = {
        "data_dir": None if dataset is None else str(dataset),
        "batch_size": batch_size,
        "precision": precision,
        "seed": 0,
    }
    return ModelFolder(NNUNET, given, context)


def flags(**changes: str) -> list[str]:
    return [
        "--model-dir",
        str(NNUNET),
        *(f"--arg={name}={value}" for name, value in {**SMALL, **changes}.items()),
    ]


class VerbCase(ToolkitCase):
    def verb(self, name: str, *arguments: object) -> dict[str, Any]:
        """A verb within this process: importing torch for each would take longer than the work."""
        module = importlib.import_module(f"toolkit.verbs.{name.replace('-', '_')}")
        parser = Parser()
        module.add_arguments(parser)
        with (self.dir / "lines").open("wb") as lines:
            options = parser.parse_args([str(argument) for argument in arguments])
            result: dict[str, Any] = module.run(options, Report(lines.fileno()))
        return result


class ModelTest(ToolkitCase):
    def test_full_size_has_the_published_layers_and_parameters(self) -> None:
        module = folder(None).call("model")[0]
        channels = [32, 64, 128, 256, 320, 320]
        # As published: two 3x3x3 convolutions without bias and their normalisations per level on both sides,
        # transposed 2x2x2 convolutions and a 1x1x1 head with bias.
        double = [(4, 32), *zip(channels, channels[1:])]
        count = sum(27 * (a + b) * b + 4 * b for a, b in double)
        for low, high in zip(channels[:0:-1], channels[-2::-1]):
            count += 8 * low * high + high + 27 * (2 * high + high) * high + 4 * high
        count += 4 * 32 + 4
        self.assertEqual(count, 31_192_868)
        # For training, heads at the other resolutions but the two lowest.
        count += 4 * sum(channels[1:4]) + 3 * 4
        self.assertEqual(sum(parameter.numel() for parameter in module.parameters()), count)
        kinds = [m for m in module.modules() if isinstance(m, torch.nn.Conv3d) and m.stride == (2, 2, 2)]
        self.assertEqual([conv.out_channels for conv in kinds], channels[1:])

    def test_the_output_is_the_class_of_every_voxel(self) -> None:
        module = folder(None, features="4,8,8", seed="3").call("model")[0].eval()
        x = torch.randn(2, 4, 16, 16, 16, generator=torch.Generator().manual_seed(1))
        with torch.inference_mode():
            found, scores = module(x), module.logits(x)
        self.assertEqual((list(found.shape), found.dtype), ([2, 16, 16, 16], torch.int64))
        self.assertTrue(torch.equal(found, scores[0].argmax(dim=1)))
        self.assertEqual(len(found.unique()), 4)
        deeper = folder(None, features="4,4,8,8").call("model")[0].logits(x)
        self.assertEqual([list(part.shape[2:]) for part in deeper], [[16] * 3, [8] * 3])


class NiftiTest(ToolkitCase):
    def read(self, path: Path) -> Any:
        loader = folder(None).entry("dataloader").__globals__["read_case"].__globals__
        return loader["read_nifti"](path)

    def file(self, order: str, code: int, data: bytes, slope: float = 0, magic: bytes = b"n+1\0") -> Path:
        """A volume of 2 x 3 x 4 voxels, written by hand to the NIfTI-1 standard."""
        header = bytearray(352)
        struct.pack_into(f"{order}i", header, 0, 348)
        struct.pack_into(f"{order}8h", header, 40, 3, 2, 3, 4, 1, 1, 1, 1)
        struct.pack_into(f"{order}h", header, 70, code)
        struct.pack_into(f"{order}4f", header, 76, 1, 1.5, 2.5, 3.5)
        struct.pack_into(f"{order}3f", header, 108, 352, slope, 5)
        header[344:348] = magic
        path = self.dir / f"volume-{code}-{len(data)}.nii.gz"
        path.write_bytes(gzip.compress(bytes(header) + data))
        return path

    def test_types_byte_orders_and_scaling(self) -> None:
        values = np.arange(24)
        for order in "<>":
            for code, kind in ((2, "u1"), (4, "i2"), (16, "f4")):
                volume = self.read(self.file(order, code, values.astype(f"{order}{kind}").tobytes()))
                data, spacing = volume
                # The first axis of the file runs fastest and is x, the last here.
                np.testing.assert_array_equal(data, values.reshape(4, 3, 2))
                self.assertEqual((data.dtype.str[1:], data.dtype.isnative), (kind, True))
                self.assertEqual(spacing, (3.5, 2.5, 1.5))
        scaled = self.read(self.file("<", 4, values.astype("<i2").tobytes(), slope=2))
        np.testing.assert_array_equal(scaled[0], values.reshape(4, 3, 2) * 2 + 5)

    def test_what_is_damaged_or_strange_is_named(self) -> None:
        for path, text in (
            (self.file("<", 4, bytes(10)), "too few for"),
            (self.file("<", 128, bytes(999)), "datatype 128"),
            (self.file("<", 4, bytes(48), magic=b"ni1\0"), "not a NIfTI-1 file"),
        ):
            with self.assertRaisesRegex(REFUSAL, f"{path.name}: .*{text}"):
                self.read(path)
        path.write_bytes(path.read_bytes()[:40])
        with self.assertRaisesRegex(REFUSAL, "cannot be read"):
            self.read(path)


class DataTest(VerbCase):
    def make(self, **changes: str) -> Path:
        output = self.dir / "data"
        self.verb("make-dataset", *flags(**changes), "--output", output)
        return output

    def test_a_task_of_the_decathlon(self) -> None:
        root = self.make()
        description = json.loads((root / "dataset.json").read_text())
        self.assertEqual((description["numTraining"], len(description["modality"])), (6, 4))
        for entry in description["training"]:
            raw = gzip.decompress((root / entry["image"]).read_bytes())
            self.assertEqual(struct.unpack_from("<8h", raw, 40)[:5], (4, 20, 20, 20, 4))
            label = gzip.decompress((root / entry["label"]).read_bytes())
            self.assertEqual(set(label[352:]), {0, 1, 2, 3})

    def test_patches_of_fold_2_normalised_within_the_brain(self) -> None:
        root = self.make(cases="13")
        loader = folder(root, batch_size=2, patch_size="16").call("dataloader")
        batches = list(loader())
        # scikit-learn's KFold(5, shuffle=True, random_state=12345) over 13 cases: indices of the third fold.
        order = np.arange(13)
        np.random.RandomState(12345).shuffle(order)
        expected = [f"BRATS_{index + 1:03d}" for index in sorted(order[6:9])]
        self.assertEqual([name for ids, _, _ in batches for name in ids], expected)
        self.assertEqual(([len(ids) for ids, _, _ in batches], len(loader)), ([2, 1], 3))
        x, y = batches[0][1]["INPUT__0"], batches[0][2]["OUTPUT__0"]
        self.assertEqual((x.shape, x.dtype.name), ((2, 4, 16, 16, 16), "float32"))
        self.assertEqual((y.shape, y.dtype.name), ((2, 16, 16, 16), "int64"))
        inside = x[0, 0] != 0
        self.assertLess(abs(float(x[0, 0][inside].mean())), 0.5)
        # What is smaller than the patch gets zeros around it.
        _, large, label = next(iter(folder(root, precision="fp16", patch_size="32").call("dataloader")()))
        self.assertEqual((large["INPUT__0"].shape[2:], large["INPUT__0"].dtype.name), ((32,) * 3, "float16"))
        self.assertEqual(float(np.abs(large["INPUT__0"][:, :, :4]).max()), 0.0)
        self.assertEqual(set(np.unique(label["OUTPUT__0"])), {0, 1, 2, 3})

    def test_preprocessed_arrays(self) -> None:
        rng = np.random.default_rng(0)
        for index in range(5):
            image, label = rng.random((4, 18, 16, 20), np.float32), rng.integers(-1, 4, (1, 18, 16, 20))
            if index < 3:
                np.save(self.dir / f"BRATS_{index}_x.npy", image)
                np.save(self.dir / f"BRATS_{index}_y.npy", label.astype(np.int8))
            else:
                np.savez(self.dir / f"BRATS_{index}_x.npz", data=image)
                np.savez(self.dir / f"BRATS_{index}_y.npz", data=label)
        found = {}
        for fold in range(5):
            for ids, x, y in folder(self.dir, patch_size="16", fold=str(fold)).call("dataloader")():
                found.update(dict(zip(ids, zip(x["INPUT__0"], y["OUTPUT__0"]))))
        self.assertEqual(sorted(found), [f"BRATS_{index}" for index in range(5)])
        # Taken as they are, cropped to the middle; -1, which marks what lies outside, is background.
        image = np.load(self.dir / "BRATS_1_x.npy")
        np.testing.assert_array_equal(found["BRATS_1"][0], image[:, 1:17, :, 2:18])
        self.assertEqual(int(found["BRATS_1"][1].min()), 0)

    def test_what_does_not_fit_is_named(self) -> None:
        root = self.make()
        path = root / "dataset.json"
        description = json.loads(path.read_text())
        for image, text in (("../x.nii.gz", "outside the data set"), ("imagesTr/x.nii.gz", "no such file")):
            description["training"][0]["image"] = image
            path.write_text(json.dumps(description))
            with self.assertRaisesRegex(REFUSAL, text):
                folder(root).call("dataloader")
        path.write_text("{}")
        with self.assertRaisesRegex(REFUSAL, "no list `training`"):
            folder(root).call("dataloader")
        path.unlink()
        with self.assertRaisesRegex(REFUSAL, "0 cases"):
            folder(root).call("dataloader")


class MetricTest(ToolkitCase):
    def dice(self, predicted: list[list[int]], labels: list[list[int]]) -> dict[str, float]:
        found, wanted = (np.array(part).reshape(len(part), 2, 2, -1) for part in (predicted, labels))
        values: dict[str, float] = (
            folder(None)
            .call("metrics")
            .calc(ids=[], y_pred={"OUTPUT__0": found}, x=None, y_real={"OUTPUT__0": wanted})
        )
        return values

    def test_dice_of_each_class(self) -> None:
        values = self.dice([[0, 1, 1, 2, 3, 3, 0, 0]], [[0, 1, 2, 2, 3, 3, 3, 0]])
        expected = {"dice_class_1": 2 / 3, "dice_class_2": 2 / 3, "dice_class_3": 4 / 5}
        for name, value in expected.items():
            self.assertAlmostEqual(values[name], value)
        self.assertAlmostEqual(values["dice"], math.fsum(expected.values()) / 3)

    def test_one_index_means_one_class(self) -> None:
        # No background in sight, and class 3 nowhere: shifted by one, classes 1 and 2 would be taken for each other.
        values = self.dice([[1, 1, 2, 2]], [[1, 1, 2, 2]])
        self.assertEqual(values, {"dice": 1.0, "dice_class_1": 1.0, "dice_class_2": 1.0, "dice_class_3": 1.0})
        # Class 3 is found where there is none: 0, and not left out with the highest class of the labels.
        self.assertEqual(self.dice([[1, 1, 2, 3]], [[1, 1, 2, 2]])["dice_class_3"], 0.0)

    def test_the_mean_is_over_samples(self) -> None:
        values = self.dice([[1, 1, 0, 0], [0, 0, 0, 0]], [[1, 1, 0, 0], [1, 1, 0, 0]])
        self.assertEqual((values["dice_class_1"], values["dice_class_2"]), (0.5, 1.0))


class PipelineTest(VerbCase):
    def test_training_lifts_dice_far_above_the_untrained(self) -> None:
        root = self.dir / "data"
        small = flags(cases="15", dataset_image_size="24", features="6,12")
        self.verb("make-dataset", *small, "--output", root)
        more = ["--arg=train_epochs=12", "--arg=learning_rate=0.02", "--arg=train_threads=1"]
        result = self.verb("train", *small, *more, "--dataset", root, "--output", self.dir / "w.pt")
        held_out = result["heldOut"]
        self.assertEqual((result["trained"], result["steps"]), (True, 72))
        self.assertGreater(held_out["dice"], held_out["dice_untrained"] + 0.25)

    def test_every_format_gives_the_classes_of_the_framework(self) -> None:
        root = self.dir / "data"
        self.verb("make-dataset", *flags(), "--output", root)
        given = [*flags(), "--dataset", root, "--batch-size", "2"]
        self.verb("infer-framework", *given, "--runtime=pyt", "--output-dir", self.dir / "pyt")
        for name, file in (("ts-script", "script.pt"), ("ts-trace", "trace.pt"), ("onnx", "model.onnx")):
            path = self.dir / file
            result = self.verb("export", *given, "--format", name, "--opset", "12", "--output", path)
            self.assertEqual(result["inputs"][0]["shape"], [-1, 4, 16, 16, 16])
            self.assertEqual(
                result["outputs"], [{"name": "OUTPUT__0", "datatype": "INT64", "shape": [-1, 16, 16, 16]}]
            )
            half = self.verb(
                "convert",
                f"--format={name}",
                "--precision=fp16",
                "--input",
                path,
                "--output",
                self.dir / f"half-{file}",
            )
            types = (half["inputs"][0]["datatype"], half["outputs"][0]["datatype"])
            self.assertEqual(types, ("FP16", "INT64"))
            runtime = "onnx" if name == "onnx" else "ts"
            dump = self.dir / f"dump-{name}"
            self.verb("infer-framework", *given, "--runtime", runtime, "--path", path, "--output-dir", dump)
            verified = self.verb(
                "verify", "--reference", self.dir / "pyt", "--candidate", dump, "--max-mismatch", "*=0.001"
            )
            self.assertTrue(verified["outputs"][0]["passed"], verified)


class MismatchTest(VerbCase):
    def dump(self, name: str, values: list[int]) -> Path:
        path = self.dir / name
        path.mkdir()
        np.savez(path / "ids-000000000000.npz", ids=np.array(["a"]))
        np.savez(path / "outputs-000000000000.npz", Y=np.array([values]))
        return path

    def test_a_share_of_the_values_may_differ(self) -> None:
        pair = ["--reference", self.dump("a", [0, 1, 2, 3]), "--candidate", self.dump("b", [0, 1, 2, 1])]
        for share, passed in (("0.2", False), ("0.25", True)):
            found = self.verb("verify", *pair, "--max-mismatch", f"Y={share}")["outputs"][0]
            self.assertEqual(
                (found["mismatchShare"], found["passed"], found["vacuous"]), (0.25, passed, False)
            )
        self.assertFalse(self.verb("verify", *pair)["outputs"][0]["passed"])
        self.assertTrue(self.verb("verify", *pair, "--max-mismatch", "*=1")["outputs"][0]["vacuous"])
