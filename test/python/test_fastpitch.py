from __future__ import annotations

import io
import json
import unittest
import wave
from pathlib import Path
from typing import Any

import numpy as np
import torch
from support import REFUSAL, RESOURCES, ToolkitCase
from torch import nn

from toolkit.dumps import DumpWriter, write_lengths
from toolkit.errors import ToolkitError
from toolkit.model_folder import ModelFolder

FASTPITCH = RESOURCES / "models" / "fastpitch"

#: The real model, loader and metrics, as small as a test wants them.
SMALL = {
    "channels": "16",
    "encoder_layers": "1",
    "decoder_layers": "1",
    "head_size": "8",
    "filters": "24",
    "predictor_filters": "12",
    "max_frames": "512",
}


def folder(dataset: Path | None = None, /, **given: str) -> ModelFolder:
    context = {"data_dir": None if dataset is None else str(dataset), "batch_size": 4, "seed": 0}
    return ModelFolder(FASTPITCH, given, context)


def module_of(name: str) -> Any:
    """A module of the model folder."""
    import importlib

    folder()
    return importlib.import_module(f"_model_folder.{name}")


def small(**given: str) -> nn.Module:
    """The small model; every weight of its duration predictor counts, so that durations differ widely."""
    module: nn.Module = folder(**{**SMALL, **given}).call("model")[0]
    with torch.no_grad():
        module.get_parameter("duration_predictor.fc.weight").mul_(30)
        module.get_parameter("duration_predictor.fc.bias").fill_(1.2)
    return module.eval()


def flags(**given: str) -> list[str]:
    return [
        "--model-dir", str(FASTPITCH), *(f"--arg={name}={value}" for name, value in {**SMALL, **given}.items())
    ]  # fmt: skip


class ModelTest(unittest.TestCase):
    def test_full_size_has_the_published_parameters(self) -> None:
        module: nn.Module = folder().call("model")[0]
        block = (
            (384 * 192 + 192) + 64 * 384 + 2 * 384
        )  # one head of 64: query, key, value; output; normalisation
        block += (3 * 384 * 1536 + 1536) + (3 * 1536 * 384 + 384) + 2 * 384
        predictor = (3 * 384 * 256 + 256) + (3 * 256 * 256 + 256) + 2 * 2 * 256 + 257
        total = 148 * 384 + 12 * block + 3 * predictor + 2 * (3 * 384 + 384) + 384 * 80 + 80
        self.assertEqual(total, 45_261_395)
        self.assertEqual(sum(parameter.numel() for parameter in module.parameters()), total)

    def test_random_weights_speak_six_frames_a_token(self) -> None:
        module: nn.Module = folder(**SMALL).call("model")[0].eval()
        tokens = torch.randint(1, 148, (2, 50), generator=torch.Generator().manual_seed(0))
        with torch.inference_mode():
            mel, lengths, durations, pitch, energy = module(tokens)
        self.assertEqual(lengths.tolist(), [300, 300])
        self.assertEqual(
            [tuple(tensor.shape) for tensor in (mel, durations, pitch, energy)],
            [(2, 80, 300), (2, 50), (2, 1, 50), (2, 50)],
        )
        # No frame more or less in float16, and yet not all the same.
        self.assertLess(float((durations - 6).abs().max()), 0.45)
        self.assertGreater(float(durations.std()), 0.02)

    def test_length_regulator_does_what_a_plain_loop_does(self) -> None:
        regulate = module_of("model").regulate_length
        generator = torch.Generator().manual_seed(1)
        for batch, count in ((1, 1), (3, 7), (2, 40)):
            tokens = torch.randn(batch, count, 5, generator=generator)
            durations = torch.randint(0, 6, (batch, count), generator=generator)
            frames, mask, lengths = regulate(tokens, durations, 60)
            plain = [
                [row[i] for i, times in enumerate(counts) for _ in range(int(times))][:60]
                for row, counts in zip(tokens, durations)
            ]
            self.assertEqual(lengths.tolist(), [len(sample) for sample in plain])
            self.assertEqual(frames.shape[1], max(1, *lengths.tolist(), 1))
            for got, valid, wanted in zip(frames, mask, plain):
                self.assertEqual(int(valid.sum()), len(wanted))
                if wanted:
                    self.assertTrue(torch.equal(got[: len(wanted)], torch.stack(wanted)))
                self.assertEqual(float(got[len(wanted) :].abs().sum()), 0.0)

    def test_a_sample_does_not_depend_on_what_it_is_batched_with(self) -> None:
        module = small()
        generator = torch.Generator().manual_seed(2)
        sentences = [torch.randint(1, 148, (n,), generator=generator) for n in (9, 31, 1, 20)]
        batch = torch.zeros(4, 40, dtype=torch.int64)
        for row, sentence in zip(batch, sentences):
            row[: len(sentence)] = sentence
        with torch.inference_mode():
            together = module(batch)
            for index, sentence in enumerate(sentences):
                mel, lengths, durations, pitch, energy = module(sentence[None])
                frames, count = int(lengths[0]), len(sentence)
                self.assertEqual(int(together[1][index]), frames)
                torch.testing.assert_close(together[0][index, :, :frames], mel[0], atol=1e-4, rtol=1e-4)
                self.assertEqual(float(together[0][index, :, frames:].abs().sum()), 0.0)
                for got, alone in zip(together[2:], (durations[0], pitch[0], energy[0])):
                    torch.testing.assert_close(got[index, ..., :count], alone, atol=1e-4, rtol=1e-4)
                    self.assertEqual(float(got[index, ..., count:].abs().sum()), 0.0)
        self.assertGreater(len(set(together[1].tolist())), 2)

    def test_nothing_but_padding_is_answered(self) -> None:
        with torch.inference_mode():
            mel, lengths, *_ = small()(torch.zeros(2, 5, dtype=torch.int64))
        self.assertEqual((tuple(mel.shape), lengths.tolist()), ((2, 80, 1), [0, 0]))
        self.assertTrue(bool(torch.isfinite(mel).all()))

    def test_a_trace_and_a_script_hold_for_other_sizes_and_in_half_precision(self) -> None:
        module = small()
        example = torch.randint(1, 148, (2, 6), generator=torch.Generator().manual_seed(3))
        other = torch.randint(0, 148, (3, 23), generator=torch.Generator().manual_seed(4))
        with torch.inference_mode():
            wanted = module(other)
        for make in (lambda: torch.jit.trace(module, example), lambda: torch.jit.script(module)):
            file = io.BytesIO()
            torch.jit.save(make(), file)
            file.seek(0)
            loaded: Any = torch.jit.load(file)
            with torch.inference_mode():
                for got, right in zip(loaded(other), wanted):
                    torch.testing.assert_close(got, right, atol=1e-5, rtol=1e-5)
                half = loaded.half()(other)
            self.assertEqual(half[0].dtype, torch.float16)
            self.assertLess(float((half[2].float() - wanted[2]).abs().max()), 0.1)


