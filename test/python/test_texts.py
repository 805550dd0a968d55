"""Texts as inputs and outputs: made, dumped, compared, kept and sent."""

from __future__ import annotations

import numpy as np
from support import ToolkitCase

from toolkit.checks.compared_batches import _share
from toolkit.comparison import compare
from toolkit.datatypes import is_of, numpy_dtype, triton_datatype
from toolkit.dumps import DumpWriter, read_samples
from toolkit.texts import MANY_WORDS, MOST_WORDS, USUAL_WORDS, as_bytes, as_texts, made_texts, raw_bytes


class TextTest(ToolkitCase):
    def test_is_a_type_of_triton_whatever_its_length(self) -> None:
        texts = np.array(["a", "longer"])
        self.assertEqual(triton_datatype(texts.dtype), "BYTES")
        self.assertTrue(is_of(texts.dtype, "BYTES"))
        self.assertFalse(is_of(texts.dtype, "FP32"))
        self.assertFalse(is_of(np.dtype(np.float32), "BYTES"))
        self.assertEqual(numpy_dtype("BYTES").kind, "U")

    def test_goes_to_triton_and_back_as_it_is(self) -> None:
        texts = np.array([["", "größer"], ["a b", "猫"]])
        np.testing.assert_array_equal(as_texts(as_bytes(texts)), texts)
        other = np.array([b"\xff", b"ok"], dtype=np.object_)
        self.assertEqual(list(as_bytes(as_texts(other))), [b"\xff", b"ok"])

    def test_raw_texts_have_their_length_before_them_and_numbers_are_little_endian(self) -> None:
        self.assertEqual(raw_bytes(np.array(["", "aé"])), b"\0\0\0\0\x03\0\0\0a\xc3\xa9")
        self.assertEqual(raw_bytes(np.array([1], dtype=">i4")), b"\x01\0\0\0")

    def test_made_ones_have_the_stated_lengths_and_are_the_same_for_a_seed(self) -> None:
        texts = made_texts(np.random.default_rng(0), (4000, 1))
        np.testing.assert_array_equal(texts, made_texts(np.random.default_rng(0), (4000, 1)))
        words = np.array([len(text.split(" ")) for text in texts.reshape(-1)])
        self.assertEqual((words.min(), words.max()), (1, MOST_WORDS))
        self.assertLessEqual(abs(np.median(words) - USUAL_WORDS), 1)
        self.assertLessEqual(abs(np.percentile(words, 95) - MANY_WORDS), 3)

    def _dump(self, name: str, labels: list[list[str]]) -> None:
        (self.dir / name).mkdir()
        writer = DumpWriter(self.dir / name)
        for index, label in enumerate(labels):
            writer.write([f"s{index}"], outputs={"LABEL": np.array([label])})
        writer.flush()

    def test_is_dumped_and_compared_letter_by_letter(self) -> None:
        self._dump("reference", [["cat", "dog"], ["a much longer label", ""]])
        self._dump("same", [["cat", "dog"], ["a much longer label", ""]])
        self._dump("other", [["cat", "dog"], ["a much longer labeI", ""]])
        samples = [outputs["LABEL"].tolist() for _, outputs in read_samples(self.dir / "reference")]
        self.assertEqual(samples, [["cat", "dog"], ["a much longer label", ""]])
        tolerance = {"*": 0.5}
        (same,) = compare(self.dir / "reference", self.dir / "same", tolerance, tolerance)
        self.assertTrue(same.fields()["passed"])
        self.assertFalse(same.fields()["vacuous"])
        (other,) = compare(self.dir / "reference", self.dir / "other", tolerance, tolerance)
        fields = other.fields()
        self.assertFalse(fields["passed"])
        self.assertEqual((fields["worstSample"], fields["mismatchShare"], fields["atol"]), ("s1", 0.25, 0.0))
        (allowed,) = compare(
            self.dir / "reference", self.dir / "other", tolerance, tolerance, {"LABEL": 0.25}
        )
        self.assertTrue(allowed.fields()["passed"])

    def test_of_two_answers_one_with_another_text_is_not_near(self) -> None:
        self.assertEqual(_share({"L": np.array(["a"])}, {"L": np.array(["a"])}), 0.0)
        self.assertEqual(_share({"L": np.array(["a"])}, {"L": np.array(["b"])}), np.inf)
