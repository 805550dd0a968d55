"""Images and recordings of a person's folder, with what is true of each, or refused with file and remedy."""

from __future__ import annotations

import io
import json
import unittest
import unittest.mock
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from support import ToolkitCase

from huggingface import media_pipeline
from huggingface.media_pipeline import samples_of
from huggingface.media_reference import MediaAnswer
from huggingface.media_samples import Item, wav
from huggingface.own_media import OwnSamples, Wanted, opened, read_folder, read_wav
from huggingface.speech_reference import Heard
from huggingface.speech_reference import sample as speech_sample
from toolkit.errors import ToolkitError

IMAGES = Wanted("image-classification", ("cat", "dog"))
BOXES = Wanted("object-detection", ("cat", "dog"))
SOUNDS = Wanted("audio-classification", ("yes", "no"), 8000, 100)
SPEECH = SOUNDS._replace(task="automatic-speech-recognition", labels=("a", "b"))


def png(side: int = 4, kind: str = "PNG") -> bytes:
    stream = io.BytesIO()
    Image.fromarray(np.full((side, side, 3), 7, np.uint8)).save(stream, kind)
    return stream.getvalue()


def recording(samples: int = 200, rate: int = 8000) -> bytes:
    return wav(np.zeros((samples, 1), np.int16), rate, "16 bits")


