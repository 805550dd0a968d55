"""Samples of a table as the references of texts ask for them, with what is true of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional, Union

from .tables import (
    Row,
    Table,
    is_table,
    label_named,
    label_of,
    listed,
    read_table,
    refused,
    shown,
    text_of,
    value_of,
)
from .texts_file import read_texts

#: As a golden file has it: "kind" says which figures are computed of it.
Truth = Mapping[str, Any]
Given = Union[str, Mapping[str, str]]


class Labeled(NamedTuple):
    given: Given
    #: None: the table has no labels.
    truth: Optional[Truth]


def plain_texts(table: Table) -> list[Labeled]:
    """The field `text` of each row; labels are left aside."""
    return [Labeled(text_of(table, row, "text"), None) for row in table.rows]


def texts_of(path: Path) -> list[str]:
    """One text per line, or those of a table. Raises as `read_lines`, throws as `read_table`."""
    if not is_table(path):
        return read_texts(path)
    table = read_table(path)
    return [text_of(table, row, "text") for row in table.rows]


def _pair(table: Table, row: Row) -> Mapping[str, str]:
    return {"TEXT": text_of(table, row, "text"), "TEXT_PAIR": text_of(table, row, "text_pair")}


def classes(table: Table, names: Sequence[str], takes_pairs: bool) -> list[Labeled]:
    """`text`, `label` and, in each row or in none, `text_pair`. `names`: labels of the model by their numbers."""
    pairs, labels = table.has("text_pair"), table.has("label")
    if pairs and not takes_pairs:
        raise refused(
            table.path,
            f"has a {table.noun} text_pair, and the model takes single texts",
            "Leave text_pair out.",
        )
    if labels and len(names) < 2:
        raise refused(
            table.path,
            f"has labels, and the model has only one, {listed(names)}, whose score is its answer",
            f"Leave the {table.noun} label out: accuracy applies to a model with several labels.",
        )
    found = []
    for row in table.rows:
        given = _pair(table, row) if pairs else text_of(table, row, "text")
        truth = (
            {"kind": "label", "label": label_of(table, row, value_of(table, row, "label"), names)}
            if labels
            else None
        )
        found.append(Labeled(given, truth))
    return found


def tag_of(label: str) -> str:
    """Without the prefix that says whether a span begins."""
    return label[2:] if label[:2] in ("B-", "I-") else label


def _entity(table: Table, row: Row, entity: object, length: int, names: Sequence[str]) -> Mapping[str, Any]:
    if not isinstance(entity, dict):
        raise refused(
            table.path,
            f"has the entity {shown(entity)}, which is not an object",
            'Write entities as [{"start": 0, "end": 4, "label": "PER"}].',
            row.line,
        )
    start: Any = entity.get("start")
    end: Any = entity.get("end")
    places = [isinstance(place, int) and not isinstance(place, bool) for place in (start, end)]
    if not all(places) or not 0 <= start < end <= length:
        raise refused(
            table.path,
            f"has an entity from {start} to {end}, which is not a part of its text of {length} characters",
            "Give start and end as character positions from 0; end is behind the last character.",
            row.line,
        )
    tags = [tag_of(name) for name in names]
    label = entity.get("label")
    known = label_named(label, names) or label_named(label, tags)
    tag = None if known is None else tag_of(known)
    if tag is None or tag == "O":
        raise refused(
            table.path,
            f"has an entity with the label {shown(label)}, which the model does not have: its labels are "
            f"{listed([tag for tag in dict.fromkeys(tags) if tag != 'O'])}",
            "Write the labels as config.json has them (id2label), with or without B- and I-, or their numbers.",
            row.line,
        )
    return {"start": start, "end": end, "label": tag}


def entities(table: Table, names: Sequence[str]) -> list[Labeled]:
    """`text` and `entities`, a list of spans in characters; only JSON lines have these."""
    is_labeled = table.has("entities")
    if is_labeled and not table.is_json:
        raise refused(
            table.path,
            "has a column entities, which CSV has no form for",
            'Write a .jsonl file with lines of {"text": "…", "entities": [{"start": 0, "end": 4, "label": "PER"}]}.',
        )
    found = []
    for row in table.rows:
        text = text_of(table, row, "text")
        if not is_labeled:
            found.append(Labeled(text, None))
            continue
        given = value_of(table, row, "entities")
        if not isinstance(given, list):
            raise refused(
                table.path,
                "has entities that are not a list",
                "Write a list, [] for a text without entities.",
                row.line,
            )
        spans = [_entity(table, row, entity, len(text), names) for entity in given]
        found.append(Labeled(text, {"kind": "entities", "entities": spans}))
    return found


def _answers(table: Table, row: Row, name: str) -> list[str]:
    given = value_of(table, row, name)
    if isinstance(given, dict):
        # As the hub stores SQuAD.
        given = given.get("text")
    answers = [given] if isinstance(given, str) else given
    is_list = isinstance(answers, list) and all(isinstance(answer, str) for answer in answers)
    if not is_list or answers == [] or any(answer.strip() == "" for answer in answers):
        raise refused(
            table.path,
            f"has no text in its {name}",
            "Give one answer, or several that are right. Leave out questions without one: the pipeline always answers.",
            row.line,
        )
    return answers


def questions(
    table: Table, check: Callable[[str, str], None] = lambda _question, _place: None
) -> list[Labeled]:
    """`question`, `context`, and `answers` or `answer`. `check` takes a question, and what to call it in an error."""
    name = next((one for one in ("answers", "answer") if table.has(one)), None)
    found = []
    for row in table.rows:
        given = {
            "QUESTION": text_of(table, row, "question"),
            "CONTEXT": text_of(table, row, "context"),
        }
        check(given["QUESTION"], f"line {row.line} of {table.path}")
        truth = None if name is None else {"kind": "answers", "answers": _answers(table, row, name)}
        found.append(Labeled(given, truth))
    return found


def masks(
    table: Table, check: Callable[[str, str], None], token_of: Callable[[str], Optional[str]]
) -> list[Labeled]:
    """`text` with a mask token, and `label`, its word. `token_of` gives the token of a word; None where it has none."""
    is_labeled = table.has("label")
    found = []
    for row in table.rows:
        text = text_of(table, row, "text")
        check(text, f"Line {row.line} of {table.path}")
        if not is_labeled:
            found.append(Labeled(text, None))
            continue
        word = value_of(table, row, "label")
        token = token_of(word) if isinstance(word, str) else None
        if token is None:
            raise refused(
                table.path,
                f"has the label {shown(word)}, which is not one token of the model, as a mask is",
                "Give a word that the tokenizer of the folder keeps whole.",
                row.line,
            )
        found.append(Labeled(text, {"kind": "token", "token": token}))
    return found