class TextTest(unittest.TestCase):
    def test_symbols_are_the_published_ones(self) -> None:
        symbols = module_of("text").SYMBOLS
        self.assertEqual((len(symbols), len(set(symbols))), (148, 148))
        self.assertEqual([symbols[i] for i in (0, 1, 11, 12, 38, 64)], ["_", "-", " ", "A", "a", "@AA"])

    def test_numbers_and_abbreviations_are_spoken(self) -> None:
        clean = module_of("text").clean
        for text, spoken in (
            ("Mr. Reed, 42, paid $1,250.", "mister reed, forty two, paid one thousand two hundred fifty dollars."),
            ("In 1823 and 1900", "in eighteen twenty three and nineteen hundred"),
            ("1905 and 2000, of 999,000,000,001", "nineteen oh five and two thousand, of "
             "nine hundred ninety nine billion one"),
            ("The 3rd, 12th and 40th; 0.5%", "the third, twelfth and fortieth; zero point five percent"),
            ("He said no. No. 7 was \u2018naïve\u2019 \u2014 quite [so]!",
             "he said no. number seven was 'naive' - quite so !"),
            ("1000000 & 21st", "one million and twenty first"),
        ):  # fmt: skip
            self.assertEqual(clean(text), spoken)

    def test_tokens_are_places_in_the_symbols_and_never_padding(self) -> None:
        text = module_of("text")
        self.assertEqual(text.to_tokens("A-b "), [38, 1, 39])
        self.assertNotIn(0, text.to_tokens("under_score"))
        with self.assertRaisesRegex(REFUSAL, "nothing that can be spoken"):
            text.to_tokens("漢字")