class FolderCase(ToolkitCase):
    def put(self, name: str, content: bytes = b"") -> Path:
        path = self.dir / "mine" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content or png())
        return path

    def lines(self, *rows: Any) -> None:
        self.put("labels.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows).encode())

    def read(self, wanted: Wanted = IMAGES) -> OwnSamples:
        return read_folder(self.dir / "mine", wanted)

    def refusal(self, message: str, wanted: Wanted = IMAGES) -> ToolkitError:
        with self.assertRaisesRegex(ToolkitError, message) as caught:
            self.read(wanted)
        self.assertEqual(caught.exception.code, "input-invalid")
        self.assertTrue(caught.exception.remedy)
        return caught.exception


class ImagesTest(FolderCase):
    def test_a_folder_per_label_gives_each_label_in_turns(self) -> None:
        for name in ("cat/a.png", "cat/b.PNG", "cat/c.jpg", "1/d.png", ".hidden", "cat/.hidden"):
            self.put(name, png(kind="JPEG" if name.endswith("jpg") else "PNG"))
        found = self.read()
        self.assertEqual(
            [one.item.name for one in found.items], ["1/d.png", "cat/a.png", "cat/b.PNG", "cat/c.jpg"]
        )
        labels = [one.truth and one.truth["label"] for one in found.items]
        self.assertEqual(labels, ["dog", "cat", "cat", "cat"])
        self.assertEqual(found.items[0].item.encoded, png())
        self.assertEqual(opened(found.items[0].item).given.size, (4, 4))

    def test_files_without_labels_are_samples_only(self) -> None:
        self.put("b.png")
        self.put("a.png")
        found = self.read(Wanted("image-segmentation", ("cat",)))
        self.assertEqual(
            [(one.item.name, one.truth) for one in found.items], [("a.png", None), ("b.png", None)]
        )

    def test_at_most_256_are_used_and_the_others_are_counted(self) -> None:
        for place in range(200):
            self.put(f"cat/{place}.png")
            self.put(f"dog/{place}.png")
        found = self.read()
        self.assertEqual((len(found.items), found.left_out), (256, 144))
        dogs = sum(one.truth == {"kind": "label", "label": "dog"} for one in found.items)
        self.assertEqual(dogs, 128)

    def test_a_table_names_files_and_labels(self) -> None:
        self.put("a.png")
        self.put("more/b.png")
        self.put("unused.txt", b"mine")
        self.put("labels.csv", b"file,label\nmore/b.png,1\na.png,cat\n")
        found = self.read()
        self.assertEqual([one.item.name for one in found.items], ["more/b.png", "a.png"])
        self.assertEqual([one.truth and one.truth["label"] for one in found.items], ["dog", "cat"])
        self.put("labels.csv", b"file\na.png\n")
        self.assertEqual([one.truth for one in self.read().items], [None])

    def test_boxes_are_lists_of_json_lines(self) -> None:
        self.put("a.png")
        boxes = [{"box": [0, 1.5, 3, 4], "label": "dog"}]
        self.lines({"file": "a.png", "boxes": boxes}, {"file": "a.png", "boxes": []})
        truths = [one.truth for one in self.read(BOXES).items]
        self.assertEqual(truths, [{"kind": "boxes", "boxes": boxes}, {"kind": "boxes", "boxes": []}])
        for box, message in (
            ({"box": [0, 0, 0, 4], "label": "dog"}, "which has no area"),
            ({"box": [0, 0, 4], "label": "dog"}, "which has no area"),
            ({"box": [0, 0, "4", 4], "label": "dog"}, "which has no area"),
            (
                {"box": [0, 0, 4, 4], "label": "cow"},
                'label "cow", which the model does not have: .* cat, dog',
            ),
            ([0, 0, 4, 4], "has a box that is not an object"),
        ):
            self.lines({"file": "a.png", "boxes": [box]})
            self.refusal(f"Line 1 of labels.jsonl .*{message}", BOXES)
        self.lines({"file": "a.png", "boxes": 1})
        self.refusal("Line 1 of labels.jsonl has boxes that are not a list", BOXES)
        (self.dir / "mine" / "labels.jsonl").unlink()
        self.put("labels.csv", b"file,boxes\na.png,[]\n")
        self.refusal("labels.csv has no form for boxes", BOXES)

    def test_links_that_lead_out_and_large_files_are_refused(self) -> None:
        outside = self.dir / "outside.png"
        outside.write_bytes(png())
        self.put("a.png")
        link = self.dir / "mine" / "b.png"
        link.symlink_to(outside)
        self.refusal("b.png leads out of")
        link.unlink()
        link.symlink_to("a.png")
        self.assertEqual(len(self.read().items), 2)
        link.unlink()
        link.symlink_to("b.png")
        self.refusal("b.png (is a link that leads to itself|does not exist)")
        link.unlink()
        (self.dir / "mine" / "labels.csv").write_bytes(b"file,label\n../outside.png,cat\n")
        self.refusal("outside.png leads out of")
        (self.dir / "mine" / "labels.csv").unlink()
        with (self.dir / "mine" / "a.png").open("ab") as file:
            file.truncate(8 * 2**20 + 1)
        self.refusal("a.png has 8388609 bytes, at most 8388608")
        for name in "abcde":
            with self.put(f"{name}.png").open("ab") as file:
                file.truncate(8 * 2**20)
        self.refusal("mine has files of more than 33554432 bytes together")

    def test_what_the_pipeline_does_not_take_is_refused_by_its_name(self) -> None:
        self.put("a.gif", png(kind="GIF"))
        self.refusal("a.gif is of another kind")
        (self.dir / "mine" / "a.gif").unlink()
        self.put("a.png", png(kind="GIF"))
        self.refusal("a.png is not an image in PNG or JPEG")
        self.put("a.png", png(64)[:80])
        self.refusal("a.png (cannot be read as|is not) an image")
        self.put("a.png")
        self.put("cat/b.png")
        self.refusal("cat is a folder in .*, where files are expected")
        (self.dir / "mine" / "a.png").unlink()
        self.put("cow/c.png")
        self.refusal("cow is the name of a label that the model does not have: its labels are cat, dog")
        self.refusal("cat is a folder, and only classes are named by folders", BOXES)
        self.put("labels.csv", b"file,label\nnone.png,cat\n")
        error = self.refusal("Line 2 of labels.csv names none.png, which is not in the folder")
        self.assertTrue(str(error.where).endswith("labels.csv, line 2"), error.where)
        self.put("labels.csv", b"file,label\ncat,cat\n")
        self.refusal("cat is not a file")
        self.refusal("this task has no metric", IMAGES._replace(task="image-segmentation"))
        self.put("labels.jsonl", b"{}\n")
        self.refusal("labels.jsonl is beside labels.csv")

    def test_an_empty_folder_and_a_missing_one_are_refused(self) -> None:
        self.refusal("mine is not a folder")
        self.put(".hidden")
        self.refusal("mine has no files")
        (self.dir / "mine" / "cat").mkdir()
        self.refusal("mine has no files")


class SoundsTest(FolderCase):
    def test_recordings_have_the_text_that_is_said(self) -> None:
        self.put("a.wav", recording())
        self.put("labels.csv", b'file,text\na.wav,"one, two"\n')
        (found,) = self.read(SPEECH).items
        self.assertEqual(found.truth, {"kind": "transcript", "text": "one, two"})
        self.assertEqual((found.item.given.dtype, found.item.given.shape), (np.float32, (200,)))
        self.assertIs(opened(found.item), found.item)

    def test_other_rates_and_short_ones_are_refused(self) -> None:
        self.put("yes/a.wav", recording(rate=16000))
        error = self.refusal("a.wav has 16000 samples per second, and the model takes 8000", SOUNDS)
        self.assertIn("-ar 8000", str(error.remedy))
        self.put("yes/a.wav", recording(99))
        self.refusal("a.wav has 99 samples, and the model takes 100 or more", SOUNDS)
        self.put("yes/a.wav", recording(401))
        error = self.refusal(
            "a.wav has 401 samples, and the model takes 400", SOUNDS._replace(most_samples=400)
        )
        self.assertIn("at most 0.05 seconds", str(error.remedy))
        self.put("yes/a.wav", b"RIFF")
        self.refusal("a.wav is not a WAV file", SOUNDS)
        self.put("yes/a.wav", recording()[:30])
        self.refusal("a.wav has no format or no data", SOUNDS)

    def test_wav_files_are_read_as_they_were_written(self) -> None:
        generator = np.random.default_rng(3)
        values = generator.uniform(-1, 1, (50, 2))
        shorts = np.round(values * 32767).astype(np.int16)
        for how in ("16 bits", "16 bits, extensible"):
            rate, sound = read_wav(Path("a.wav"), wav(shorts, 8000, how))
            self.assertEqual(rate, 8000)
            np.testing.assert_allclose(sound, shorts.mean(axis=1) / 32768, atol=1e-7)
        _, sound = read_wav(Path("a.wav"), wav(values.astype(np.float32), 8000, "floats"))
        np.testing.assert_allclose(sound, values.mean(axis=1), atol=1e-6)
        with self.assertRaisesRegex(ToolkitError, "samples of 64 bits in the format 1"):
            read_wav(Path("a.wav"), wav(np.zeros((9, 1), np.int64), 8000, ""))
        with self.assertRaisesRegex(ToolkitError, "not finite"):
            read_wav(Path("a.wav"), wav(np.full((9, 1), np.nan, np.float32), 8000, "floats"))


class SpeechSamplesTest(unittest.TestCase):
    def test_a_recording_has_the_text_that_is_said_and_so_has_a_tie(self) -> None:
        item, truth = Item("a.wav", b"a", None), {"kind": "transcript", "text": "one"}
        decided = speech_sample(item, Heard("two", 1.0), truth=truth)
        self.assertEqual((decided["outputs"][0]["data"], decided["truth"]), (["two"], truth))
        tie = speech_sample(item, Heard("two", 0.0), truth=truth)
        self.assertEqual((tie["outputs"], tie["notCompared"][0]["data"], tie["truth"]), ([], ["two"], truth))
        self.assertNotIn("truth", speech_sample(item, Heard("two", 1.0)))


class SamplesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.items = [Item(f"{place}.png", bytes([place]) * 30, None) for place in range(3)]
        self.answers = [
            MediaAnswer({"LABEL": np.array(["cat"], object)}, tied=place == 1, shape=(1,))
            for place in range(3)
        ]
        self.truths = [{"kind": "label", "label": "cat"}] * 3

    def test_each_item_by_itself_has_its_truth_and_so_has_a_tie(self) -> None:
        found = {one["id"]: one for one in samples_of("IMAGE", self.items, self.answers, 2, self.truths)}
        self.assertEqual(list(found), ["0.png", "1.png", "samples 0, 2", "2.png"])
        self.assertEqual([name for name, one in found.items() if "truth" in one], ["0.png", "1.png", "2.png"])
        tie = found["1.png"]
        self.assertEqual((tie["outputs"], tie["notCompared"][0]["data"]), ([], ["cat"]))
        plain = samples_of("IMAGE", self.items, self.answers, 2)
        self.assertEqual([one["id"] for one in plain], ["0.png", "2.png", "samples 0, 2"])

    def test_a_golden_file_that_would_be_too_large_has_fewer_batches_or_is_refused(self) -> None:
        # 48 characters each, and 92 of the batch.
        for most, names in ((300, 4), (200, 3)):
            with unittest.mock.patch.object(media_pipeline, "MOST_GOLDEN", most):
                found = samples_of("IMAGE", self.items, self.answers, 2, self.truths)
            self.assertEqual(len(found), names)
        too_large = self.assertRaisesRegex(ToolkitError, "a golden file of more than 100 bytes")
        with unittest.mock.patch.object(media_pipeline, "MOST_GOLDEN", 100), too_large:
            samples_of("IMAGE", self.items, self.answers, 2, self.truths)

    def test_the_load_has_what_fits_into_its_file(self) -> None:
        with unittest.mock.patch.object(media_pipeline, "MOST_LOAD", 60):
            found = media_pipeline.load_entries("IMAGE", self.items, self.answers, True)
        self.assertEqual((len(found["data"]), len(found["validation_data"])), (1, 1))


if __name__ == "__main__":
    unittest.main()
