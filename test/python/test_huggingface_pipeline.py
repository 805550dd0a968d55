"""Steps of a pipeline by the files themselves, and the samples of its reference; a campaign serves whole pipelines."""

from __future__ import annotations

import importlib.util
import json
import sys
import types
import unittest
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
from support import RESOURCES, ToolkitCase

from huggingface.pipeline import Answer, batches_of, lead, load_entries, read_texts, samples_of

STEPS = RESOURCES / "huggingface" / "steps"


class Tensor(NamedTuple):
    name: str
    array: Any

    def as_numpy(self) -> Any:
        return self.array


def backend() -> types.ModuleType:
    """What the steps use of Triton: a request is a dictionary, and so is a response."""
    utils: Any = types.ModuleType("triton_python_backend_utils")
    utils.Tensor = Tensor
    utils.get_input_tensor_by_name = lambda request, name: Tensor(name, request[name])
    utils.InferenceResponse = lambda tensors: {tensor.name: tensor.array for tensor in tensors}
    module: types.ModuleType = utils
    return module


class Encoding(NamedTuple):
    ids: list[int]
    attention_mask: list[int]
    type_ids: list[int]
    special_tokens_mask: list[int]
    offsets: list[tuple[int, int]]
    overflowing: list[object]


class Letters:
    """A tokenizer of letters that cuts at four, and pads with 0 to the longest."""

    @staticmethod
    def from_file(path: str) -> Letters:
        assert path.endswith("tokenizer.json"), path
        return Letters()

    def encode_batch(self, texts: list[str]) -> list[Encoding]:
        longest = max(min(len(text), 4) for text in texts)
        found = []
        for text in texts:
            ids = [ord(letter) for letter in text[:4]]
            padding = longest - len(ids)
            mask = [1] * len(ids) + [0] * padding
            offsets = [(place, place + 1) for place in range(len(ids))] + [(0, 0)] * padding
            rest: list[object] = [None] if len(text) > 4 else []
            special = [1 - one for one in mask]
            found.append(Encoding(ids + [0] * padding, mask, [0] * longest, special, offsets, rest))
        return found


class StepsTest(ToolkitCase):
    def step(self, name: str, outputs: tuple[str, ...] = (), **labels: object) -> Any:
        """The model of a step in a folder of its own, as Triton makes it."""
        file = self.dir / name
        file.write_text((STEPS / name).read_text(encoding="utf-8"), encoding="utf-8")
        (self.dir / "labels.json").write_text(json.dumps(labels), encoding="utf-8")
        spec = importlib.util.spec_from_file_location(f"step_{name[:-3]}", file)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        tokenizers: Any = types.ModuleType("tokenizers")
        tokenizers.Tokenizer = Letters
        path = list(sys.path)
        self.addCleanup(lambda: sys.path.__setitem__(slice(None), path))
        with mock.patch.dict(
            sys.modules, {"triton_python_backend_utils": backend(), "tokenizers": tokenizers}
        ):
            spec.loader.exec_module(module)
            model = module.TritonPythonModel()
            config = {"output": [{"name": output} for output in outputs]}
            model.initialize({"model_config": json.dumps(config)})
        return model

    def test_texts_of_all_requests_are_padded_to_one_length_and_long_ones_are_cut(self) -> None:
        step = self.step("tokenizer.py", ("input_ids", "attention_mask", "TRUNCATED"))
        texts = [np.array([[b"ab"], [b"abcdef"]], object), np.array([["é".encode()]], object)]
        first, second = step.execute([{"TEXT": rows} for rows in texts])
        self.assertEqual(sorted(first), ["TRUNCATED", "attention_mask", "input_ids"])
        self.assertEqual(first["input_ids"].tolist(), [[97, 98, 0, 0], [97, 98, 99, 100]])
        self.assertEqual(first["TRUNCATED"].tolist(), [[False], [True]])
        self.assertEqual(second["input_ids"].tolist(), [[233, 0, 0, 0]])
        self.assertEqual(second["attention_mask"].tolist(), [[1, 0, 0, 0]])
        self.assertEqual((first["input_ids"].dtype, first["TRUNCATED"].dtype), (np.int64, np.bool_))

    def test_bytes_that_are_not_utf8_do_not_fail_the_requests_beside_them(self) -> None:
        step = self.step("tokenizer.py", ("input_ids",))
        (answer,) = step.execute([{"TEXT": np.array([[b"\xff"]], object)}])
        self.assertEqual(answer["input_ids"].tolist(), [[0xFFFD]])

    def test_the_best_label_has_its_name_and_its_probability(self) -> None:
        step = self.step("labels.py", labels=["bad", "good"], scores="softmax")
        (answer,) = step.execute([{"logits": np.array([[0.0, 0.0], [0.0, np.log(3)]], np.float32)}])
        self.assertEqual(answer["LABEL"].tolist(), [[b"bad"], [b"good"]])
        np.testing.assert_allclose(answer["SCORE"], [[0.5], [0.75]], rtol=1e-6)
        self.assertEqual(answer["SCORE"].dtype, np.float32)
        sigmoid = self.step("labels.py", labels=["a", "b"], scores="sigmoid")
        (answer,) = sigmoid.execute([{"logits": np.array([[0.0, -1.0]], np.float32)}])
        self.assertEqual((answer["LABEL"].tolist(), answer["SCORE"].tolist()), ([[b"a"]], [[0.5]]))
        plain = self.step("labels.py", labels=["stars"], scores="none")
        (answer,) = plain.execute([{"logits": np.array([[4.5]], np.float32)}])
        self.assertEqual((answer["LABEL"].tolist(), answer["SCORE"].tolist()), ([[b"stars"]], [[4.5]]))

    def test_neighboring_tokens_of_one_label_are_a_span_of_the_text(self) -> None:
        names = ["O", "B-PER", "I-PER", "B-LOC"]
        step = self.step("spans.py", labels=names)
        # Special, O, B-PER, I-PER, B-PER, I-PER without a begin behind O, padding.
        best = [[1, 0, 1, 2, 1, 0, 2, 3], [0, 3, 0, 0, 0, 0, 0, 0]]
        logits = np.full((2, 8, 4), -100, np.float32)
        for row, tokens in enumerate(best):
            logits[row, np.arange(8), tokens] = 100
        special = np.array([[1, 0, 0, 0, 0, 0, 0, 1], [1, 0, 1, 1, 1, 1, 1, 1]])
        offsets = np.array([[(3 * place, 3 * place + 2) for place in range(8)]] * 2)
        (answer,) = step.execute([{"logits": logits, "special_tokens": special, "offsets": offsets}])
        self.assertEqual(answer["LABEL"].tolist(), [[b"PER", b"PER", b"PER"], [b"LOC", b"", b""]])
        self.assertEqual(answer["START"].tolist(), [[6, 12, 18], [3, 0, 0]])
        self.assertEqual(answer["END"].tolist(), [[11, 14, 20], [5, 0, 0]])
        np.testing.assert_allclose(answer["SCORE"], [[1, 1, 1], [1, 0, 0]])

    def test_a_text_without_a_span_answers_an_empty_label(self) -> None:
        step = self.step("spans.py", labels=["O", "X"])
        logits = np.array([[[1.0, 0.0]]], np.float32)
        given = {"logits": logits, "special_tokens": np.array([[0]]), "offsets": np.array([[(0, 1)]])}
        (answer,) = step.execute([given])
        self.assertEqual((answer["LABEL"].tolist(), answer["SCORE"].tolist()), ([[b""]], [[0.0]]))


