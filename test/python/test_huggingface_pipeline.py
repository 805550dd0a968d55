"""Steps of a pipeline by the files themselves, and the samples of its reference; a campaign serves whole pipelines."""

from __future__ import annotations

import importlib.util
import json
import sys
import types
import unittest
from pathlib import Path
from typing import Any, NamedTuple, Optional
from unittest import mock

import numpy as np
from support import RESOURCES, ToolkitCase

from huggingface.pipeline import lead
from huggingface.text_samples import Answer, batches_of, in_turns, load_entries, rule_of, samples_of
from huggingface.texts_file import read_texts

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
    utils.get_input_tensor_by_name = lambda request, name: (
        Tensor(name, request[name]) if name in request else None
    )
    utils.TritonError = str
    utils.InferenceResponse = lambda tensors, error=None: (
        {tensor.name: tensor.array for tensor in tensors} if error is None else error
    )
    module: types.ModuleType = utils
    return module


class Encoding(NamedTuple):
    ids: list[int]
    attention_mask: list[int]
    type_ids: list[int]
    special_tokens_mask: list[int]
    offsets: list[tuple[int, int]]
    overflowing: list[object]
    sequence_ids: list[Optional[int]]
    word_ids: list[Optional[int]]

    def word_to_chars(self, word: int, sequence: int) -> Optional[tuple[int, int]]:
        """The first letter of any text is not a word."""
        return None if word == 0 else (word, word + 10 * (sequence + 1))


class Letters:
    """A tokenizer of letters that cuts at four, and pads with 0 to the longest. Of a pair, it cuts the second text."""

    @staticmethod
    def from_file(path: str) -> Letters:
        assert path.endswith("tokenizer.json"), path
        return Letters()

    def encode_batch(self, given: list[Any]) -> list[Encoding]:
        pairs = [(text, "") if isinstance(text, str) else text for text in given]
        if any(len(first) >= 4 and second != "" for first, second in pairs):
            raise ValueError("too short")
        texts = ["".join(pair) for pair in pairs]
        longest = max(min(len(text), 4) for text in texts)
        found = []
        for text, (first, _) in zip(texts, pairs):
            ids = [ord(letter) for letter in text[:4]]
            padding = longest - len(ids)
            mask = [1] * len(ids) + [0] * padding
            offsets = [(place, place + 1) for place in range(len(ids))] + [(0, 0)] * padding
            rest: list[object] = [None] if len(text) > 4 else []
            special = [1 - one for one in mask]
            nothing: list[Optional[int]] = [None] * padding
            sequences = [int(place >= len(first)) for place in range(len(ids))]
            words = [place - len(first) * of for place, of in enumerate(sequences)]
            found.append(
                Encoding(
                    *(ids + [0] * padding, mask, [0] * longest, special, offsets, rest),
                    *([*sequences, *nothing], [*words, *nothing]),
                )
            )
        return found


