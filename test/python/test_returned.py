"""Models whose forward names what it returns: exported in every format, and the keys said where names do not fit."""

from __future__ import annotations

import collections
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch
from support import ToolkitCase, failure, run_verb, spoken

from toolkit.keras_model import _by_name
from toolkit.returned import plain_module, returned
from toolkit.runners import OnnxRunner, TorchScriptRunner

_MODEL = """
import collections
import warnings
from dataclasses import dataclass
from typing import NamedTuple, Optional

import torch
from torch import nn

{types}

class Body(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 3)

    def forward(self, ids, mask):
        logits = self.head(ids * mask)
        probs = logits.softmax(-1)
        return {value}


def get_model():
    return Body(), {{"inputs": ["ids", "mask"], "outputs": {outputs}}}
"""
_LOADER = """
import numpy as np


def get_dataloader_fn(batch_size: int = 2):
    def batches():
        generator = np.random.default_rng(0)
        for start in range(0, 4, batch_size):
            x = {name: generator.random((batch_size, 4)).astype(np.float32) for name in ("ids", "mask")}
            yield [f"s{start + i}" for i in range(batch_size)], x, {}

    return batches
"""
_METRICS = "class MetricsCalculator:\n    def calc(self, *, ids, y_pred, x, y_real):\n        return {}\n"

_SEVERAL = "['probs', 'logits']"
#: What it returns: the types it needs, the value, the names, and whether TorchScript's compiler takes it.
KINDS: dict[str, tuple[str, str, str, bool]] = {
    "a dict with more keys than outputs, in another order": (
        "",
        '{"logits": logits, "hidden": ids, "probs": probs}',
        _SEVERAL,
        True,
    ),
    "a dict with one of its keys": ("", '{"logits": logits, "probs": probs}', "['probs']", True),
    "a dataclass": (
        "@dataclass\nclass Out:\n    logits: torch.Tensor\n    probs: torch.Tensor\n    loss: Optional[float] = None\n",
        "Out(logits, probs)",
        _SEVERAL,
        False,
    ),
    "a NamedTuple": (
        "class Out(NamedTuple):\n    logits: torch.Tensor\n    probs: torch.Tensor\n",
        "Out(logits, probs)",
        _SEVERAL,
        True,
    ),
    # Of transformers: a dict with attributes, and a dataclass at once.
    "an output of transformers": (
        "class ModelOutput(collections.OrderedDict):\n    pass\n\n\n@dataclass\nclass Out(ModelOutput):\n"
        "    logits: Optional[torch.Tensor] = None\n    probs: Optional[torch.Tensor] = None\n\n"
        "    def __post_init__(self):\n        self['logits'], self['probs'] = self.logits, self.probs\n",
        "Out(logits=logits, probs=probs)",
        _SEVERAL,
        False,
    ),
    "a tuple": ("", "probs, logits", _SEVERAL, True),
}


def write_model(folder: Path, types: str, value: str, outputs: str) -> Path:
    folder.mkdir()
    (folder / "model.py").write_text(_MODEL.format(types=types, value=value, outputs=outputs))
    (folder / "dataloader.py").write_text(_LOADER)
    (folder / "metrics.py").write_text(_METRICS)
    return folder


