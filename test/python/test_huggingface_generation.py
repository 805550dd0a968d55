"""The step that generates, with a model of letters, and the samples of its reference; a campaign serves real ones."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import sys
import types
import unittest
from collections.abc import Iterator
from typing import Any, NamedTuple, Optional
from unittest import mock

import numpy as np
from support import RESOURCES, ToolkitCase

from huggingface.generation_reference import Answer, Reference, load_entries, samples_of

STEP = RESOURCES / "huggingface" / "steps" / "generate.py"
FINAL = 1
END = 0


class Tensor(NamedTuple):
    name: str
    array: Any

    def as_numpy(self) -> Any:
        return self.array


class Response(NamedTuple):
    tensors: list[Tensor]
    error: Optional[str]


def backend() -> types.ModuleType:
    """What the step uses of Triton."""
    utils: Any = types.ModuleType("triton_python_backend_utils")
    utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL = FINAL
    utils.Tensor = Tensor
    utils.TritonError = str
    utils.TritonModelException = RuntimeError
    utils.get_input_tensor_by_name = lambda request, name: request.tensors.get(name)
    utils.InferenceResponse = lambda tensors=(), error=None: Response(list(tensors), error)
    module: types.ModuleType = utils
    return module


class Request:
    """A request with its sender, which notes what it gets."""

    def __init__(self, text: str, cancelled_after: int = 1000, parameters: str = "", **inputs: Any) -> None:
        values = {"text_input": text.encode(), **inputs}
        self.tensors = {name: Tensor(name, np.array([value], object)) for name, value in values.items()}
        self.sent: list[tuple[Optional[Response], int]] = []
        self._left, self._parameters = cancelled_after, parameters

    def parameters(self) -> str:
        return self._parameters

    def get_response_sender(self) -> Any:
        return self

    def send(self, response: Optional[Response] = None, flags: int = 0) -> None:
        self.sent.append((response, flags))

    def is_cancelled(self) -> bool:
        self._left -= 1
        return self._left < 0

    @property
    def pieces(self) -> list[str]:
        responses = [response for response, _ in self.sent if response is not None]
        return [tensor.array[0].decode() for response in responses for tensor in response.tensors]

    @property
    def error(self) -> Optional[str]:
        return next((one.error for one, _ in self.sent if one is not None and one.error), None)


class Row(list[int]):
    def tolist(self) -> list[int]:
        return list(self)


class Rows(list[Row]):
    @property
    def shape(self) -> tuple[int, int]:
        return (len(self), len(self[0]))

    def to(self, _device: str) -> Rows:
        return self


class Bytes:
    """A tokenizer whose tokens are the bytes of the text, and 0 the one that ends it."""

    bos_token_id: Optional[int] = None

    def __call__(self, text: str, return_tensors: str) -> dict[str, Rows]:
        assert return_tensors == "pt", return_tensors
        ids = Row(text.encode())
        return {"input_ids": Rows([ids]), "attention_mask": Rows([ids]), "token_type_ids": Rows([ids])}

    def decode(self, tokens: list[int], skip_special_tokens: bool, clean_up_tokenization_spaces: bool) -> str:
        assert skip_special_tokens and not clean_up_tokenization_spaces
        return bytes(token for token in tokens if token != END).decode("utf-8", "replace")


class Speaker:
    """A model that says the same to everyone, and notes how it was asked."""

    def __init__(self, text: str) -> None:
        self.answer = [*text.encode(), END]
        self.asked: dict[str, Any] = {}
        self.said = 0

    def generate(self, input_ids: Rows, attention_mask: Rows, streamer: Any, **how: Any) -> None:
        assert len(input_ids[0]) == len(attention_mask[0])
        self.asked = how
        streamer.put(input_ids)
        for token in self.answer[: how["max_new_tokens"]]:
            self.said += 1
            streamer.put([token])
        streamer.end()


@contextlib.contextmanager
def step_module(**modules: Any) -> Iterator[Any]:
    spec = importlib.util.spec_from_file_location("step_generate", STEP)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with mock.patch.dict(sys.modules, {"triton_python_backend_utils": backend(), **modules}):
        spec.loader.exec_module(module)
        yield module


class StepTest(ToolkitCase):
    def speak(self, answer: str, *requests: Request, encoder: bool = False) -> Speaker:
        """The requests, one after the other, by a model that takes 32 tokens."""
        with step_module() as module:
            model = module.TritonPythonModel()
            model.torch = types.SimpleNamespace(manual_seed=lambda seed: None)
            model.device, model.most_tokens, model.most_answer = "cpu", 32, 20 if encoder else None
            model.tokenizer, model.model = Bytes(), Speaker(answer)
            model.execute(list(requests))
        speaker: Speaker = model.model
        return speaker

    def test_pieces_are_whole_characters_and_together_the_whole_answer(self) -> None:
        streamed, whole = Request("Hi", stream=True), Request("Hi")
        self.speak("né 日本!", streamed, whole)
        self.assertEqual(streamed.pieces, ["n", "é", " ", "日", "本", "!"])
        self.assertEqual(whole.pieces, ["né 日本!"])
        # A last response without content ends each of them.
        self.assertEqual([(request.sent[-1]) for request in (streamed, whole)], [(None, FINAL)] * 2)
        self.assertTrue(all(flags == 0 for _, flags in streamed.sent[:-1]))

    def test_an_answer_that_is_cut_within_a_character_ends_in_the_replacement_character(self) -> None:
        request = Request("Hi", stream=True, sampling_parameters=b'{"max_tokens": 2}')
        self.speak("aé", request)
        self.assertEqual(request.pieces, ["a", "\ufffd"])

    def test_the_length_is_bounded_by_the_positions_of_the_model(self) -> None:
        request = Request("x" * 30, sampling_parameters=b'{"max_tokens": 100}')
        speaker = self.speak("abcdef", request)
        self.assertEqual((request.pieces, speaker.asked["max_new_tokens"]), (["ab"], 2))
        # An encoder has positions of its own.
        speaker = self.speak("abcdef", request, encoder=True)
        self.assertEqual(speaker.asked["max_new_tokens"], 20)

    def test_a_prompt_that_is_too_long_is_refused_with_both_lengths(self) -> None:
        long, next_one = Request("x" * 32), Request("x")
        self.speak("ok", long, next_one)
        self.assertEqual(long.error, "The prompt has 32 tokens, and the model takes at most 31: shorten it")
        self.assertEqual(long.sent[-1][1], FINAL)
        self.assertEqual(next_one.pieces, ["ok"])
        whole = Request("x" * 32)
        self.speak("ok", whole, encoder=True)
        self.assertEqual(whole.pieces, ["ok"])

    def test_stop_words_end_the_text_before_them(self) -> None:
        asked = json.dumps({"stop": ["\n\n", "END"]}).encode()
        request = Request("Hi", stream=True, sampling_parameters=asked)
        speaker = self.speak("a\nb ENd END more", request)
        self.assertEqual("".join(request.pieces), "a\nb ENd ")
        # Nothing is generated behind it.
        self.assertEqual(speaker.said, len("a\nb ENd END"))
        self.assertNotIn("EN", request.pieces)
        unfinished = Request("Hi", stream=True, sampling_parameters=asked)
        self.speak("a EN", unfinished)
        self.assertEqual("".join(unfinished.pieces), "a EN")

    def test_a_cancelled_request_stops_the_model(self) -> None:
        request = Request("Hi", cancelled_after=3, stream=True)
        speaker = self.speak("abcdefgh", request)
        self.assertEqual((request.pieces, speaker.said), (["a", "b", "c"], 4))
        self.assertEqual(request.sent[-1], (None, FINAL))

    def test_what_is_asked_for_comes_as_an_input_or_as_parameters(self) -> None:
        speaker = self.speak("a", Request("Hi"))
        self.assertEqual(speaker.asked, {"max_new_tokens": 16, "num_beams": 1, "do_sample": False})
        by_input = Request("Hi", sampling_parameters=b'{"max_tokens": 3, "ignore_eos": true}')
        self.assertEqual(self.speak("a", by_input).asked["min_new_tokens"], 3)
        least = Request("Hi", sampling_parameters=b'{"max_tokens": 3, "min_tokens": 9}')
        self.assertEqual(self.speak("a", least).asked["min_new_tokens"], 3)
        by_parameters = Request("Hi", parameters='{"max_tokens": 3, "temperature": 0.5, "other": 1}')
        asked = self.speak("a", by_parameters).asked
        self.assertEqual((asked["do_sample"], asked["temperature"], asked["max_new_tokens"]), (True, 0.5, 3))

    def test_what_it_cannot_do_is_refused_for_its_request(self) -> None:
        for given, words in [
            (b'{"n": 2}', "n is not one of max_tokens"),
            (b'{"max_tokens": 0}', "at least 1"),
            (b"{", "Expecting"),
        ]:
            request = Request("Hi", sampling_parameters=given)
            self.speak("a", request)
            self.assertIn(words, str(request.error))
        empty = Request("")
        self.speak("a", empty)
        self.assertEqual(empty.error, "The prompt is empty")

    def test_the_prompt_comes_back_only_where_it_is_asked_for(self) -> None:
        with_it, both = (Request("Hi", exclude_input_in_output=False, stream=on) for on in (False, True))
        self.speak(" you", with_it, both)
        self.assertEqual(with_it.pieces, ["Hi you"])
        self.assertIn("exclude_input_in_output", str(both.error))

    def test_an_answer_without_a_text_is_an_empty_one(self) -> None:
        request = Request("Hi", stream=True)
        self.speak("", request)
        self.assertEqual(request.pieces, [""])

    def test_a_server_without_transformers_says_what_it_needs(self) -> None:
        settings = {"class": "AutoModelForCausalLM", "transformers": "5.0.0", "most_tokens": 8}
        (self.dir / "generation.json").write_text(json.dumps(settings), encoding="utf-8")
        absent: Any = None
        with step_module(torch=types.ModuleType("torch"), transformers=absent) as module:
            module.HERE = self.dir
            with self.assertRaisesRegex(RuntimeError, "needs: pip install torch transformers==5.0.0"):
                module.TritonPythonModel().initialize({})


class Words:
    """A tokenizer of words."""

    def __call__(self, text: str) -> dict[str, list[str]]:
        return {"input_ids": text.split()}


class ReferenceTest(unittest.TestCase):
    def test_ties_are_left_out_and_some_answers_are_asked_for_in_pieces(self) -> None:
        answers = [Answer(f"answer {place}", place % 2 == 1, 0.5) for place in range(6)]
        answers[1] = answers[1]._replace(lead=0.0)
        samples = samples_of([f"text {place}" for place in range(6)], answers)
        self.assertEqual(
            [sample["id"] for sample in samples],
            ["text 0, streamed", "text 5, streamed", "text 0", "text 2", "text 3", "text 4", "text 5"],
        )
        values = {tensor["name"]: tensor["data"][0] for tensor in samples[1]["inputs"]}
        self.assertEqual((values["text_input"], values["stream"]), ("text 5", True))
        self.assertEqual(json.loads(values["sampling_parameters"])["min_tokens"], 24)
        self.assertEqual(samples[1]["outputs"][0]["data"], ["answer 5"])

    def test_long_texts_lose_their_last_words_until_the_model_takes_them(self) -> None:
        model = types.SimpleNamespace(config=types.SimpleNamespace(is_encoder_decoder=False))
        reference = Reference(model, Words(), 5)
        self.assertEqual((reference.most_prompt_tokens, reference.most_answer_tokens), (4, None))
        self.assertEqual(reference.shortened("a b c d e f", 4), "a b c d")
        self.assertEqual(reference.shortened("a b", 4), "a b")
        self.assertEqual(reference.longest(["a b c"]), ["a b c a"])
        encoder = types.SimpleNamespace(is_encoder_decoder=True, max_position_embeddings=9)
        reference = Reference(types.SimpleNamespace(config=encoder), Words(), 5)
        self.assertEqual((reference.most_prompt_tokens, reference.most_answer_tokens), (5, 8))

    def test_the_load_asks_for_answers_of_one_length(self) -> None:
        (entry,) = load_entries(["a"])["data"]
        self.assertEqual((entry["text_input"], entry["stream"]), (["a"], [True]))
        asked = json.loads(entry["sampling_parameters"][0])
        self.assertEqual((asked["max_tokens"], asked["ignore_eos"]), (16, True))


if __name__ == "__main__":
    unittest.main()
