"""An interpreter started ahead: imports what the next verb will want, then waits for that verb on stdin."""

from __future__ import annotations

import importlib
import json
import os
import sys

from .errors import ToolkitError
from .keras_model import import_tensorflow


def _import(name: str) -> None:
    try:
        importlib.import_module("torch" if name == "framework" else name)
    except ImportError:
        # The verb itself says what it lacks.
        if name == "framework":
            try:
                import_tensorflow()
            except ToolkitError:
                return


def wait_for_verb(packages: list[str]) -> list[str] | None:
    """The verb and its arguments, a JSON list on one line of stdin; None when whoever started this is gone."""
    for name in packages:
        _import(name)
    line = sys.stdin.readline()
    if not line:
        return None
    # From here on as any other verb: nothing to read.
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    return [str(word) for word in json.loads(line)]