def _answer(label: str, tied: bool = False) -> Answer:
    return Answer({"LABEL": [label], "SCORE": [0.75], "TRUNCATED": [False]}, tied)


class ReferenceTest(ToolkitCase):
    def test_batches_have_the_shortest_and_the_longest_texts(self) -> None:
        self.assertEqual(batches_of(3, 8), [[0, 1, 2]])
        self.assertEqual(batches_of(1, 8), [])
        self.assertEqual(batches_of(9, 1), [])
        found = batches_of(22, 8)
        ends = [(places[0], places[-1], len(places)) for places in found]
        self.assertEqual(ends, [(0, 21, 8), (1, 20, 8), (2, 19, 8)])
        self.assertTrue(all(len(set(places)) == 8 for places in found))

    def test_the_samples_are_single_texts_and_batches_without_the_ties(self) -> None:
        texts = ["a", "bbbb", "cc", "ddd"]
        answers = [_answer("x"), _answer("y"), _answer("z", tied=True), _answer("x")]
        samples = samples_of(texts, answers, 8)
        self.assertEqual(
            [sample["id"] for sample in samples],
            ["text 0", "text 1", "texts 0, 3, 1", "text 2", "text 3"],
        )
        batch, tied = samples[2], samples[3]
        self.assertEqual(
            batch["inputs"],
            [{"name": "TEXT", "datatype": "BYTES", "shape": [3, 1], "data": ["a", "ddd", "bbbb"]}],
        )
        self.assertEqual(
            batch["outputs"][0],
            {"name": "LABEL", "datatype": "BYTES", "shape": [3, 1], "data": ["x", "x", "y"]},
        )
        # Cut or not is known of a tie, too.
        self.assertEqual([output["name"] for output in tied["outputs"]], ["TRUNCATED"])

    def test_spans_of_a_batch_are_padded_as_the_last_step_does_it(self) -> None:
        one = Answer({"LABEL": ["A", "B"], "SCORE": [0.5, 0.25], "START": [0, 4], "END": [2, 6]}, False)
        other = Answer({"LABEL": ["C"], "SCORE": [1.0], "START": [1], "END": [2]}, False)
        batch = next(sample for sample in samples_of(["aa", "b"], [one, other], 2) if "," in sample["id"])
        data = {output["name"]: (output["shape"], output["data"]) for output in batch["outputs"]}
        self.assertEqual(data["LABEL"], ([2, 2], ["C", "", "A", "B"]))
        self.assertEqual(data["START"], ([2, 2], [1, 0, 0, 4]))

    def test_what_is_loaded_is_checked_where_all_answers_have_one_size(self) -> None:
        texts, answers = ["a", "b"], [_answer("x"), _answer("y", tied=True)]
        self.assertEqual(
            load_entries(texts, answers, True),
            {"data": [{"TEXT": ["a"]}], "validation_data": [answers[0].outputs]},
        )
        self.assertEqual(load_entries(texts, answers, False), {"data": [{"TEXT": ["a"]}]})

    def test_a_lead_is_that_of_the_best_score(self) -> None:
        self.assertAlmostEqual(lead([0.2, 0.5, 0.3]), 0.2)
        self.assertEqual(lead([0.1]), 1.0)

    def test_texts_are_lines_of_a_file(self) -> None:
        file = self.dir / "texts.txt"
        file.write_text("one\n\n two \n", encoding="utf-8")
        self.assertEqual(read_texts(file), ["one", " two "])
        file.write_bytes(b"\xff\xfe")
        self.assertRaisesRegex(ValueError, "not a text in UTF-8", read_texts, file)
        file.write_text("\n", encoding="utf-8")
        self.assertRaisesRegex(ValueError, "one per line", read_texts, file)
        self.assertGreater(len(read_texts(Path(RESOURCES) / "huggingface" / "texts.txt")), 16)


if __name__ == "__main__":
    unittest.main()
