"""What the references of questions and masks make of a file of texts, and of the framework's numbers."""

from __future__ import annotations

import math
import unittest
from typing import Any

import torch
from support import RESOURCES, ToolkitCase

from huggingface.mask_reference import MaskReference, is_tied, masked
from huggingface.pairs_reference import PairsReference
from huggingface.questions_reference import QuestionsReference, answers_of
from huggingface.tables import read_table
from huggingface.texts_file import read_lines

FOLDER = RESOURCES / "huggingface"


class Words:
    """A tokenizer of words, whose mask is <m>."""

    mask_token, mask_token_id = "<m>", 7

    def __call__(
        self, text: str, _pair: str = "", max_length: int = 100, **_how: Any
    ) -> dict[str, list[int]]:
        return {"input_ids": [7 if word == "<m>" else 1 for word in text.split()][:max_length]}


class Tokens:
    """A tokenizer in lower case, whose words have a space in front of them."""

    unk_token_id = 0
    words = ("?", " rome", "ing")

    def __call__(self, text: str, add_special_tokens: bool) -> dict[str, list[int]]:
        assert not add_special_tokens
        left, ids = text.lower(), []
        while left:
            word = next((one for one in self.words[1:] if left.startswith(one)), None)
            ids.append(0 if word is None else self.words.index(word))
            left = "" if word is None else left[len(word) :]
        return {"input_ids": ids}

    def batch_decode(self, tokens: list[list[int]]) -> list[str]:
        return ["".join(self.words[token] for token in ids) for ids in tokens]


class QuestionsTest(ToolkitCase):
    def test_an_answer_has_the_score_of_its_best_span_of_tokens(self) -> None:
        # [CLS] question [SEP], one word of two tokens, a word; each logit is a logarithm of its probability.
        places = [None, None, None, (0, 4), (0, 4), (5, 8)]
        start = torch.tensor([0.5, 1, 1, 0.125, 0.25, 0.125]).log()
        end = torch.tensor([0.5, 1, 1, 0.0625, 0.1875, 0.25]).log()
        found = answers_of(start, end, places, 0)
        expected = {(0, 4): 0.25 * 0.1875, (0, 8): 0.25 * 0.25, (5, 8): 0.125 * 0.25}
        self.assertEqual(set(found), set(expected))
        for place, score in expected.items():
            self.assertTrue(math.isclose(found[place], score, rel_tol=1e-5), (place, found[place]))
        # Without a token for "no answer" the context has all of the probability.
        self.assertTrue(math.isclose(answers_of(start, end, places, None)[5, 8], 0.125, rel_tol=1e-5))

    def test_an_answer_is_at_most_fifteen_tokens_long(self) -> None:
        places = [(place, place + 1) for place in range(17)]
        found = answers_of(torch.zeros(17), torch.zeros(17), places, None)
        self.assertEqual(max(end - start for start, end in found), 15)

    def test_a_line_is_a_question_a_tab_and_its_context(self) -> None:
        reference = QuestionsReference("question-answering", None, Words(), 4, None)
        file = self.dir / "mine.txt"
        file.write_text("Who?\tI.\n\nWhere?\tHere.\n", encoding="utf-8")
        self.assertEqual(
            reference.read(file),
            [{"QUESTION": "Who?", "CONTEXT": "I."}, {"QUESTION": "Where?", "CONTEXT": "Here."}],
        )
        for wrong in ("Who?", "Who?\t ", "a\tb\tc"):
            file.write_text(f"Who?\tI.\n\n{wrong}\n", encoding="utf-8")
            self.assertRaisesRegex(
                ValueError, "Line 3 of .*mine.txt is not a question, a tab", reference.read, file
            )
        file.write_text("Who?\tI.\nWho is it then?\tI.\n", encoding="utf-8")
        self.assertRaisesRegex(
            ValueError, "question in line 2 of .* has no place in the 4 tokens", reference.read, file
        )
        table = self.dir / "mine.csv"
        table.write_text("question,context,answer\nWho?,I.,I\nWho is it then?,I.,I\n", encoding="utf-8")
        self.assertRaisesRegex(
            ValueError, "question in line 3 of .*mine.csv is so long", reference.read_table, read_table(table)
        )
        whole = QuestionsReference("question-answering", None, Words(), 64, None)
        (first, _) = whole.read_table(read_table(table))
        self.assertEqual(first.truth, {"kind": "answers", "answers": ["I"]})
        self.assertGreater(len(whole.read(FOLDER / "questions.txt")), 16)
        given = reference.lengthened([{"QUESTION": "Who?", "CONTEXT": "I."}], "many words")
        self.assertEqual(given, {"QUESTION": "Who?", "CONTEXT": "many words"})


