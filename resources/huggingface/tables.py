"""Tables of samples: CSV with a header line, and JSON lines."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Optional

from toolkit.errors import ToolkitError

from .texts_file import MOST_TEXTS

#: Of the file of a table.
MOST_BYTES = 64 * 2**20
ENDINGS = (".csv", ".jsonl")
_JSON_LINES = ".jsonl"
#: Names in a message.
_MOST_NAMED = 20
_MOST_SHOWN = 200


class Row(NamedTuple):
    #: From 1; of a row over several lines the last one.
    line: int
    fields: Mapping[str, Any]


class Table(NamedTuple):
    path: Path
    #: The first ones.
    rows: Sequence[Row]
    #: Rows behind them.
    left_out: int

    @property
    def is_json(self) -> bool:
        return self.path.suffix.lower() == _JSON_LINES

    @property
    def noun(self) -> str:
        """What a part of a row is called."""
        return "field" if self.is_json else "column"

    def has(self, name: str) -> bool:
        """Whether any row has it."""
        return any(name in row.fields for row in self.rows)


def listed(names: Sequence[str]) -> str:
    """ "a, b", or "a, b and 40 more"."""
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def refused(path: Path, message: str, remedy: str, line: Optional[int] = None) -> ToolkitError:
    """input-invalid, of a file or of a line in it."""
    place = path.name if line is None else f"Line {line} of {path.name}"
    where = str(path) if line is None else f"{path}, line {line}"
    return ToolkitError("input-invalid", f"{place} {message}", where=where, remedy=remedy)


def shown(value: object) -> str:
    """As it is written in JSON, of a part of a row."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def is_table(path: Path) -> bool:
    """By the ending of its name."""
    return path.suffix.lower() in ENDINGS


def _text(path: Path) -> str:
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise refused(path, f"has {size} bytes, at most {MOST_BYTES} are read", "Keep fewer rows.")
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise refused(path, "is not a text in UTF-8", "Save it in UTF-8.") from error


def _csv_rows(path: Path, text: str) -> Iterator[Row]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    remedy = "Write a header line with the names of the columns; put values that have commas or line ends into quotes."
    header: Optional[list[str]] = None
    try:
        for values in reader:
            if values == []:
                continue
            if header is None:
                header = [name.strip() for name in values]
                if len(set(header)) != len(header):
                    raise refused(
                        path,
                        f"names a column twice: {listed(header)}",
                        "Give each column its own name.",
                        reader.line_num,
                    )
            elif len(values) != len(header):
                found = f"has {len(values)} values, and the header line {len(header)} columns"
                raise refused(path, found, remedy, reader.line_num)
            else:
                yield Row(reader.line_num, dict(zip(header, values)))
    except csv.Error as error:
        raise refused(path, f"is not CSV: {error}", remedy, reader.line_num) from error


def _json_rows(path: Path, text: str) -> Iterator[Row]:
    # Only a line feed ends a line of JSON: texts may have the other ends of lines that Python knows.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() == "":
            continue
        try:
            fields = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise refused(path, f"is not JSON: {error}", "Write one JSON object per line.", number) from error
        if not isinstance(fields, dict):
            raise refused(path, "is not a JSON object", 'Write it as {"text": "…", "label": "…"}.', number)
        yield Row(number, fields)


def read_table(path: Path, most: int = MOST_TEXTS) -> Table:
    """The first `most` rows; the others are only counted. Throws input-invalid, which names the line."""
    text = _text(path)
    rows: list[Row] = []
    left_out = 0
    for row in (_json_rows if path.suffix.lower() == _JSON_LINES else _csv_rows)(path, text):
        if len(rows) < most:
            rows.append(row)
        else:
            left_out += 1
    if not rows:
        raise refused(path, "has no rows", "Write one sample per row, behind the header line of a CSV file.")
    return Table(path, rows, left_out)


def text_of(table: Table, row: Row, name: str) -> str:
    """A text that is not blank. Throws input-invalid."""
    remedy = f"Give each row a {table.noun} {name} with a text."
    if name not in row.fields:
        there = listed(list(row.fields)) or "nothing"
        line = row.line if table.is_json else None
        raise refused(table.path, f"has no {table.noun} {name}; it has {there}", remedy, line)
    value = row.fields[name]
    if not isinstance(value, str) or value.strip() == "":
        what = "an empty" if isinstance(value, str) else "no text in the"
        raise refused(table.path, f"has {what} {table.noun} {name}", remedy, row.line)
    return value


def label_named(given: object, names: Sequence[str]) -> Optional[str]:
    """By its name, or else by its number; None for one that the model does not have."""
    if isinstance(given, bool) or not isinstance(given, (str, int)):
        return None
    text = str(given).strip()
    if text in names:
        return text
    is_number = text.isascii() and text.isdigit()
    return names[int(text)] if is_number and int(text) < len(names) else None


def label_of(table: Table, row: Row, given: object, names: Sequence[str]) -> str:
    """Of the model. Throws input-invalid, which names both."""
    label = label_named(given, names)
    if label is None:
        raise refused(
            table.path,
            f"has the label {shown(given)}, which the model does not have: its labels are {listed(names)}",
            "Write the labels as config.json has them (id2label), or their numbers.",
            row.line,
        )
    return label


def value_of(table: Table, row: Row, name: str) -> Any:
    """Of a labeled file: each row has it. Throws input-invalid."""
    value = row.fields.get(name)
    if value is None or value == "":
        raise refused(
            table.path,
            f"has no {name}, which other rows have" if table.is_json else f"has an empty column {name}",
            f"Give each row its {name}, or leave the {table.noun} out of all.",
            row.line,
        )
    return value
