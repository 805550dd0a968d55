"""What the tests share: the toolkit as a process, and a small model folder with a dimension that varies."""

from __future__ import annotations

import atexit
import importlib
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, NamedTuple, Optional

from toolkit.errors import ToolkitError, as_toolkit_error
from toolkit.options import Parser
from toolkit.report import Report

RESOURCES = Path(__file__).resolve().parents[2] / "resources"
RESNET50 = RESOURCES / "models" / "resnet50"
TFT = RESOURCES / "models" / "tft"

#: What a folder says itself, called directly or through the toolkit.
REFUSAL = (ValueError, ToolkitError)

#: Small enough for a test, and yet the real model, loader and metrics.
SMALL_RESNET = {
    "blocks": "1,1,1,1",
    "width": "4",
    "classes": "10",
    "image_size": "32",
    "dataset_image_size": "40",
    "train_images": "0",
    "val_images": "1",
}

_TOY = {
    "model.py": """
import torch
from torch import nn


class Toy(nn.Module):
    def __init__(self, scale: float) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.full((1,), scale))

    def forward(self, values: torch.Tensor, flags: torch.Tensor):
        return values * self.scale, (values * flags.unsqueeze(1).to(values.dtype)).sum(dim=1)


def get_model(scale: float = 2.0):
    return Toy(scale), {"inputs": ["VALUES__0", "FLAGS__1"], "outputs": ["SCALED__0", "SUM__1"]}
""",
    "dataloader.py": """
import numpy as np


def get_dataloader_fn(batch_size: int = 2, samples: int = 5, precision: str = "fp32", nan_at: int = -1):
    dtype = np.float16 if precision == "fp16" else np.float32

    def batches():
        for start in range(0, samples, batch_size):
            count = min(batch_size, samples - start)
            values = np.arange(count * (3 + start), dtype=dtype).reshape(count, 3 + start)
            if start <= nan_at < start + count:
                values[nan_at - start, 0] = np.nan
            flags = (np.arange(start, start + count) % 2).astype(np.int64)
            ids = [f"s{i}" for i in range(start, start + count)]
            yield ids, {"VALUES__0": values, "FLAGS__1": flags}, {"SUM__1": flags}

    return batches
""",
    "metrics.py": """
class MetricsCalculator:
    def __init__(self, name: str = "zeros"):
        self.name = name

    def calc(self, *, ids, y_pred, x, y_real):
        return {self.name: float((y_pred["SUM__1"][y_real["SUM__1"] == 0] == 0).mean())}
""",
}


def write_toy(folder: Path) -> Path:
    """Inputs VALUES__0 [batch, varying] and FLAGS__1 [batch]; outputs SCALED__0 [batch, varying] and SUM__1 [batch]."""
    folder.mkdir(parents=True)
    for name, text in _TOY.items():
        (folder / name).write_text(text)
    return folder


class Ended(NamedTuple):
    code: int
    lines: list[dict[str, Any]]
    stderr: str

    @property
    def last(self) -> dict[str, Any]:
        return self.lines[-1]

    def of_type(self, kind: str) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["type"] == kind]


def toolkit_environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(RESOURCES), "PYTHONDONTWRITEBYTECODE": "1"}


class _VerbServer:
    """Started at the first verb of a file of tests; ends with it, as its stdin does."""

    _instance: Optional[_VerbServer] = None

    def __init__(self) -> None:
        read, answers = os.pipe()
        command = [sys.executable, str(Path(__file__).with_name("verb_server.py")), str(answers)]
        # Each verb has the environment of its caller; here it is only for what is imported.
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, pass_fds=[answers], env=toolkit_environment(), text=True
        )
        os.close(answers)
        self._answer = os.fdopen(read)
        atexit.register(self._end)

    @classmethod
    def get(cls) -> _VerbServer:
        cls._instance = cls._instance or cls()
        return cls._instance

    def run(self, request: dict[str, Any]) -> int:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return int(self._answer.readline())

    def _end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._answer.close()
        self._process.wait()


def toolkit(*arguments: object) -> Ended:
    """Runs one verb to its end, in a process of its own; every line of stdout must be JSON."""
    with tempfile.TemporaryDirectory() as folder:
        stdout, stderr = Path(folder, "stdout"), Path(folder, "stderr")
        code = _VerbServer.get().run(
            {
                "arguments": [str(argument) for argument in arguments],
                "environment": toolkit_environment(),
                "folder": str(Path.cwd()),
                "stdout": str(stdout),
                "stderr": str(stderr),
            }
        )
        lines = stdout.read_text("utf-8").splitlines()
        return Ended(code, [json.loads(line) for line in lines], stderr.read_text("utf-8"))


def run_verb(verb: str, *flags: object) -> dict[str, Any]:
    """In this process: a process of its own takes seconds to load PyTorch."""
    module = importlib.import_module(f"toolkit.verbs.{verb.replace('-', '_')}")
    parser = Parser(prog=verb, allow_abbrev=False)
    module.add_arguments(parser)
    with Path(os.devnull).open("wb") as nowhere:
        report = Report(nowhere.fileno())
        result: dict[str, Any] = module.run(parser.parse_args([str(flag) for flag in flags]), report)
    return result


def failure(verb: str, *flags: object) -> ToolkitError:
    try:
        run_verb(verb, *flags)
    except Exception as error:
        return as_toolkit_error(error)
    raise AssertionError(f"{verb} did not fail")


def spoken(error: ToolkitError) -> str:
    return "\n".join(part for part in (error.message, error.where, error.remedy) if part is not None)


def resnet_flags(**changes: str) -> list[str]:
    """Flags of the small ResNet."""
    given = {**SMALL_RESNET, **changes}
    return ["--model-dir", str(RESNET50), *(f"--arg={name}={value}" for name, value in given.items())]


class ToolkitCase(unittest.TestCase):
    """A folder for each test, and an assertion about errors."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)

    def ok(self, *arguments: object) -> dict[str, Any]:
        """The result of a verb that must succeed."""
        ended = toolkit(*arguments)
        self.assertEqual(
            (ended.code, ended.last["type"]), (0, "result"), f"{ended.lines[-1:]}\n{ended.stderr}"
        )
        return ended.last

    def refused(self, code: str, *arguments: object) -> dict[str, Any]:
        """The error of a verb that must fail."""
        ended = toolkit(*arguments)
        self.assertEqual((ended.code, ended.last["type"]), (1, "error"), f"{ended.lines}\n{ended.stderr}")
        self.assertEqual(ended.last["code"], code, ended.last)
        return ended.last