class SpeechTest(ToolkitCase):
    def test_a_tone_lies_in_its_mel_band(self) -> None:
        speech = module_of("speech")
        tone = 0.5 * np.sin(2 * np.pi * 1000 * np.arange(22050) / 22050)
        speech.write_wav(self.dir / "a.wav", tone)
        mel = speech.log_mel(speech.read_wav(self.dir / "a.wav"))
        self.assertEqual((mel.shape, mel.dtype), ((80, 1 + 22050 // 256), np.dtype(np.float32)))
        # 1,000 Hz are 15 mel of the 45.245 up to 8,000 Hz, in 81 steps: the peak of filter 26 (from 1) lies next to it.
        self.assertEqual(int(mel[:, 40].argmax()), 26)
        self.assertAlmostEqual(float(speech.log_mel(np.zeros(2048)).max()), np.log(1e-5), places=5)

    def test_other_sound_is_refused_by_name(self) -> None:
        with wave.open(str(self.dir / "b.wav"), "wb") as file:
            file.setnchannels(2)
            file.setsampwidth(2)
            file.setframerate(16000)
            file.writeframes(b"\0" * 400)
        (self.dir / "c.wav").write_bytes(b"no sound")
        for name, said in (("b.wav", "2 channels of 16 bits at 16000 Hz"), ("c.wav", "no wave file")):
            with self.assertRaisesRegex(REFUSAL, said):
                module_of("speech").read_wav(self.dir / name)


class DataTest(ToolkitCase):
    def setUp(self) -> None:
        super().setUp()
        self.root = self.dir / "data"
        given = {"train_sentences": "6", "val_sentences": "5"}
        counts = folder(**given).call("make_dataset", str(self.root))
        self.assertEqual(counts["samples"], 11)

    def test_sound_durations_and_pitch_fit_the_text(self) -> None:
        train = module_of("train")
        examples = train.read_examples(self.root, "filelists/train.txt")
        self.assertEqual(len(examples), 6)
        for example in examples:
            self.assertEqual(int(example.durations.sum()), example.mel.shape[1])
            self.assertEqual(len(example.energy), len(example.tokens))
        # Silence is silent, and a vowel is not.
        text, example = module_of("text"), examples[0]
        vowel, blank = (
            next(i for i, t in enumerate(example.tokens) if text.SYMBOLS[t] in letters)
            for letters in ("aeiou", " ")
        )
        self.assertGreater(example.energy[vowel], 2 * example.energy[blank])

    def test_all_sentences_come_padded_to_the_longest_of_their_batch(self) -> None:
        loader = folder(self.root).call("dataloader")
        batches = list(loader())
        self.assertEqual(([len(ids) for ids, _, _ in batches], len(loader)), ([4, 1], 5))
        ids, x, y = batches[0]
        self.assertEqual(ids[0], "LJ001-0007")
        self.assertEqual(x["INPUT__0"].dtype, np.dtype(np.int64))
        self.assertEqual(y["OUTPUT__0"].shape[2], int(y["OUTPUT__1"].max()))
        self.assertTrue(bool((x["INPUT__0"][:, -1] != 0).any()))

    def test_load_tools_get_one_length_without_padding(self) -> None:
        for length in ("16", "1000"):
            loader = folder(self.root, sequence_length=length).call("dataloader", purpose="load")
            batches = [x["INPUT__0"] for _, x, _ in loader()]
            self.assertEqual({batch.shape[1] for batch in batches}, {int(length)})
            self.assertTrue(all(bool((batch > 0).all()) for batch in batches))

    def test_a_plain_ljspeech_folder_and_a_list_without_pitch_are_read(self) -> None:
        filelist = module_of("filelist")
        (self.root / "filelists" / "plain.txt").write_text("wavs/LJ001-0001.wav|Some words.\n")
        (found,) = filelist.list_utterances(self.root, "filelists/plain.txt", 100)
        self.assertEqual((found.id, found.text, found.pitch), ("LJ001-0001", "Some words.", None))
        with self.assertRaisesRegex(REFUSAL, "LJ001-0001 lacks one"):
            module_of("train").read_examples(self.root, "filelists/plain.txt")
        held_out = filelist.list_utterances(self.root, "none.txt", 2)
        rest = filelist.list_utterances(self.root, "none.txt", 2, training=True)
        self.assertEqual(([u.id for u in held_out], len(rest)), (["LJ001-0010", "LJ001-0011"], 9))

    def test_lines_that_say_nothing_or_lead_elsewhere_are_refused(self) -> None:
        for line, said in (
            ("only text", "neither a path below wavs"),
            ("images/a.png|text", "images/a.png"),
            ("wavs/../../secret.wav|text", "is in none of the folders"),
        ):
            with self.assertRaisesRegex(REFUSAL, said):
                module_of("filelist").parse_line(line, self.root)

    def test_training_brings_mel_and_length_closer(self) -> None:
        given = {"train_sentences": "40", "val_sentences": "4", "dropout": "0.0"}
        folder(**given).call("make_dataset", str(self.dir / "more"))
        hyper = {
            "train_epochs": "8",
            "train_batch_size": "8",
            "learning_rate": "0.01",
            "predictor_scale": "5.0",
        }
        result = self.ok(
            "train", *flags(**hyper, dropout="0.0", train_threads="1"),
            "--dataset", self.dir / "more", "--output", self.dir / "w.pt",
        )  # fmt: skip
        held_out = result["heldOut"]
        self.assertEqual((result["trained"], result["steps"]), (True, 40))
        for name in ("mel_distance", "length_error"):
            self.assertLess(held_out[name], 0.6 * held_out[f"{name}_untrained"], held_out)


class MetricsTest(unittest.TestCase):
    def test_alignment_by_hand(self) -> None:
        distance = module_of("metrics").mel_distance
        a, b = np.array([[0.0, 1.0, 2.0]]), np.array([[0.0, 0.0, 1.0, 2.0, 2.0]])
        self.assertEqual(distance(a, a), 0.0)
        self.assertEqual(distance(a, b), 0.0)
        # [0] to [3, 5]: 3 counts twice, 5 once, over 1 + 2.
        self.assertAlmostEqual(distance(np.array([[0.0]]), np.array([[3.0, 5.0]])), 11 / 3)
        self.assertAlmostEqual(distance(np.zeros((2, 4)), np.array([[1.0] * 4, [3.0] * 4])), 2.0)
        rng = np.random.default_rng(0)
        c, d = rng.normal(size=(3, 9)), rng.normal(size=(3, 14))
        self.assertAlmostEqual(distance(c, d), distance(d, c))
        self.assertAlmostEqual(distance(c, d), self.plain(c, d))

    @staticmethod
    def plain(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> float:
        n, m = a.shape[1], b.shape[1]
        table = np.full((n + 1, m + 1), np.inf)
        table[0, 0] = 0
        for i in range(1, n + 1):
            for j in range(1, m + 1):
                cost = np.abs(a[:, i - 1] - b[:, j - 1]).mean()
                table[i, j] = min(
                    table[i - 1, j - 1] + 2 * cost, table[i - 1, j] + cost, table[i, j - 1] + cost
                )
        return float(table[n, m] / (n + m))

    def test_padding_counts_for_nothing(self) -> None:
        mel = np.full((3, 80, 6), -5.0, dtype=np.float32)
        mel[0, :, 4:] = np.nan
        mel[1, 7, 2] = 3.5
        real = {"OUTPUT__0": np.full((3, 80, 8), -6.0), "OUTPUT__1": np.array([4, 5, 8])}
        values = (
            folder()
            .call("metrics")
            .calc(
                ids=[],
                # As Triton gives lengths.
                y_pred={"OUTPUT__0": mel, "OUTPUT__1": np.array([[4], [6], [6]])},
                x=None,
                y_real=real,
            )
        )
        self.assertAlmostEqual(values["accuracy"], 2 / 3)
        self.assertAlmostEqual(values["length_error"], (0 + 1 / 5 + 2 / 8) / 3)
        self.assertGreater(values["mel_distance"], 1.0)
        self.assertLess(values["mel_distance"], 1.02)

    def test_nan_of_the_model_is_out_of_range_and_far_off(self) -> None:
        lengths = np.array([2])
        values = (
            folder()
            .call("metrics")
            .calc(
                ids=[],
                y_pred={"OUTPUT__0": np.full((1, 80, 2), np.nan), "OUTPUT__1": lengths},
                x=None,
                y_real={"OUTPUT__0": np.zeros((1, 80, 2)), "OUTPUT__1": lengths},
            )
        )
        self.assertEqual((values["accuracy"], values["mel_distance"]), (0.0, 100.0))


class ToolkitTest(ToolkitCase):
    """What the toolkit does for outputs whose samples have lengths of their own."""

    def dump(self, name: str, lengths: list[int], frames: int, scalar: bool = True, off: float = 0.0) -> Path:
        path = self.dir / name
        path.mkdir()
        mel = np.tile(np.arange(frames, dtype=np.float32) + 1, (len(lengths), 2, 1)) + off
        counts = np.array(lengths, dtype=np.int64)
        writer = DumpWriter(path)
        outputs = {"MEL": mel, "LENGTHS": counts if scalar else counts[:, None]}
        writer.write([f"s{i}" for i in range(len(lengths))], outputs=outputs)
        writer.flush()
        return path

    def compared(self, reference: Path, candidate: Path) -> dict[str, dict[str, Any]]:
        result = self.ok("verify", "--reference", reference, "--candidate", candidate, "--atol=*=0.5")
        return {output["output"]: output for output in result["outputs"]}

    def test_values_are_compared_up_to_each_samples_own_length(self) -> None:
        reference = self.dump("r", [3, 5], 5)
        write_lengths(reference, {"MEL": "LENGTHS"})
        # Triton padded further: another request of the batch was longer. It gives a sample's one number as [1].
        mel = self.compared(reference, self.dump("c", [3, 5], 9, scalar=False, off=0.25))["MEL"]
        self.assertEqual((mel["passed"], mel["maxAbsDiff"], mel["otherLengths"]), (True, 0.25, 0))

    def test_another_length_fails_and_is_counted_and_the_rest_is_compared(self) -> None:
        reference = self.dump("r", [3, 5], 5)
        write_lengths(reference, {"MEL": "LENGTHS"})
        found = self.compared(reference, self.dump("c", [4, 5], 5))
        mel = found["MEL"]
        self.assertEqual((mel["passed"], mel["maxAbsDiff"], mel["otherLengths"]), (False, 0.0, 1))
        self.assertEqual((found["LENGTHS"]["passed"], found["LENGTHS"]["maxAbsDiff"]), (False, 1.0))

    def test_without_lengths_other_shapes_are_refused(self) -> None:
        reference, candidate = self.dump("r", [3, 5], 5), self.dump("c", [3, 5], 6)
        self.refused("verification-failed", "verify", "--reference", reference, "--candidate", candidate)

    def test_lengths_that_name_no_output_are_refused(self) -> None:
        model = self.dir / "model"
        model.mkdir()
        for name in ("model", "dataloader", "metrics"):
            (model / f"{name}.py").write_text("class MetricsCalculator: pass\n")
        (model / "dataloader.py").write_text("def get_dataloader_fn(): return lambda: []\n")
        (model / "model.py").write_text(
            "from torch import nn\n\n\ndef get_model():\n"
            "    return nn.ReLU(), {'inputs': ['I'], 'outputs': ['O'], 'lengths': {'O': 'P'}}\n"
        )
        from toolkit.runners import load_model

        with self.assertRaises(ToolkitError) as caught:
            load_model(ModelFolder(model, {}, {}), None)
        self.assertEqual(caught.exception.code, "model-folder-invalid")

    def test_export_run_and_load_data_of_the_real_model(self) -> None:
        data = self.dir / "data"
        folder(val_sentences="4").call("make_dataset", str(data))
        common = [*flags(sequence_length="24"), "--dataset", data]
        # All four fit into one batch, and yet the lengths are seen to vary.
        model = self.dir / "model.onnx"
        result = self.ok(
            "export", *common, "--batch-size=8", "--format=onnx", "--opset=12", "--output", model
        )
        self.assertEqual(
            {t["name"]: (t["datatype"], t["shape"]) for t in result["inputs"] + result["outputs"]},
            {
                "INPUT__0": ("INT64", [-1, -1]),
                "OUTPUT__0": ("FP32", [-1, 80, -1]),
                "OUTPUT__1": ("INT64", [-1]),
                "OUTPUT__2": ("FP32", [-1, -1]),
                "OUTPUT__3": ("FP32", [-1, 1, -1]),
                "OUTPUT__4": ("FP32", [-1, -1]),
            },
        )
        for name, extra in (("r", ["--runtime=pyt"]), ("c", ["--runtime=onnx", "--path", model])):
            self.ok("infer-framework", *common, "--batch-size=3", *extra, "--output-dir", self.dir / name)
        self.assertEqual(
            json.loads((self.dir / "r" / "lengths.json").read_text()), {"OUTPUT__0": "OUTPUT__1"}
        )
        outputs = self.compared(self.dir / "r", self.dir / "c")
        self.assertTrue(all(output["passed"] for output in outputs.values()), outputs)
        self.ok(
            "profile-data", *common, "--mode=dataset", "--count=2", "--output-dir", self.dir / "load",
            "--signature", json.dumps(result["inputs"]),
        )  # fmt: skip
        manifest = json.loads((self.dir / "load" / "input-data.json").read_text())
        self.assertEqual(manifest["tensors"][0]["shape"], [24])


if __name__ == "__main__":
    unittest.main()
