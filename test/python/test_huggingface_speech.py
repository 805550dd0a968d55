"""The step that writes down speech, with a model that says what it hears, and the samples of its reference."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import math
import sys
import types
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Optional
from unittest import mock

import numpy as np
from support import RESOURCES, ToolkitCase
from test_huggingface_pipeline import backend

from huggingface.media_samples import Item, longest_sound, wav
from huggingface.speech_reference import (
    Heard,
    Leads,
    SpeechReference,
    languages_of,
    lengths_of,
    load_entries,
    recordings,
    sample,
)

STEPS = RESOURCES / "huggingface" / "steps"
HAS_TRANSFORMERS = importlib.util.find_spec("transformers") is not None
FOLDERS = Path(__file__).resolve().parents[2] / "scripts" / "huggingface"


class Features(list[Any]):
    def to(self, device: str) -> Features:
        assert device == "cpu", device
        return self


class Extractor:
    """The spectrogram of a recording is the recording."""

    sampling_rate, n_samples = 8, 16

    def __call__(self, sound: Any, sampling_rate: int, return_tensors: str) -> dict[str, Features]:
        assert (sampling_rate, return_tensors) == (8, "pt")
        return {"input_features": Features([sound])}


class Tokens(list[int]):
    def tolist(self) -> list[int]:
        return list(self)


class Listener:
    """Says how many samples it was given, and notes how it was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def generate(self, features: Features, **how: Any) -> list[Tokens]:
        self.asked.append(how)
        if how.get("language") == "xx":
            raise ValueError("Unsupported language: xx.")
        return [Tokens(str(len(features[0])).encode())]


class Bytes:
    def decode(self, tokens: list[int], skip_special_tokens: bool, clean_up_tokenization_spaces: bool) -> str:
        assert skip_special_tokens and not clean_up_tokenization_spaces
        return f"{bytes(tokens).decode()} é"