class PairsTest(ToolkitCase):
    def test_lines_are_texts_or_where_a_tab_parts_them_all_pairs(self) -> None:
        reference = PairsReference.__new__(PairsReference)
        file = self.dir / "mine.txt"
        file.write_text("a\tb\nc\td\n", encoding="utf-8")
        pairs = [{"TEXT": "a", "TEXT_PAIR": "b"}, {"TEXT": "c", "TEXT_PAIR": "d"}]
        self.assertEqual(reference.read(file), pairs)
        self.assertEqual(reference.neighbors(pairs), [])
        self.assertEqual(reference.lengthened(pairs, "x y"), {"TEXT": "a", "TEXT_PAIR": "x y"})
        for other in ("e", "e\t", "e\tf\tg"):
            file.write_text(f"a\tb\n{other}\n", encoding="utf-8")
            self.assertEqual(reference.read(file), ["a\tb", other])
        self.assertEqual(reference.lengthened(["a"], "x y"), "x y")

    def test_texts_are_also_asked_for_with_the_next_one(self) -> None:
        reference = PairsReference.__new__(PairsReference)
        found = reference.neighbors(["a", "b", "c"])
        self.assertEqual(found, [{"TEXT": "a", "TEXT_PAIR": "b"}, {"TEXT": "b", "TEXT_PAIR": "c"}])


class MaskTest(ToolkitCase):
    def reference(self, most: int) -> MaskReference:
        reference = MaskReference.__new__(MaskReference)
        reference._tokenizer, reference._most = Words(), most
        return reference

    def test_a_word_is_masked_by_its_place(self) -> None:
        self.assertEqual(masked("It is, well, so.", 0, "<m>"), "<m> is, well, so.")
        self.assertEqual(masked("It is, well, so.", 6, "<m>"), "It is, <m>, so.")
        # A far word might be cut.
        self.assertEqual(masked("a b c d e f g h i", 8, "<m>"), "<m> b c d e f g h i")
        self.assertEqual(masked("🙂", 3, "<m>"), "<m>")

    def test_texts_of_the_workbench_get_a_mask_and_those_of_others_need_it(self) -> None:
        reference = self.reference(4)
        own = reference.read(FOLDER / "texts.txt")
        self.assertEqual(len(own), len(read_lines(FOLDER / "texts.txt")))
        self.assertTrue(all(str(text).count("<m>") == 1 for text in own), own)
        file = self.dir / "mine.txt"
        file.write_text("a <m> b\n<m>\n", encoding="utf-8")
        self.assertEqual(reference.read(file), ["a <m> b", "<m>"])
        for wrong, count in (("a b", 0), ("<m> <m>", 2), ("a b c d <m>", 0)):
            file.write_text(f"<m>\n\n{wrong}\n", encoding="utf-8")
            says = f"Line 3 of .*mine.txt has the mask token <m> {count} times within its first 4 tokens"
            self.assertRaisesRegex(ValueError, says, reference.read, file)

    def test_a_word_is_a_token_also_behind_a_space_and_in_lower_case(self) -> None:
        reference = MaskReference.__new__(MaskReference)
        reference._tokenizer = Tokens()
        found = [reference._token_of(word) for word in ("Rome", " rome ", "ing", "Romeing", "unknown")]
        self.assertEqual(found, ["rome", "rome", "ing", None, None])

    def test_rows_of_a_table_need_a_mask_and_a_word_that_is_a_token(self) -> None:
        reference = self.reference(4)
        reference._token_of = lambda word: word  # type: ignore[method-assign]
        file = self.dir / "mine.csv"
        file.write_text("text,label\na <m> b,c\n", encoding="utf-8")
        (found,) = reference.read_table(read_table(file))
        self.assertEqual((found.given, found.truth), ("a <m> b", {"kind": "token", "token": "c"}))
        file.write_text("text,label\na b,c\n", encoding="utf-8")
        says = "Line 2 of .*mine.csv has the mask token <m> 0 times"
        self.assertRaisesRegex(ValueError, says, reference.read_table, read_table(file))

    def test_the_text_that_is_cut_has_one_mask(self) -> None:
        self.assertEqual(self.reference(4).lengthened(["a <m>"], "a <m> b <m>"), "a <m> a  b ")

    def test_a_tie_is_one_of_the_best_five_with_one_as_good_behind_it(self) -> None:
        self.assertFalse(is_tied([0.3, 0.2, 0.1, 0.05, 0.04, 0.03]))
        self.assertTrue(is_tied([0.3, 0.2, 0.1, 0.05, 0.03, 0.02999]))
        # Small scores may be near each other, and are still far apart for their size.
        self.assertFalse(is_tied([0.9999, 5e-5, 4e-5, 3e-5, 2e-5, 1e-5]))


if __name__ == "__main__":
    unittest.main()
