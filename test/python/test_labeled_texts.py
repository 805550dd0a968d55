"""Tables of samples, and what is true of each: read as a person writes them, or refused with line and remedy."""

from __future__ import annotations

import json
import unittest
from pathlib import Path
from typing import Any, Optional

from support import ToolkitCase

from huggingface.labeled_texts import classes, entities, masks, plain_texts, questions, texts_of
from huggingface.tables import Table, is_table, label_named, read_table
from huggingface.text_samples import Answer, samples_of
from toolkit.errors import ToolkitError


class TableCase(ToolkitCase):
    def put(self, name: str, content: str) -> Path:
        path = self.dir / name
        path.write_text(content, encoding="utf-8", newline="")
        return path

    def table(self, name: str, content: str) -> Table:
        return read_table(self.put(name, content))

    def lines(self, *rows: Any) -> Table:
        return self.table("mine.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))

    def refusal(self, message: str, call: Any, *given: Any) -> ToolkitError:
        with self.assertRaisesRegex(ToolkitError, message) as caught:
            call(*given)
        self.assertEqual(caught.exception.code, "input-invalid")
        self.assertTrue(caught.exception.remedy)
        return caught.exception


class TablesTest(TableCase):
    def test_csv_has_quotes_commas_line_ends_and_a_byte_order_mark(self) -> None:
        table = self.table("mine.CSV", '\ufefftext,label\r\n"a, ""b""",x\r\n\r\n"two\nlines",y\r\n')
        self.assertEqual([row.line for row in table.rows], [2, 5])
        self.assertEqual(table.rows[0].fields, {"text": 'a, "b"', "label": "x"})
        self.assertEqual(table.rows[1].fields["text"], "two\nlines")
        self.assertEqual((table.left_out, table.is_json, table.noun), (0, False, "column"))

    def test_json_lines_are_objects_and_end_with_a_line_feed_only(self) -> None:
        table = self.table("mine.jsonl", '{"text": "a\u2028b", "label": 1}\r\n\n{"text": "c"}')
        self.assertEqual([(row.line, row.fields["text"]) for row in table.rows], [(1, "a\u2028b"), (3, "c")])
        self.assertEqual((table.is_json, table.has("label"), table.has("other")), (True, True, False))

    def test_at_most_256_rows_are_used_and_the_others_are_counted(self) -> None:
        table = self.table("mine.csv", "text\n" + "a\n" * 300)
        self.assertEqual((len(table.rows), table.left_out), (256, 44))

    def test_files_that_are_no_tables_are_refused_by_line(self) -> None:
        cases = [
            ("a.csv", "text,label\na,x,y\n", "Line 2 of a.csv has 3 values, and the header line 2 columns"),
            ("a.csv", 'text\n"open\n', "is not CSV: unexpected end of data"),
            ("a.csv", "text,text\na,b\n", "Line 1 of a.csv names a column twice: text, text"),
            ("a.csv", "text,label\n\n", "a.csv has no rows"),
            ("a.csv", "", "a.csv has no rows"),
            ("a.jsonl", '{"text": "a"}\n{"text": \n', "Line 2 of a.jsonl is not JSON"),
            ("a.jsonl", '["a"]\n', "Line 1 of a.jsonl is not a JSON object"),
            ("a.jsonl", "[" * 100_000, "Line 1 of a.jsonl is not JSON"),
            ("a.jsonl", "\n\n", "a.jsonl has no rows"),
        ]
        for name, content, message in cases:
            with self.subTest(message):
                self.refusal(message, self.table, name, content)
        path = self.dir / "b.csv"
        path.write_bytes(b"text\n\xff\n")
        self.refusal("b.csv is not a text in UTF-8", read_table, path)
        with path.open("wb") as file:
            file.truncate(64 * 2**20 + 1)
        self.refusal("at most 67108864 are read", read_table, path)

    def test_a_table_is_known_by_its_ending(self) -> None:
        names = ["a.csv", "a.JSONL", "a.txt", "csv", "a.json"]
        self.assertEqual([is_table(Path(name)) for name in names], [True, True, False, False, False])

    def test_prompts_are_lines_or_texts_of_a_table(self) -> None:
        self.assertEqual(texts_of(self.put("a.txt", "text\na b\n")), ["text", "a b"])
        self.assertEqual(texts_of(self.put("a.csv", "id,text\n1,a b\n")), ["a b"])

    def test_a_label_is_a_name_or_a_number(self) -> None:
        names = ["ham", "spam", "0"]
        given = ["spam", " ham ", 1, "1", "0", 0, 3, "3", -1, True, 1.0, None, "²", ["ham"]]
        found = ["spam", "ham", "spam", "spam", "0", "0", None, None, None, None, None, None, None, None]
        # "0" is a name here, and 0 is written like it.
        self.assertEqual([label_named(one, names) for one in given], found)


class ClassesTest(TableCase):
    NAMES = ("ham", "spam")

    def test_texts_have_their_labels(self) -> None:
        found = classes(self.table("a.csv", "id,text,label\n1,a,spam\n2,b,0\n"), self.NAMES, True)
        self.assertEqual([one.given for one in found], ["a", "b"])
        truths = [{"kind": "label", "label": "spam"}, {"kind": "label", "label": "ham"}]
        self.assertEqual([one.truth for one in found], truths)

    def test_without_labels_they_are_texts_only(self) -> None:
        found = classes(self.lines({"text": "a"}, {"text": "b", "other": 1}), self.NAMES, True)
        self.assertEqual([(one.given, one.truth) for one in found], [("a", None), ("b", None)])
        self.assertEqual(classes(self.lines({"text": "a"}), ["LABEL_0"], True)[0].truth, None)

    def test_pairs_have_a_second_text(self) -> None:
        table = self.table("a.csv", "text,text_pair,label\na,b,spam\n")
        found = classes(table, self.NAMES, True)
        self.assertEqual(found[0].given, {"TEXT": "a", "TEXT_PAIR": "b"})
        self.assertEqual(found[0].truth, {"kind": "label", "label": "spam"})
        self.refusal("a.csv has a column text_pair, and the model takes", classes, table, self.NAMES, False)

    def test_what_does_not_fit_is_refused_by_line(self) -> None:
        cases: list[tuple[Table, str]] = [
            (
                self.table("a.csv", "text,label\na,spam\nb,eggs\n"),
                'Line 3 of a.csv has the label "eggs", which the model does not have: its labels are ham, spam',
            ),
            (self.lines({"text": "a", "label": 2}), "Line 1 of mine.jsonl has the label 2, which the model"),
            (
                self.table("b.csv", "sentence,label\na,spam\n"),
                "b.csv has no column text; it has sentence, label",
            ),
            (self.table("c.csv", "text,label\n ,spam\n"), "Line 2 of c.csv has an empty column text"),
            (self.table("d.csv", "text,label\na,\n"), "Line 2 of d.csv has an empty column label"),
        ]
        for table, message in cases:
            with self.subTest(message):
                self.refusal(message, classes, table, self.NAMES, True)
        lacking = self.lines({"text": "a", "label": "ham"}, {"text": "b"})
        error = self.refusal("Line 2 of mine.jsonl has no label", classes, lacking, self.NAMES, True)
        self.assertTrue(str(error.where).endswith("mine.jsonl, line 2"), error.where)
        mixed = self.lines({"text": "a", "text_pair": "b"}, {"text": "c"})
        self.refusal("Line 2 of mine.jsonl has no field text_pair", classes, mixed, self.NAMES, True)
        self.refusal("no text in the field text", classes, self.lines({"text": 1}), self.NAMES, True)
        one = self.table("e.csv", "text,label\na,LABEL_0\n")
        self.refusal("the model has only one, LABEL_0", classes, one, ["LABEL_0"], True)

    def test_vectors_leave_labels_aside(self) -> None:
        found = plain_texts(self.lines({"text": "a", "label": "x"}))
        self.assertEqual([(one.given, one.truth) for one in found], [("a", None)])


class EntitiesTest(TableCase):
    NAMES = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")

    def test_spans_have_labels_without_their_prefix(self) -> None:
        spans = [
            {"start": 0, "end": 3, "label": "PER"},
            {"start": 8, "end": 12, "label": "I-LOC"},
            {"start": 8, "end": 9, "label": 1},
        ]
        (found, nothing) = entities(
            self.lines({"text": "Ann saw Rome", "entities": spans}, {"text": "x", "entities": []}), self.NAMES
        )
        self.assertEqual(
            found.truth,
            {
                "kind": "entities",
                "entities": [
                    {"start": 0, "end": 3, "label": "PER"},
                    {"start": 8, "end": 12, "label": "LOC"},
                    {"start": 8, "end": 9, "label": "PER"},
                ],
            },
        )
        self.assertEqual(nothing.truth, {"kind": "entities", "entities": []})
        self.assertEqual(entities(self.table("a.csv", "text\nx\n"), self.NAMES)[0].truth, None)

    def test_what_does_not_fit_is_refused_by_line(self) -> None:
        def line(**entity: Any) -> Table:
            return self.lines({"text": "Ann", "entities": [entity]})

        cases = [
            (
                line(start=0, end=4, label="PER"),
                "from 0 to 4, which is not a part of its text of 3 characters",
            ),
            (line(start=2, end=2, label="PER"), "from 2 to 2"),
            (line(start="0", end=2, label="PER"), "from 0 to 2"),
            (line(start=0, end=2), "label null, which the model does not have: its labels are PER, LOC"),
            (line(start=0, end=2, label="O"), 'label "O", which the model does not have'),
            (self.lines({"text": "Ann", "entities": ["Ann"]}), 'the entity "Ann", which is not an object'),
            (self.lines({"text": "Ann", "entities": {}}), "has entities that are not a list"),
            (
                self.lines({"text": "a", "entities": []}, {"text": "b"}),
                "Line 2 of mine.jsonl has no entities",
            ),
            (self.table("a.csv", "text,entities\na,[]\n"), "a column entities, which CSV has no form for"),
        ]
        for table, message in cases:
            with self.subTest(message):
                self.refusal(message, entities, table, self.NAMES)


class QuestionsTest(TableCase):
    def test_answers_are_one_or_several(self) -> None:
        rows: list[dict[str, Any]] = [
            {"question": "q", "context": "c", "answers": "one"},
            {"question": "q", "context": "c", "answers": ["one", "two"]},
            {"question": "q", "context": "c", "answers": {"text": ["three"], "answer_start": [0]}},
        ]
        found = questions(self.lines(*rows))
        self.assertEqual(found[0].given, {"QUESTION": "q", "CONTEXT": "c"})
        answers = [one.truth and one.truth["answers"] for one in found]
        self.assertEqual(answers, [["one"], ["one", "two"], ["three"]])
        table = self.table("a.csv", "question,context,answer\nq,c,one\n")
        self.assertEqual(questions(table)[0].truth, {"kind": "answers", "answers": ["one"]})
        self.assertEqual(questions(self.table("a.csv", "question,context\nq,c\n"))[0].truth, None)

    def test_what_does_not_fit_is_refused_by_line(self) -> None:
        def line(answers: Any) -> Table:
            return self.lines({"question": "q", "context": "c", "answers": answers})

        wrong: list[Any] = [[], [1], ["a", " "], 3, {"text": []}, {}]
        for answers in wrong:
            with self.subTest(answers=answers):
                self.refusal("Line 1 of mine.jsonl has no text in its answers", questions, line(answers))
        self.refusal("has no column context", questions, self.table("a.csv", "question,answer\nq,a\n"))

        def check(question: str, place: str) -> None:
            raise ValueError(f"{question} in {place}")

        with self.assertRaisesRegex(ValueError, r"q in line 2 of .*a\.csv"):
            questions(self.table("a.csv", "question,context\nq,c\n"), check)


class MasksTest(TableCase):
    @staticmethod
    def token_of(word: str) -> Optional[str]:
        return word.lower() if len(word) < 5 else None

    def test_a_label_is_a_token(self) -> None:
        seen = []
        table = self.table("a.csv", "text,label\na <m>,Word\n")
        found = masks(table, lambda text, place: seen.append((text, place)), self.token_of)
        self.assertEqual(found[0].truth, {"kind": "token", "token": "word"})
        self.assertEqual([(text, place.startswith("Line 2 of ")) for text, place in seen], [("a <m>", True)])
        without = masks(self.table("a.csv", "text\na <m>\n"), lambda _text, _place: None, self.token_of)
        self.assertEqual(without[0].truth, None)
        several = self.table("b.csv", "text,label\na <m>,several\n")
        message = 'Line 2 of b.csv has the label "several", which is not one token'
        self.refusal(message, masks, several, lambda _text, _place: None, self.token_of)


class SamplesTest(unittest.TestCase):
    def test_each_text_by_itself_has_its_truth_and_a_tie_its_answer(self) -> None:
        texts = ["a", "bb", "ccc"]
        answers = [
            Answer({"LABEL": ["x"], "SCORE": [0.5], "TRUNCATED": [False]}, tied=text == "bb")
            for text in texts
        ]
        truths = [{"kind": "label", "label": text} for text in texts[:2]]
        found = {one["id"]: one for one in samples_of(texts, answers, 2, truths=truths)}
        self.assertEqual([found["text 0"].get("truth"), found["text 1"].get("truth")], truths)
        self.assertEqual([name for name, one in found.items() if "truth" in one], ["text 0", "text 1"])
        self.assertNotIn("notCompared", found["text 0"])
        tie = found["text 1"]
        self.assertEqual([one["name"] for one in tie["outputs"]], ["TRUNCATED"])
        self.assertEqual([one["name"] for one in tie["notCompared"]], ["LABEL", "SCORE"])
        plain = samples_of(texts, answers, 2)
        self.assertFalse(any("truth" in one or "notCompared" in one for one in plain))


if __name__ == "__main__":
    unittest.main()
