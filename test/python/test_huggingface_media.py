"""Steps of pipelines of images and audio: against the processors of transformers where they are installed."""

from __future__ import annotations

import importlib.util
import io
import json
import struct
import sys
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from PIL import Image
from support import RESOURCES, ToolkitCase
from test_huggingface_pipeline import backend

from huggingface.media_pipeline import batched, load_entries, raw_bytes, samples_of
from huggingface.media_reference import MediaAnswer, audio_numbers, image_numbers, vocabulary
from huggingface.media_samples import Item, images, sounds, wav

STEPS = RESOURCES / "huggingface" / "steps"
HAS_TRANSFORMERS = importlib.util.find_spec("transformers") is not None


def _backend() -> Any:
    """As of texts; an error is its response."""
    utils: Any = backend()
    respond = utils.InferenceResponse
    utils.TritonError = str
    utils.InferenceResponse = lambda tensors, error=None: respond(tensors) if error is None else error
    return utils


def _rows(*files: bytes) -> Any:
    return np.array([[file] for file in files], object)


def _png(height: int, width: int) -> bytes:
    stream = io.BytesIO()
    Image.fromarray(np.full((height, width, 3), 7, np.uint8)).save(stream, "PNG")
    return stream.getvalue()


class MediaCase(ToolkitCase):
    """What reads WAV files lies beside a step of audio."""

    def step(self, name: str, file: str, content: Any, outputs: tuple[str, ...] = ()) -> Any:
        """The model of a step in a folder of its own, as Triton makes it."""
        path = self.dir / name
        for code in (name, "wav.py"):
            (self.dir / code).write_text((STEPS / code).read_text(encoding="utf-8"), encoding="utf-8")
        (self.dir / file).write_text(json.dumps(content), encoding="utf-8")
        spec = importlib.util.spec_from_file_location(f"step_{name[:-3]}", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        before = list(sys.path)
        self.addCleanup(lambda: sys.path.__setitem__(slice(None), before))
        # As Triton does it.
        sys.path.append(str(self.dir))
        with mock.patch.dict(sys.modules, {"triton_python_backend_utils": _backend()}):
            spec.loader.exec_module(module)
            model = module.TritonPythonModel()
            if hasattr(model, "initialize"):
                model.initialize({"model_config": json.dumps({"output": [{"name": one} for one in outputs]})})
        self.module: Any = module
        return model


def _numbers(**changed: Any) -> dict[str, Any]:
    plain = {"size": {"height": 4, "width": 6}, "resample": 2, "crop_size": None, "rescale_factor": None}
    return {**plain, "image_mean": None, "image_std": None, **changed}


class ImagesTest(MediaCase):
    def test_a_size_is_given_or_follows_the_shape_of_the_image(self) -> None:
        self.step("images.py", "processor.json", _numbers())
        size_of = self.module.size_of
        self.assertEqual(size_of(100, 200, {"height": 4, "width": 6}), (4, 6))
        self.assertEqual(size_of(100, 200, {"shortest_edge": 50}), (50, 100))
        self.assertEqual(size_of(200, 100, {"shortest_edge": 50, "longest_edge": 70}), (70, 35))
        self.assertEqual(
            size_of(480, 640, {"shortest_edge": 800, "longest_edge": 1333, "multiple_of": 16}), (800, 1056)
        )

    def test_a_small_image_gets_black_around_its_middle(self) -> None:
        step = self.step("images.py", "processor.json", _numbers(crop_size={"height": 7, "width": 2}))
        (answer,) = step.execute([{"IMAGE": _rows(_png(4, 6))}])
        (pixels,) = answer["pixel_values"]
        self.assertEqual(pixels.shape, (3, 7, 2))
        self.assertEqual(pixels[0, :, 0].tolist(), [0, 0, 7, 7, 7, 7, 0])

    def test_what_is_not_an_image_fails_its_request_by_row_and_no_other(self) -> None:
        step = self.step("images.py", "processor.json", _numbers(), ("pixel_values", "image_size"))
        good = _rows(_png(8, 9))
        first, second, third, fourth = step.execute(
            [
                {"IMAGE": _rows(_png(2, 2), b"GIF89a")},
                {"IMAGE": good},
                {"IMAGE": _rows(_png(40, 40)[:60])},
                {"IMAGE": _rows(b"")},
            ]
        )
        self.assertEqual(first, "IMAGE in row 1 is not an image in PNG or JPEG that can be read")
        self.assertEqual(
            (second["pixel_values"].shape, second["image_size"].tolist()), ((1, 3, 4, 6), [[8, 9]])
        )
        self.assertIn("IMAGE in row 0 is not an image in PNG or JPEG that can be read", third)
        self.assertIn("IMAGE in row 0", fourth)

    def test_images_of_one_request_come_to_one_size(self) -> None:
        step = self.step("images.py", "processor.json", _numbers(size={"shortest_edge": 4}))
        (answer,) = step.execute([{"IMAGE": _rows(_png(8, 8), _png(8, 16))}])
        self.assertIn("row 0 becomes 4 x 4 pixels, row 1 8 x 4", answer)

    def test_a_line_of_pixels_does_not_take_the_memory(self) -> None:
        step = self.step("images.py", "processor.json", _numbers(size={"shortest_edge": 800}))
        (answer,) = step.execute([{"IMAGE": _rows(_png(1, 60_000))}])
        self.assertEqual(answer, "IMAGE in row 0 has 60000 x 1 pixels, which would become 48000000 x 800")

    def test_boxes_are_in_pixels_of_the_image_and_only_sure_ones_are_given(self) -> None:
        step = self.step("boxes.py", "labels.json", {"labels": ["cat", "dog"], "threshold": 0.5})
        logits = np.log(np.array([[[0.8, 0.1, 0.1], [0.3, 0.6, 0.1]], [[0.1, 0.1, 0.8], [0.4, 0.3, 0.3]]]))
        boxes = np.array([[[0.5, 0.5, 0.2, 0.4], [0.25, 0.5, 0.5, 1.0]]] * 2, np.float32)
        sizes = np.array([[100, 200], [10, 10]])
        (answer,) = step.execute([{"logits": logits, "pred_boxes": boxes, "image_size": sizes}])
        self.assertEqual(answer["LABEL"].tolist(), [[b"cat", b"dog"], [b"", b""]])
        np.testing.assert_allclose(answer["SCORE"], [[0.8, 0.6], [0.0, 0.0]], rtol=1e-6)
        np.testing.assert_allclose(answer["BOX"][0], [[80, 30, 120, 70], [0, 0, 100, 100]], rtol=1e-6)
        self.assertEqual(answer["BOX"][1].tolist(), [[0] * 4] * 2)

    def test_each_pixel_has_the_class_of_the_largest_logit_around_it(self) -> None:
        step = self.step("classes.py", "unused.json", {})
        # Left is class 1, right is class 0.
        logits = np.array([[[[0.0, 1.0]], [[1.0, 0.0]]]] * 2, np.float32)
        (answer,) = step.execute([{"logits": logits, "image_size": np.array([[3, 6]] * 2)}])
        self.assertEqual(answer["CLASS"].tolist(), [[[1, 1, 1, 0, 0, 0]] * 3] * 2)
        self.assertEqual(answer["CLASS"].dtype, np.int32)
        (refused,) = step.execute([{"logits": logits, "image_size": np.array([[3, 6], [3, 7]])}])
        self.assertIn("need one size", refused)


class AudioTest(MediaCase):
    def audio(self, **changed: Any) -> Any:
        numbers = {"sampling_rate": 8000, "least_samples": 4, "do_normalize": False, **changed}
        return self.step("audio.py", "processor.json", numbers)

    def test_channels_of_any_encoding_become_one(self) -> None:
        step = self.audio()
        plain = wav(np.array([[0], [16384], [-16384], [0]], np.int16), 8000, "")
        stereo = wav(np.array([[0, 0], [0.75, 0.25], [-1, 0], [0, 0]], np.float32), 8000, "extensible")
        (answer,) = step.execute([{"AUDIO": _rows(plain, stereo)}])
        self.assertEqual(answer["input_values"].tolist(), [[0, 0.5, -0.5, 0]] * 2)
        self.assertEqual(answer["input_values"].dtype, np.float32)

    def test_loudness_is_made_even(self) -> None:
        (answer,) = self.audio(do_normalize=True).execute(
            [{"AUDIO": _rows(wav(np.array([[0], [9000], [0], [9000]], np.int16), 8000, ""))}]
        )
        np.testing.assert_allclose(answer["input_values"], [[-1, 1, -1, 1]], rtol=1e-4)

    def test_other_recordings_fail_their_request_by_row(self) -> None:
        step = self.audio()
        four = np.zeros((4, 1), np.int16)
        good = wav(four, 8000, "")
        bytes_of_24 = good.replace(struct.pack("<HH", 2, 16), struct.pack("<HH", 3, 24))
        endless = wav(np.full((4, 1), np.nan, np.float32), 8000, "")
        cases = [
            (_rows(good, b"ID3"), "AUDIO in row 1 is not a WAV file"),
            (_rows(good[:40]), "AUDIO in row 0 is a WAV file that is cut off: it has no format or no data"),
            (
                _rows(wav(four, 16_000, "")),
                "AUDIO in row 0 has 16000 samples per second, and the model takes 8000: convert it before",
            ),
            (_rows(wav(four[:3], 8000, "")), "AUDIO in row 0 has 3 samples, and the model takes 4 or more"),
            (_rows(bytes_of_24), "AUDIO in row 0 has samples of 24 bits in the format 1"),
            (_rows(endless), "AUDIO in row 0 has samples that are not finite numbers"),
            (
                _rows(good, wav(np.zeros((5, 1), np.int16), 8000, "")),
                "The recordings of a request have to be equally long: row 0 has 4 samples, row 1 5.",
            ),
        ]
        answers = step.execute([{"AUDIO": rows} for rows, _ in cases] + [{"AUDIO": _rows(good)}])
        for answer, (_, expected) in zip(answers, cases):
            self.assertIn(expected, answer)
        self.assertEqual(answers[-1]["input_values"].shape, (1, 4))

    def test_frames_of_one_letter_are_that_letter_once(self) -> None:
        tokens = ["<pad>", "|", "A", "B"]
        content = {"tokens": tokens, "blank": "<pad>", "space": {"from": "|", "to": " "}, "lower": False}
        step = self.step("transcript.py", "vocabulary.json", content)
        # A A blank A | B |, and blanks only.
        best = [[2, 2, 0, 2, 1, 3, 1], [0] * 7]
        (answer,) = step.execute([{"logits": np.eye(4, dtype=np.float32)[best]}])
        self.assertEqual(answer["TEXT"].tolist(), [[b"AA B"], [b""]])
        lower = self.step("transcript.py", "vocabulary.json", {**content, "lower": True})
        self.assertEqual(lower.text_of([2, 1, 3]), "a b")


@unittest.skipUnless(HAS_TRANSFORMERS, "transformers is a component of its own")
class ProcessorTest(MediaCase):
    def test_pixels_are_those_of_the_processors_of_transformers(self) -> None:
        import transformers
        from transformers.image_utils import load_image

        library: Any = transformers
        imagenet = {"image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225]}
        middle = {"do_center_crop": True, "crop_size": {"height": 50, "width": 40}}
        processors = [
            library.ViTImageProcessorPil(size={"height": 32, "width": 48}, **imagenet),
            library.ViTImageProcessorPil(size={"shortest_edge": 45}, resample=3, **middle),
            library.ViTImageProcessorPil(size={"height": 9, "width": 9}, do_normalize=False),
            library.ConvNextImageProcessorPil(size={"shortest_edge": 64}, **imagenet),
            library.ConvNextImageProcessorPil(size={"shortest_edge": 384}),
            library.DetrImageProcessorPil(size={"shortest_edge": 64, "longest_edge": 96}),
            library.YolosImageProcessorPil(size={"shortest_edge": 64, "longest_edge": 96}),
            library.SegformerImageProcessorPil(size={"height": 40, "width": 30}),
        ]
        given = images()
        for processor in processors:
            step = self.step("images.py", "processor.json", image_numbers(processor))
            for item in given:
                expected = processor(load_image(item.given), return_tensors="np")["pixel_values"]
                (answer,) = step.execute([{"IMAGE": _rows(item.encoded)}])
                message = f"{type(processor).__name__}, {item.name}"
                np.testing.assert_array_equal(answer["pixel_values"], np.stack(list(expected)), message)

    def test_a_size_that_is_not_implemented_is_refused(self) -> None:
        import transformers

        library: Any = transformers
        processor = library.DetrImageProcessorPil(size={"max_height": 9, "max_width": 9})
        self.assertRaisesRegex(ValueError, "max_height", image_numbers, processor)

    def test_a_map_of_classes_is_that_of_the_processor(self) -> None:
        import torch
        import transformers

        library: Any = transformers
        processor = library.SegformerImageProcessorPil()
        step = self.step("classes.py", "unused.json", {})
        for size in ((96, 128), (37, 37), (101, 67), (10, 11)):
            logits = torch.randn(2, 5, 16, 16, generator=torch.Generator().manual_seed(49))
            answer = library.modeling_outputs.SemanticSegmenterOutput(logits=logits)
            expected = processor.post_process_semantic_segmentation(answer, [size, size])
            given = {"logits": logits.numpy(), "image_size": np.array([size, size])}
            (found,) = step.execute([given])
            np.testing.assert_array_equal(found["CLASS"], np.stack([one.numpy() for one in expected]))

    def test_sound_is_that_of_the_feature_extractor(self) -> None:
        import transformers

        library: Any = transformers
        config = library.Wav2Vec2Config()
        for evens in (True, False):
            extractor = library.Wav2Vec2FeatureExtractor(sampling_rate=8000, do_normalize=evens)
            numbers = audio_numbers(extractor, config)
            self.assertEqual(numbers["least_samples"], 400)
            step = self.step("audio.py", "processor.json", numbers)
            for item in sounds(8000):
                expected = extractor(item.given, sampling_rate=8000, return_tensors="np")["input_values"]
                (answer,) = step.execute([{"AUDIO": _rows(item.encoded)}])
                np.testing.assert_array_equal(answer["input_values"], expected, item.name)

    def test_text_is_that_of_the_tokenizer(self) -> None:
        import transformers

        library: Any = transformers
        letters = ["<pad>", "<s>", "</s>", "<unk>", "|", "A", "B", "ß"]
        file = self.dir / "vocab.json"
        file.write_text(json.dumps({letter: place for place, letter in enumerate(letters)}), encoding="utf-8")
        generator = np.random.default_rng(0)
        for lower in (False, True):
            tokenizer = library.Wav2Vec2CTCTokenizer(str(file), do_lower_case=lower)
            # Logits for two tokens more than the vocabulary has.
            content = vocabulary(tokenizer, library.Wav2Vec2Config(vocab_size=10))
            step = self.step("transcript.py", "vocabulary.json", content)
            for _ in range(20):
                ids = generator.choice(10, 40).repeat(generator.integers(1, 4, 40)).tolist()
                self.assertEqual(step.text_of(ids), tokenizer.decode(ids))


def _answer(label: str, length: int, tied: bool = False) -> MediaAnswer:
    outputs = {"LABEL": np.array([label], object), "SCORE": np.array([0.75], np.float32)}
    return MediaAnswer(outputs, tied, (length,))


class SamplesTest(ToolkitCase):
    def test_samples_are_single_items_and_batches_of_one_shape_without_ties(self) -> None:
        items = [Item(f"item {place}", bytes([place]), None) for place in range(6)]
        lengths = [3, 5, 3, 3, 5, 9]
        answers = [_answer("x", length, place == 3) for place, length in enumerate(lengths)]
        samples = samples_of("AUDIO", items, answers, 8)
        self.assertEqual(
            [one["id"] for one in samples],
            ["item 0", "item 1", "samples 0, 2", "samples 1, 4", "item 2", "item 4", "item 5"],
        )
        tensor = {"name": "AUDIO", "datatype": "BYTES", "shape": [2, 1]}
        self.assertEqual(samples[2]["inputs"], [{**tensor, "b64": raw_bytes([b"\0", b"\2"])}])
        self.assertEqual(
            samples[2]["outputs"][1],
            {"name": "SCORE", "datatype": "FP32", "shape": [2, 1], "data": [0.75, 0.75]},
        )

    def test_bytes_have_their_length_before_them(self) -> None:
        self.assertEqual(raw_bytes([b"ab", b""]), "AgAAAGFiAAAAAA==")

    def test_objects_of_a_batch_are_filled_up_as_the_last_step_does_it(self) -> None:
        boxes = batched("BOX", [np.ones((1, 4), np.float32), np.full((2, 4), 2, np.float32)])
        self.assertEqual((boxes["shape"], boxes["data"]), ([2, 2, 4], [1] * 4 + [0] * 4 + [2] * 8))
        classes = batched("CLASS", [np.ones((1, 2), np.int32)] * 2)
        self.assertEqual((classes["shape"], classes["b64"]), ([2, 1, 2], "AQAAAAEAAAABAAAAAQAAAA=="))
        labels = batched("LABEL", [np.array(["a"], object), np.array(["b", "c"], object)])
        self.assertEqual(labels["data"], ["a", "", "b", "c"])

    def test_what_is_loaded_is_checked_where_all_answers_have_one_size(self) -> None:
        # Of one shape, as tools put them into one batch.
        items = [Item("other", b"0", None), Item("one", b"1", None), Item("two", b"2", None)]
        answers = [_answer("z", 9), _answer("x", 3), _answer("y", 3, tied=True)]
        items.append(Item("three", b"3", None))
        answers.append(_answer("x", 3))
        data = {"data": [{"IMAGE": {"b64": raw_bytes([one]), "shape": [1]}} for one in (b"1", b"3")]}
        self.assertEqual(load_entries("IMAGE", items, answers, False), data)
        expected = {"LABEL": ["x"], "SCORE": [0.75]}
        self.assertEqual(
            load_entries("IMAGE", items, answers, True), {**data, "validation_data": [expected, expected]}
        )

    def test_images_and_sounds_are_the_same_each_time(self) -> None:
        self.assertEqual([one.encoded for one in images()], [one.encoded for one in images()])
        self.assertEqual([one.encoded for one in sounds(8000)], [one.encoded for one in sounds(8000)])
        self.assertGreater(len({Path(one.name) for one in images()}), 16)


if __name__ == "__main__":
    unittest.main()