@contextlib.contextmanager
def step_module(**modules: Any) -> Iterator[Any]:
    spec = importlib.util.spec_from_file_location("step_speech", STEPS / "speech.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    utils: Any = backend()
    utils.TritonModelException = RuntimeError
    known = {"triton_python_backend_utils": utils, **modules}
    # As Triton does it.
    with mock.patch.dict(sys.modules, known), mock.patch.object(sys, "path", [*sys.path, str(STEPS)]):
        spec.loader.exec_module(module)
        yield module


def _recording(samples: int, rate: int = 8) -> bytes:
    return wav(np.zeros((samples, 1), np.int16), rate, "")


def _request(encoded: bytes, language: Optional[str] = None) -> dict[str, Any]:
    named = {} if language is None else {"LANGUAGE": np.array([language.encode()], object)}
    return {"AUDIO": np.array([encoded], object), **named}


class StepTest(ToolkitCase):
    def answers(self, *requests: dict[str, Any], lengths: Optional[dict[str, int]] = None) -> list[Any]:
        with step_module() as module:
            model = module.TritonPythonModel()
            model.device, model.lengths = "cpu", lengths or {}
            model.extractor, model.tokenizer, model.model = Extractor(), Bytes(), Listener()
            found: list[Any] = model.execute(list(requests))
        self.asked: list[dict[str, Any]] = model.model.asked
        return found

    def test_a_recording_becomes_its_text_with_the_best_token_each_time(self) -> None:
        first, second = self.answers(_request(_recording(16)), _request(_recording(3), ""))
        self.assertEqual(
            [one["TEXT"].tolist() for one in (first, second)], [["16 é".encode()], ["3 é".encode()]]
        )
        self.assertEqual(self.asked, [{"num_beams": 1, "do_sample": False}] * 2)

    def test_a_request_may_name_its_language(self) -> None:
        good, bad = self.answers(_request(_recording(5), "en"), _request(_recording(5), "xx"))
        self.assertEqual(good["TEXT"].tolist(), ["5 é".encode()])
        self.assertEqual(bad, "Unsupported language: xx.")
        self.assertEqual(self.asked[0]["language"], "en")

    def test_the_length_is_that_of_the_model_where_the_folder_says_none(self) -> None:
        self.answers(_request(_recording(5)), lengths={"max_length": 32})
        self.assertEqual(self.asked[0]["max_length"], 32)

    def test_what_the_model_does_not_take_fails_its_request_and_no_other(self) -> None:
        long, other, empty, broken, good = self.answers(
            _request(_recording(17)),
            _request(_recording(16, rate=16)),
            _request(_recording(0)),
            _request(b"ID3"),
            _request(_recording(16)),
        )
        self.assertEqual(
            long, "AUDIO has 17 samples (2.12 s), and the model takes up to 16 (2.00 s): send it in parts"
        )
        self.assertEqual(other, "AUDIO has 16 samples per second, and the model takes 8: convert it before")
        self.assertEqual((empty, broken), ("AUDIO has no samples", "AUDIO is not a WAV file"))
        self.assertEqual(good["TEXT"].tolist(), ["16 é".encode()])

    def test_a_server_without_transformers_says_what_it_needs(self) -> None:
        settings = {"transformers": "5.0.0", "lengths": {}}
        (self.dir / "speech.json").write_text(json.dumps(settings), encoding="utf-8")
        absent: Any = None
        with step_module(torch=types.ModuleType("torch"), transformers=absent) as module:
            module.HERE = self.dir
            with self.assertRaisesRegex(RuntimeError, "needs: pip install torch transformers==5.0.0"):
                module.TritonPythonModel().initialize({})


def _said(**values: Any) -> Any:
    return types.SimpleNamespace(max_length=None, max_new_tokens=None, **values)


class ReferenceTest(unittest.TestCase):
    def test_the_length_of_a_text_is_that_of_the_folder_or_of_the_model(self) -> None:
        config = types.SimpleNamespace(max_target_positions=448)
        silent = types.SimpleNamespace(config=config, generation_config=_said())
        self.assertEqual(lengths_of(silent), {"max_length": 448})
        for name in ("max_length", "max_new_tokens"):
            said = _said()
            setattr(said, name, 9)
            self.assertEqual(lengths_of(types.SimpleNamespace(config=config, generation_config=said)), {})

    def test_languages_are_those_of_a_model_of_several(self) -> None:
        ids = {"<|en|>": 1, "<|yue|>": 2}
        self.assertEqual(languages_of(_said(lang_to_id=ids)), ["en", "yue"])
        self.assertEqual(languages_of(_said(lang_to_id=ids, is_multilingual=False)), [])
        self.assertEqual(languages_of(_said()), [])

    def test_recordings_are_no_longer_than_the_model_takes_and_one_is_as_long(self) -> None:
        lengths = [len(item.given) for item in recordings(8000, 8000)]
        self.assertEqual((lengths[-1], lengths.count(8000)), (8000, 1))
        self.assertGreater(len(lengths), 4)
        whole = longest_sound(8000, 16000)
        self.assertEqual(len(whole.encoded) - 32000, len(_recording(0)))
        self.assertEqual(whole.name, "2 s, 16 bits, the longest")

    def test_a_sample_has_a_language_only_where_it_was_asked_with_one(self) -> None:
        item = Item("1 s", b"ab", None)
        audio = {"name": "AUDIO", "datatype": "BYTES", "shape": [1], "b64": "AgAAAGFi"}
        plain, named = sample(item, Heard("x", 1.0)), sample(item, Heard("y", 1.0), "de")
        self.assertEqual((plain["id"], plain["inputs"]), ("1 s", [audio]))
        self.assertEqual((named["id"], named["inputs"][1]["data"]), ("1 s, de", ["de"]))
        self.assertEqual(
            named["outputs"], [{"name": "TEXT", "datatype": "BYTES", "shape": [1], "data": ["y"]}]
        )
        self.assertEqual(
            load_entries([(item, Heard("x", 1.0))]),
            {"data": [{"AUDIO": {"b64": "AgAAAGFi", "shape": [1]}}], "validation_data": [{"TEXT": ["x"]}]},
        )

    def test_the_smallest_lead_of_a_text_counts(self) -> None:
        import torch

        leads = Leads()
        self.assertEqual(leads.least, math.inf)
        for scores in ([1.0, 5.0, 2.0], [0.0, 0.25, -1.0], [7.0, -math.inf, -math.inf]):
            given = torch.tensor([scores])
            self.assertIs(leads(None, given), given)
        self.assertEqual(leads.least, 0.25)


@unittest.skipUnless(HAS_TRANSFORMERS, "transformers is a component of its own")
class ModelTest(ToolkitCase):
    def test_the_step_writes_what_transformers_does(self) -> None:
        import torch
        import transformers

        from huggingface.model import load_folder

        with mock.patch.object(sys, "path", [*sys.path, str(FOLDERS)]):
            code: Any = importlib.import_module("make_folders")
        code.make_folder("whisper", self.dir, RESOURCES / "huggingface" / "texts.txt")
        version = self.dir / "1"
        version.mkdir()
        (self.dir / "whisper").rename(version / "model")
        folder = str(version / "model")
        model: Any = load_folder(folder, "AutoModelForSpeechSeq2Seq")
        reference = SpeechReference(folder, model)
        settings = {"transformers": transformers.__version__, "lengths": reference.lengths}
        (version / "speech.json").write_text(json.dumps(settings), encoding="utf-8")
        items = recordings(reference.rate, reference.most_samples)
        asked = [*((item, "") for item in items), *((items[0], one) for one in reference.languages)]
        with step_module(torch=torch, transformers=transformers) as module:
            module.HERE = version
            step = module.TritonPythonModel()
            step.initialize({"model_instance_kind": "CPU"})
            found = step.execute([_request(item.encoded, language) for item, language in asked])
        heard = [reference(item, language) for item, language in asked]
        decided = [one.lead > 1e-3 for one in heard]
        texts = [answer["TEXT"][0].decode() for answer in found]
        self.assertGreater(sum(decided), len(items) // 2)
        self.assertEqual(
            [text for text, counts in zip(texts, decided) if counts],
            [one.text for one, counts in zip(heard, decided) if counts],
        )
        # The recordings and the languages make a difference, and no token that controls the text is in it.
        self.assertGreater(len(set(texts)), len(items) // 2)
        self.assertGreater(len(set(texts[len(items) :])), 1)
        self.assertFalse([text for text in texts if "<|" in text])


if __name__ == "__main__":
    unittest.main()
