"""NVIDIA's numbers from the presets, and NVIDIA's checkpoints into them."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from make_checkpoint import tensors, write_archive, write_fastpitch, write_nnunet, write_resnet50, write_tft
from support import RESOURCES, ToolkitCase, failure, run_verb, spoken, write_toy
from vectors import VECTORS, arrays, comparison

from toolkit.model_folder import ModelFolder

Tensors = dict[str, torch.Tensor]


class VectorTest(ToolkitCase):
    def test_the_presets_give_the_outputs_of_the_published_networks(self) -> None:
        for network in ("tft", "fastpitch", "nnunet", "resnet50"):
            differences = list(comparison().compare(VECTORS / network, 1e-4))
            self.assertGreater(len(differences), 0)
            for one in differences:
                with self.subTest(network=network, output=one.output):
                    self.assertLess(one.largest, 1e-4)
                    self.assertIn(one.classes, (None, 0))

    def test_a_wrong_order_is_seen(self) -> None:
        def swapped(key: str, array: Any) -> Any:
            half = len(array) // 2
            return np.concatenate([array[half:], array[:half]]) if "input_gate.lin" in key else array

        folder = self.dir / "tft"
        shutil.copytree(VECTORS / "tft", folder)
        changed = {key: swapped(key, array) for key, array in arrays("tft").items()}
        np.savez(folder / "weights.npz", **changed)
        (one,) = comparison().compare(folder, 1e-4)
        self.assertGreater(one.largest, 1e-3)


class CheckpointTest(ToolkitCase):
    def load(self, network: str, path: Path, *flags: str) -> tuple[torch.nn.Module, dict[str, str]]:
        """The model as later verbs make it, and the arguments that the checkpoint decides."""
        files = self.dir / "weights.pt", self.dir / "arguments.json"
        given = ["--model-dir", RESOURCES / "models" / network, "--checkpoint", path, *flags]
        run_verb("load-checkpoint", *given, "--output", files[0], "--arguments", files[1])
        arguments = json.loads(files[1].read_text())
        model: torch.nn.Module = ModelFolder(RESOURCES / "models" / network, arguments, {}).call("model")[0]
        model.load_state_dict(torch.load(files[0], weights_only=True))
        return model.eval(), arguments

    def refuses(self, network: str, path: Path, *texts: str) -> None:
        error = failure(
            "load-checkpoint", "--model-dir", RESOURCES / "models" / network, "--checkpoint", path,
            "--output", self.dir / "w.pt", "--arguments", self.dir / "a.json",
        )  # fmt: skip
        self.assertEqual(error.code, "checkpoint-invalid", error.message)
        for text in texts:
            self.assertIn(text, spoken(error))
        self.assertFalse((self.dir / "w.pt").exists())

    def same(self, network: str, model: torch.nn.Module, case: str = "") -> None:
        """As NVIDIA's network answers."""
        inputs, outputs = arrays(network, "inputs"), arrays(network, "outputs")
        prefix = f"{case}." if case else ""
        x = [torch.from_numpy(array) for key, array in inputs.items() if key.startswith(prefix)]
        with torch.inference_mode():
            found = model(*x)
        for index, value in enumerate(found if isinstance(found, tuple) else [found]):
            name = "target__0" if network == "tft" else f"{prefix}OUTPUT__{index}"
            np.testing.assert_allclose(value.numpy(), outputs[name], atol=1e-4, rtol=0)

    def saved(self, value: object, name: str, **options: Any) -> Path:
        path = self.dir / name
        torch.save(value, path, **options)
        return path

    def tft_file(self, state: Tensors, config: str = "ElectricityConfig") -> Path:
        path = self.dir / "checkpoint.pt"
        write_tft(state, path, config)
        return path

    def test_tft_with_and_without_part_two_and_from_the_archive(self) -> None:
        state = tensors("tft")
        plain = {key.replace("TFTpart2.", ""): tensor for key, tensor in state.items()}
        for given in (state, plain):
            path = self.tft_file(given)
            archive = self.dir / "ngc.zip"
            write_archive(path, archive)
            for one in (path, archive):
                model, arguments = self.load("tft", one)
                self.assertEqual(
                    arguments,
                    {
                        "data_set": "electricity",
                        "series": "5",
                        "hidden_size": "4",
                        "heads": "2",
                        "dataset_series": "5",
                    },
                )
                self.same("tft", model)
        _, arguments = self.load("tft", self.tft_file(state, "TrafficConfig"))
        self.assertEqual(arguments["data_set"], "traffic")

    def test_fastpitch_of_both_releases(self) -> None:
        state = tensors("fastpitch")
        config = json.loads((VECTORS / "fastpitch" / "config.json").read_text())["constructor"]
        value = {"epoch": 1, "config": config, "state_dict": state, "ema_state_dict": None}
        model, _ = self.load("fastpitch", self.saved(value, "new.pt"))
        self.same("fastpitch", model, "single0")
        # Release 1.0 has no energy and no aligner.
        old = {k: tensor for k, tensor in state.items() if not k.startswith(("energy_", "attention."))}
        write_fastpitch(old, self.dir / "old.pt")
        model, _ = self.load("fastpitch", self.dir / "old.pt")
        tokens = torch.from_numpy(arrays("fastpitch", "inputs")["single0.INPUT__0"])
        with torch.inference_mode():
            _, _, durations, _, energy = model(tokens)
        wanted = arrays("fastpitch", "outputs")["single0.OUTPUT__2"]
        np.testing.assert_allclose(durations.numpy(), wanted, atol=1e-4)
        self.assertEqual(float(energy.abs().max()), 0.0)

    def lightning_file(self, state: Tensors) -> Path:
        path = self.dir / "epoch=1.ckpt"
        write_nnunet(state, path)
        return path

    def test_nnunet_of_both_layouts(self) -> None:
        state = tensors("nnunet")
        model, arguments = self.load("nnunet", self.lightning_file(state), "--arg=patch_size=6")
        self.assertEqual(
            (arguments["features"], arguments["strides"], arguments["patch_size"]),
            ("3,4,5", "1,2x2x2,2x2x2", "8"),
        )
        self.same("nnunet", model)
        other = {}
        for key, tensor in state.items():
            name = key.replace("conv1.norm", "norm1").replace("conv2.norm", "norm2")
            name = name.replace("transp_conv.", "transp_conv.conv.")
            name = name.replace("output_block.conv.", "output_block.conv.conv.")
            if not name.startswith("deep_supervision"):
                other[name] = other[f"skip_layers.{name}"] = tensor
        model, _ = self.load("nnunet", self.lightning_file(other))
        self.same("nnunet", model)

    def test_nnunet_of_another_kind_is_refused_by_name(self) -> None:
        for key, kind in (
            ("downsamples.0.downsample.weight", "residual blocks"),
            ("upsamples.0.attention_gate.conv_o.conv.weight", "attention"),
        ):
            path = self.lightning_file({**tensors("nnunet"), key: torch.zeros(1)})
            self.refuses("nnunet", path, key, kind)

    def test_resnet50_as_published_and_of_a_training(self) -> None:
        state = tensors("resnet50")
        plain = {key: tensor for key, tensor in state.items() if not key.endswith("num_batches_tracked")}
        write_resnet50(plain, self.dir / "published.pth.tar")
        paths = [self.dir / "published.pth.tar"]
        training = {"epoch": 1, "best_prec1": 0.5, "state_dict": state, "optimizer": {}}
        paths += [self.saved(value, f"{index}.pth.tar") for index, value in enumerate((training, state))]
        for path in paths:
            model, arguments = self.load("resnet50", path)
            sizes = [arguments[name] for name in ("blocks", "classes", "dataset_classes")]
            self.assertEqual(sizes, ["1,2,1,1", "7", "7"])
            self.same("resnet50", model)

    def test_weights_of_a_run_load_as_before(self) -> None:
        for network, flags in (
            ("tft", {"hidden_size": "4", "heads": "2", "series": "3"}),
            ("fastpitch", {"channels": "8", "filters": "8", "encoder_layers": "1", "decoder_layers": "1"}),
            ("nnunet", {"features": "3,4,5"}),
            ("resnet50", {"width": "4", "blocks": "1,1,1,1"}),
        ):
            folder = ModelFolder(RESOURCES / "models" / network, flags, {})
            state = folder.call("model")[0].state_dict()
            # FastPitch's pitch is newer.
            path = self.saved(
                {k: v for k, v in state.items() if k not in ("pitch_mean", "pitch_std")}, f"{network}.pt"
            )
            run_verb(
                "load-checkpoint", "--model-dir", folder.path, "--checkpoint", path,
                "--output", self.dir / "w.pt", "--arguments", self.dir / "a.json",
                *(f"--arg={name}={value}" for name, value in flags.items()),
            )  # fmt: skip

    def test_the_first_tensor_that_does_not_fit_is_named(self) -> None:
        keys = {
            "tft": "TFTpart2.enrichment_grn.lin_i.weight",
            "fastpitch": "decoder.layers.0.pos_ff.CoreNet.2.weight",
            "nnunet": "upsamples.0.conv_block.conv1.conv.weight",
            "resnet50": "layers.1.0.conv2.weight",
        }
        for network, key in keys.items():
            state = tensors(network)
            shown = key.replace("TFTpart2.", "").replace("layers.1.0", "layer2.0") if network in (
                "tft", "resnet50"
            ) else key  # fmt: skip
            self.refuses(network, self.saved({**state, "stranger": torch.zeros(1)}, "more.pt"), "stranger")
            without = {name: tensor for name, tensor in state.items() if name != key}
            self.refuses(network, self.saved(without, "less.pt"), shown)
            broken = {**state, key: torch.full_like(state[key], float("nan"))}
            self.refuses(network, self.saved(broken, "nan.pt"), shown)

    def test_nothing_of_a_file_is_executed(self) -> None:
        witness = self.dir / "witness"

        class Evil:
            def __reduce__(self) -> tuple[Any, tuple[str]]:
                return os.system, (f"touch {witness}",)

        for network in ("tft", "fastpitch", "nnunet", "resnet50"):
            path = self.saved({"model": tensors(network), "more": Evil()}, "evil.pt")
            self.refuses(network, path, "system")
        self.assertFalse(witness.exists())

    def test_files_that_are_none(self) -> None:
        self.refuses("tft", self.dir / "missing.pt", "does not exist")
        empty = self.dir / "empty.zip"
        with zipfile.ZipFile(empty, "w") as file:
            file.writestr("readme.txt", "nothing")
        self.refuses("tft", empty, "no file of weights")
        broken = self.dir / "broken.zip"
        with zipfile.ZipFile(broken, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("weights.pt", b"weights" * 1000)
        packed = bytearray(broken.read_bytes())
        # The first byte of the deflated stream: a block of the type that does not exist.
        packed[30 + len("weights.pt")] = 0xFF
        broken.write_bytes(packed)
        self.refuses("tft", broken, "cannot be unpacked")
        text = self.dir / "text.pt"
        text.write_text("weights")
        self.refuses("tft", text, "cannot be read as weights")
        self.refuses("resnet50", self.saved([1, 2], "list.pt"), "holds a list")


class FolderTest(ToolkitCase):
    def test_a_folder_without_converter_takes_a_state_dictionary(self) -> None:
        folder = write_toy(self.dir / "toy")
        path = self.dir / "own.pt"
        torch.save({"state_dict": {"module.scale": torch.tensor([3.0])}}, path)
        files = self.dir / "w.pt", self.dir / "a.json"
        given = ["--model-dir", folder, "--checkpoint", path, "--output", files[0], "--arguments", files[1]]
        result = run_verb("load-checkpoint", *given)
        self.assertEqual((result["parameters"], result["arguments"]), (1, {}))
        self.assertEqual(torch.load(files[0], weights_only=True)["scale"].tolist(), [3.0])