class StepsTest(ToolkitCase):
    def step(
        self,
        name: str,
        outputs: tuple[str, ...] = (),
        inputs: tuple[str, ...] = ("TEXT",),
        file_name: str = "labels.json",
        **labels: object,
    ) -> Any:
        """The model of a step in a folder of its own, as Triton makes it."""
        file = self.dir / name
        file.write_text((STEPS / name).read_text(encoding="utf-8"), encoding="utf-8")
        (self.dir / file_name).write_text(json.dumps(labels), encoding="utf-8")
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
            config = {
                side: [{"name": one} for one in names]
                for side, names in (("input", inputs), ("output", outputs))
            }
            if hasattr(model, "initialize"):
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

    def test_two_texts_are_one_row_that_says_which_is_which_and_where_the_words_are(self) -> None:
        step = self.step("tokenizer.py", ("input_ids", "sequence", "words"), ("QUESTION", "CONTEXT"))
        given = {
            "QUESTION": np.array([[b"a"], [b"ab"]], object),
            "CONTEXT": np.array([[b"xyz"], [b"q"]], object),
        }
        (answer,) = step.execute([given])
        self.assertEqual(answer["input_ids"].tolist(), [[97, 120, 121, 122], [97, 98, 113, 0]])
        self.assertEqual(answer["sequence"].tolist(), [[0, 1, 1, 1], [0, 0, 1, -1]])
        # A token without a word has its own place.
        self.assertEqual(answer["words"][0].tolist(), [[0, 1], [1, 2], [1, 21], [2, 22]])
        self.assertEqual(answer["words"][1].tolist(), [[0, 1], [1, 11], [2, 3], [0, 0]])

    def test_a_second_text_that_is_left_out_is_none(self) -> None:
        step = self.step("tokenizer.py", ("input_ids", "sequence"), ("TEXT", "TEXT_PAIR"))
        one, two = (np.array([[text]], object) for text in (b"ab", b"c"))
        first, second = step.execute([{"TEXT": one}, {"TEXT": one, "TEXT_PAIR": two}])
        self.assertEqual(first["sequence"].tolist(), [[0, 0, -1]])
        self.assertEqual(second["sequence"].tolist(), [[0, 0, 1]])

    def test_a_question_without_room_for_its_context_fails_and_those_beside_it_do_not(self) -> None:
        step = self.step("tokenizer.py", ("input_ids",), ("QUESTION", "CONTEXT"))
        questions = (b"a", b"abcd", b"b")
        given = [
            {"QUESTION": np.array([[one]], object), "CONTEXT": np.array([[b"x"]], object)}
            for one in questions
        ]
        first, failed, last = step.execute(given)
        self.assertEqual(
            (first["input_ids"].tolist(), last["input_ids"].tolist()), ([[97, 120]], [[98, 120]])
        )
        self.assertIn("A first text is so long that the second one has no place beside it", failed)

    def answers(self, *tokens: tuple[float, float, int], context: str = "one two") -> Any:
        """Of one text, its tokens as logits of begin and end, and sequence; each token is one character."""
        start, end, sequence = (np.array([column]) for column in zip(*tokens))
        places = [(place, place + 1) for place in range(len(tokens))]
        given = {
            "start_logits": start.astype(np.float32),
            "end_logits": end.astype(np.float32),
            "attention_mask": np.ones_like(sequence),
            "sequence": sequence,
            "words": np.array([places]),
            "CONTEXT": np.array([[context.encode()]], object),
        }
        (answer,) = self.step("answers.py").execute([given])
        return tuple(answer[name].tolist()[0][0] for name in ("ANSWER", "SCORE", "START", "END"))

    def test_an_answer_is_inside_the_context_and_does_not_end_before_it_begins(self) -> None:
        # The special tokens and the question have the highest logits, and the best end is before the best begin.
        high, none = 9.0, -99.0
        found = self.answers(
            *((none, none, -1), (high, high, 0), (high, high, -1)),
            *((1.0, none, 1), (1.0, 5.0, 1), (2.0, 3.0, 1), (none, none, -1)),
        )
        powers = np.exp([1.0, 1.0, 2.0])
        ends = np.exp([none, 5.0, 3.0])
        # Of the spans 3-4, 3-5, 4-4, 4-5 and 5-5 the first with the largest product.
        self.assertEqual((found[0], found[2:]), (b" t", (3, 5)))
        self.assertAlmostEqual(found[1], float(powers[0] / powers.sum() * ends[1] / ends.sum()), 6)

    def test_no_answer_takes_its_part_of_the_probability(self) -> None:
        _, score, start, end = self.answers((0.0, 0.0, -1), (0.0, 0.0, 1))
        self.assertEqual((score, start, end), (0.25, 1, 2))

    def test_an_answer_has_at_most_fifteen_tokens(self) -> None:
        tokens = [(0.0, 0.0, 1)] * 20
        tokens[2], tokens[17], tokens[16] = (9.0, 0.0, 1), (0.0, 9.0, 1), (0.0, 8.0, 1)
        self.assertEqual(self.answers(*tokens, context="x" * 20)[2:], (2, 17))

    def test_places_count_characters_of_a_context_that_is_not_ascii(self) -> None:
        self.assertEqual(self.answers((0.0, 0.0, 1), (9.0, 9.0, 1), context="éß")[0], "ß".encode())

    def test_a_context_without_tokens_has_an_empty_answer(self) -> None:
        self.assertEqual(self.answers((0.0, 0.0, -1), (1.0, 1.0, 0), context=""), (b"", 0.0, 0, 0))

    def test_the_five_likeliest_tokens_take_the_place_of_the_mask(self) -> None:
        names = ["[M]", *"abcdef"]
        step = self.step("tokens.py", file_name="tokens.json", mask="[M]", mask_id=0, tokens=names)
        logits = np.zeros((2, 3, 7), np.float32)
        logits[0, 1] = np.log([1, 7, 6, 5, 4, 3, 2])
        logits[1, 2] = np.log([1, 2, 3, 4, 5, 6, 7])
        ids = np.array([[1, 0, 2], [1, 2, 0]])
        (answer,) = step.execute([{"logits": logits, "input_ids": ids}])
        self.assertEqual(
            answer["TOKEN"].tolist(), [[b"a", b"b", b"c", b"d", b"e"], [b"f", b"e", b"d", b"c", b"b"]]
        )
        expected = np.arange(7, 2, -1) / 28
        np.testing.assert_allclose(answer["SCORE"], [expected, expected], rtol=1e-5)
        self.assertEqual(answer["SCORE"].dtype, np.float32)

    def test_a_text_without_the_mask_token_fails_and_is_told_what_it_lacks(self) -> None:
        step = self.step("tokens.py", file_name="tokens.json", mask="[M]", mask_id=0, tokens=list("abcdef"))
        logits = np.zeros((2, 3, 6), np.float32)
        rows = [[[1, 0, 2], [1, 2, 3]], [[1, 0, 0], [0, 1, 1]], [[0, 1, 2], [0, 1, 2]]]
        none, twice, right = step.execute([{"logits": logits, "input_ids": np.array(row)} for row in rows])
        self.assertIn("TEXT needs the mask token [M] once", none)
        self.assertIn("text 2 of the request has it 0 times", none)
        self.assertIn("text 1 of the request has it 2 times", twice)
        self.assertEqual(right["TOKEN"].shape, (2, 5))

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

    def test_several_texts_of_a_request_have_the_names_of_their_inputs(self) -> None:
        pairs = [{"QUESTION": "q", "CONTEXT": "long"}, {"QUESTION": "r", "CONTEXT": ""}]
        samples = samples_of(pairs, [_answer("x"), _answer("y")], 2)
        batch = next(sample for sample in samples if "," in sample["id"])
        # The shorter pair first.
        self.assertEqual(
            [(one["name"], one["data"]) for one in batch["inputs"]],
            [("QUESTION", ["r", "q"]), ("CONTEXT", ["", "long"])],
        )
        self.assertEqual(
            load_entries(pairs[:1], [_answer("x")], False)["data"], [{"QUESTION": ["q"], "CONTEXT": ["long"]}]
        )

    def test_kinds_of_requests_come_in_turns(self) -> None:
        some, others = ([{"id": name} for name in names] for names in ("abcd", "xy"))
        self.assertEqual("".join(one["id"] for one in in_turns(some, others)), "axbycd")
        self.assertEqual("".join(one["id"] for one in in_turns(others, some)), "xaybcd")
        self.assertEqual(in_turns(some, []), some)

    def test_small_scores_are_compared_by_their_share(self) -> None:
        self.assertEqual(rule_of("fill-mask", "SCORE"), {"by": "numbers", "atol": 1e-6, "rtol": 1e-3})
        self.assertEqual(
            rule_of("text-classification", "SCORE"), {"by": "numbers", "atol": 1e-4, "rtol": 1e-4}
        )
        self.assertIsNone(rule_of("question-answering", "ANSWER"))

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