class ReturnedTest(ToolkitCase):
    def setUp(self) -> None:
        super().setUp()
        # TorchScript as such is marked deprecated.
        caught = warnings.catch_warnings()
        caught.__enter__()
        warnings.simplefilter("ignore", DeprecationWarning)
        self.addCleanup(caught.__exit__, None, None, None)

    def test_every_format_has_the_outputs_of_the_framework(self) -> None:
        x = {name: np.random.default_rng(1).random((3, 4)).astype(np.float32) for name in ("ids", "mask")}
        for number, (name, (types, value, outputs, scripts)) in enumerate(KINDS.items()):
            folder = write_model(self.dir / str(number), types, value, outputs)
            weights = self.dir / f"{number}.weights"
            run_verb("train", "--model-dir", folder, "--output", weights)
            results: dict[str, dict[str, Any]] = {}
            for kind in ("onnx", "ts-trace", *(["ts-script"] if scripts else [])):
                with self.subTest(name, kind=kind):
                    path = self.dir / f"{number}-{kind}"
                    exported = run_verb(
                        "export", "--model-dir", folder, "--checkpoint", weights, "--format", kind, "--output", path
                    )  # fmt: skip
                    wanted = ["probs"] if outputs == "['probs']" else ["probs", "logits"]
                    self.assertEqual([tensor["name"] for tensor in exported["outputs"]], wanted)
                    self.assertEqual(exported["parameters"], 15)
                    runner = OnnxRunner(path) if kind == "onnx" else TorchScriptRunner(path)
                    results[kind] = runner.run(x)
                    self.assertEqual(list(results[kind]), wanted)
                    np.testing.assert_allclose(results[kind]["probs"].sum(1), 1, rtol=1e-5)
            for other in results.values():
                for output, array in other.items():
                    np.testing.assert_allclose(array, results["onnx"][output], rtol=1e-4, atol=1e-5)

    def test_names_that_forward_does_not_return_are_told_with_its_keys(self) -> None:
        folder = write_model(
            self.dir / "other", "", '{"logits": logits, "probs": probs}', "['OUTPUT__0', 'OUTPUT__1']"
        )
        error = failure("export", "--model-dir", folder, "--format=onnx", "--output", self.dir / "m.onnx")
        self.assertEqual(error.code, "model-folder-invalid")
        for words in (
            "returns no OUTPUT__0 and no OUTPUT__1: its dict has the keys logits, probs",
            '{"outputs": ["logits", "probs"]}',
            "signature.outputs of preset.yaml",
        ):
            self.assertIn(words, spoken(error))

    def test_a_named_output_that_is_none_is_told(self) -> None:
        folder = write_model(self.dir / "none", "", '{"logits": logits, "probs": None}', _SEVERAL)
        error = failure("export", "--model-dir", folder, "--format=onnx", "--output", self.dir / "m.onnx")
        self.assertIn("forward gives NoneType, Tensor and no tensors as probs, logits", spoken(error))

    def test_a_named_tuple_of_other_names_is_a_tuple(self) -> None:
        kind = collections.namedtuple("kind", ["values", "indices"])
        found = returned(kind(1, 2), ["a", "b"])
        self.assertEqual((found.values, found.access), ([1, 2], ["[0]", "[1]"]))

    def test_keras_is_read_alike(self) -> None:
        self.assertEqual(_by_name({"a": 1, "b": 2, "c": 3}, ["c", "a"]), {"c": 3, "a": 1})

    def test_a_torchscript_file_that_returns_a_dict_is_told_with_its_keys(self) -> None:
        class Named(torch.nn.Module):
            def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> dict[str, torch.Tensor]:
                return {"logits": ids * mask, "probs": ids}

        path = self.dir / "named.pt"
        torch.jit.script(Named()).save(str(path))
        inputs = json.dumps([{"name": name, "datatype": "FP32", "shape": [1, 4]} for name in ("ids", "mask")])
        error = failure("inspect", "--path", path, "--inputs", inputs)
        self.assertEqual(error.code, "model-file-invalid")
        for words in (
            "forward returns dict with the keys logits, probs; Triton supports a tensor",
            'forward(ids, mask) does: value = self.model(ids, mask); return value["logits"], value["probs"]',
        ):
            self.assertIn(words, spoken(error))

    def test_a_key_may_be_any_text(self) -> None:
        class Odd(torch.nn.Module):
            def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
                return {'it\'s "0"': x}

        access = returned(Odd()(torch.ones(1)), ['it\'s "0"']).access
        assert access is not None
        self.assertTrue(torch.equal(plain_module(Odd(), 1, access)(torch.ones(1)), torch.ones(1)))
