"""The workbench that started this process: ahead of the verb that it will ask for, and to be outlived by no verb."""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import signal
import sys
from pathlib import Path

from .errors import ToolkitError
from .keras_model import import_tensorflow

_CHILD_OF = "TRITON_WORKBENCH_CHILD_OF"
_PR_SET_PDEATHSIG = 1


def end_with_workbench() -> None:
    """Has the kernel end this process when the workbench that started it is gone, however that ended."""
    workbench = os.environ.get(_CHILD_OF, "").split(".")[0]
    if not workbench.isdigit():
        return
    if os.getppid() == int(workbench):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    # It may have ended before this.
    if os.getppid() != int(workbench) and not Path("/proc", workbench).exists():
        os._exit(1)


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
    # Imports make a million objects and no garbage: looking for some again and again is a tenth of their time.
    gc.disable()
    for name in packages:
        _import(name)
    gc.freeze()
    gc.enable()
    line = sys.stdin.readline()
    if not line:
        return None
    # From here on as any other verb: nothing to read.
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    return [str(word) for word in json.loads(line)]
