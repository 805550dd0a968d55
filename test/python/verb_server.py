"""Runs verbs of the toolkit, each in a process of its own that has what the toolkit imports already.

Importing PyTorch takes longer than most verbs. `python verb_server.py FD` reads verbs from stdin, a line of JSON each,
and writes their exit codes to FD, a line each.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
import tempfile
from typing import Any, NoReturn

#: Of these none starts a thread when it is imported: threads would not be there after a fork.
_PACKAGES = ("numpy", "torch", "onnx", "onnxruntime", "tritonclient.grpc", "tritonclient.http")


def _run_verb(request: dict[str, Any]) -> NoReturn:
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    # Of the environment of this process.
    tempfile.tempdir = None
    # As `python -m` has it.
    sys.path[0] = request["folder"]
    for number, path in ((1, request["stdout"]), (2, request["stderr"])):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(file, number)
        os.close(file)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    sys.argv = ["toolkit", *request["arguments"]]
    importlib.import_module("toolkit.__main__").main()
    os._exit(0)


def _serve(answers: int) -> None:
    for name in _PACKAGES:
        importlib.import_module(name)
    gc.freeze()
    for line in iter(sys.stdin.readline, ""):
        child = os.fork()
        if child == 0:
            os.close(answers)
            _run_verb(json.loads(line))
        _, status = os.waitpid(child, 0)
        os.write(answers, f"{os.waitstatus_to_exitcode(status)}\n".encode())


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
