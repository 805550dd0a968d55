from __future__ import annotations

import unittest
import wave

import numpy as np
from fastpitch import flags, folder, module_of
from support import REFUSAL, ToolkitCase


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
        for name, said in (("b.wav", "2 channels of 16 bits at 16000 Hz"), ("c.wav", "not a WAV file")):
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


if __name__ == "__main__":
    unittest.main()
