"""One statement of the rules of comparing outputs: the vectors that main/domain/outputs passes, here by the accuracy
gate and by the smoke test of a bundle."""

from __future__ import annotations

import importlib
import json
import struct
import sys
import unittest
from pathlib import Path
from typing import Any

import numpy as np

from toolkit.comparison import OutputStatistics, Slice
from toolkit.errors import ToolkitError

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "resources" / "bundle"))
compare_outputs = importlib.import_module("compare_outputs")
VECTORS = json.loads((ROOT / "test" / "fixtures" / "outputs" / "rules.json").read_text(encoding="utf-8"))
DTYPES = {"FP16": "<f2", "FP32": "<f4", "FP64": "<f8", "INT32": "<i4", "INT64": "<i8", "BOOL": "?"}


def array(tensor: dict[str, Any]) -> Any:
    numbers = [int(one) if tensor["datatype"] == "INT64" else float(one) for one in tensor["data"]]
    return np.array(numbers, dtype=DTYPES[tensor["datatype"]]).reshape(tensor["shape"])


def raw(tensor: dict[str, Any]) -> dict[str, Any]:
    if tensor["datatype"] == "BYTES":
        texts = [text.encode() for text in tensor["data"]]
        data = b"".join(struct.pack("<I", len(text)) + text for text in texts)
    else:
        data = array(tensor).tobytes()
    return {**tensor, "data": data}


class OutputRules(unittest.TestCase):
    def test_the_smoke_test_of_a_bundle_passes_every_vector(self) -> None:
        for vector in VECTORS:
            with self.subTest(vector["what"]):
                expected, found = ([raw(one) for one in vector[side]] for side in ("expected", "found"))
                rules = {vector["output"]: vector["rule"]}
                try:
                    difference = compare_outputs.golden_difference(expected, found, rules)
                except compare_outputs.CheckError as error:
                    difference = str(error)
                self.assertEqual(difference is None, vector["passes"], difference)

    def test_the_accuracy_gate_passes_those_of_numbers(self) -> None:
        passed = 0
        for vector in VECTORS:
            rule, (one,), (other,) = vector["rule"], vector["expected"][:1], vector["found"][:1]
            # A dump has neither texts nor the type that an output has elsewhere.
            if rule["by"] != "numbers" or "equalNan" in rule or one["datatype"] != other["datatype"]:
                continue
            passed += 1
            with self.subTest(vector["what"]):
                statistics = OutputStatistics("Y", rule["atol"], rule["rtol"], rule.get("maxMismatch", 0.0))
                ids = np.array(["0"])
                try:
                    statistics.add(*(Slice(ids, {"Y": array(side)[None]}, {}) for side in (one, other)))
                except ToolkitError:
                    self.assertFalse(vector["passes"])
                    continue
                self.assertEqual(statistics.fields()["passed"], vector["passes"])
        self.assertGreater(passed, 20)


if __name__ == "__main__":
    unittest.main()
