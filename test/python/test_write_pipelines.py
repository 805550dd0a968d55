"""The verbs that write pipelines call their code with every value by its name."""

from __future__ import annotations

import importlib
import tempfile
import unittest.mock
from pathlib import Path
from typing import Any

from support import ToolkitCase, run_verb

COMMON = ["--folder", "/folder", "--auto-class", "Auto", "--name", "p", "--output", "/place"]
NAMED = {"folder": "/folder", "auto_class": "Auto", "name": "p", "output": Path("/place")}


class NamedValuesTest(ToolkitCase):
    def asked(self, code: str, verb: str, *flags: object) -> dict[str, Any]:
        """What the verb gives to the function, which takes no other names."""
        module, function = code.rsplit(".", 1)
        imported = importlib.import_module(f"huggingface.{module}")
        with unittest.mock.patch.object(
            imported, function, autospec=True, return_value={"items": 1}
        ) as called:
            self.assertEqual(run_verb(verb, *COMMON, *flags), {"items": 1})
        ((places, names),) = called.call_args_list
        self.assertEqual(places, ())
        self.assertTrue(callable(names.pop("progress")))
        return dict(names)

    def test_images_and_audio_between_two_steps(self) -> None:
        flags = ["--task", "image-classification", "--first", "a", "--last", "b", "--most-samples", 4]
        wanted = {
            **NAMED,
            "task": "image-classification",
            "first": "a",
            "last": "b",
            "most_samples": 4,
        }
        code, verb = "media_pipeline.write_media_pipeline", "write-media-pipeline"
        self.assertEqual(self.asked(code, verb, *flags), {**wanted, "samples": None})
        own = self.asked(code, verb, *flags, "--samples", "/own")
        self.assertEqual(own, {**wanted, "samples": Path("/own")})

    def test_speech_in_one_model(self) -> None:
        flags = ["--task", "automatic-speech-recognition", "--most-samples", 1, "--samples", "/own"]
        asked = self.asked("speech_reference.write_speech", "write-media-pipeline", *flags)
        self.assertEqual(asked, {**NAMED, "samples": Path("/own")})

    def test_texts(self) -> None:
        flags = ["--task", "sentence-similarity", "--texts", "/texts.txt", "--most-tokens", 9]
        more = ["--most-texts", 3, "--pooling", "mean", "--dense", "2_Dense", "--normalize"]
        asked = self.asked("pipeline.write_pipeline", "write-pipeline", *flags, *more)
        wanted = {"task": "sentence-similarity", "texts_file": Path("/texts.txt"), "most_tokens": 9}
        of_vectors = {"most_texts": 3, "pooling": "mean", "dense": "2_Dense", "normalize": True}
        self.assertEqual(asked, {**NAMED, **wanted, **of_vectors, "pairs": False})

    def test_texts_that_go_on(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            texts = Path(folder, "texts.txt")
            texts.write_text("one\ntwo\n", encoding="utf-8")
            flags = ["--task", "text-generation", "--texts", texts, "--most-tokens", 9, "--most-texts", 1]
            asked = self.asked("generation_reference.write_generation", "write-pipeline", *flags)
        self.assertEqual(asked, {**NAMED, "texts": ["one", "two"], "most_tokens": 9})


if __name__ == "__main__":
    unittest.main()
