"""Compares printed documents with the schemas of a folder, as Python's jsonschema reads them."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator


def patterns(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("pattern"), str):
            yield node["pattern"]
        for inner in node.values():
            yield from patterns(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from patterns(inner)


def main(folder: Path, printed: Path) -> int:
    for path in sorted(folder.glob("*.json")):
        schema = json.loads(path.read_text(encoding="utf-8"))
        Draft202012Validator.check_schema(schema)
        for pattern in patterns(schema):
            re.compile(pattern)
    bundle = json.loads((folder / "json.schema.json").read_text(encoding="utf-8"))
    documents = json.loads(printed.read_text(encoding="utf-8"))
    for one in documents:
        of_verb = {"$defs": bundle["$defs"], "$ref": f"#/$defs/{one['schema']}"}
        for error in Draft202012Validator(of_verb).iter_errors(one["document"]):
            sys.stderr.write(f"{one['schema']}: {error.json_path}: {error.message[:200]}\n")
            return 1
    sys.stdout.write(f"{len(documents)} documents of their schemas\n")
    return 0


sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
