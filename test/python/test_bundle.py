"""The smoke test of a bundle compares as the workbench does."""

from __future__ import annotations

import importlib
import struct
import sys
import unittest
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).resolve().parents[2] / "resources" / "bundle"


def load(name: str) -> Any:
    if str(FOLDER) not in sys.path:
        sys.path.insert(0, str(FOLDER))
    return importlib.import_module(name)


smoke, outputs = load("smoke_test"), load("compare_outputs")
STRICT = {"atol": {"*": 0.01}, "rtol": {}, "maxMismatch": {}}


def tensor(shape: list[int], values: list[float]) -> dict[str, Any]:
    data = np.array(values, dtype="<f4").tobytes()
    return {"name": "OUTPUT__0", "datatype": "FP32", "shape": shape, "data": data}


class SmokeTest(unittest.TestCase):
    def difference(self, expected: Any, served: Any, check: Any = STRICT, valid: Any = (None, None)) -> Any:
        return outputs.output_difference(expected, served, check, valid)

    def test_tolerances_are_those_of_the_output_or_of_all(self) -> None:
        expected = tensor([1, 3], [1, 2, 3])
        self.assertIsNone(self.difference(expected, tensor([1, 3], [1.005, 2, 3])))
        relative = {"atol": {}, "rtol": {"OUTPUT__0": 0.1}, "maxMismatch": {}}
        self.assertIsNone(self.difference(expected, tensor([1, 3], [1.05, 2.1, 3.2]), relative))

    def test_differences_are_counted_and_sized(self) -> None:
        expected, served = tensor([1, 3], [1, 2, 3]), tensor([1, 3], [1, 2.5, 3])
        self.assertEqual(self.difference(expected, served), "OUTPUT__0 differs by up to 0.5 in 1 of 3 values")
        self.assertIsNone(self.difference(expected, served, {**STRICT, "maxMismatch": {"OUTPUT__0": 0.34}}))

    def test_nan_agrees_with_nothing(self) -> None:
        text = self.difference(tensor([1, 2], [1, 2]), tensor([1, 2], [1, float("nan")]))
        self.assertIn("1 of 2 values", text)

    def test_nothing_but_an_equal_infinity_agrees_with_one(self) -> None:
        none, high, low = float("nan"), float("inf"), float("-inf")
        for check in (STRICT, {**STRICT, "rtol": {"*": 0.1}}):
            for value in (high, low):
                self.assertIsNone(
                    self.difference(tensor([1, 2], [1, value]), tensor([1, 2], [1, value]), check)
                )
            for wanted, got in ((low, 0), (low, high), (low, none), (0, low), (none, low), (none, 5)):
                with self.subTest(wanted=wanted, got=got, rtol=check["rtol"]):
                    text = self.difference(tensor([1, 2], [1, wanted]), tensor([1, 2], [1, got]), check)
                    self.assertIn("in 1 of 2 values", text or "")

    def test_another_number_of_values_is_refused(self) -> None:
        text = self.difference(tensor([1, 3], [1, 2, 3]), tensor([1, 2], [1, 2]))
        self.assertEqual(text, "OUTPUT__0 has 2 values where 3 are expected")

    def test_only_the_valid_part_of_rows_counts(self) -> None:
        expected = tensor([1, 2, 4], [1, 2, 9, 9, 3, 4, 9, 9])
        served = tensor([1, 2, 3], [1, 2, 0, 3, 4, 0])
        self.assertIsNone(self.difference(expected, served, STRICT, (2, 2)))
        self.assertIn("3 values where 2", self.difference(expected, served, STRICT, (2, 3)))

    def test_a_batch_repeats_its_samples(self) -> None:
        made = smoke.repeated(tensor([2, 2], [1, 2, 3, 4]), 5)
        self.assertEqual(made["shape"], [5, 2])
        self.assertEqual(list(outputs.values_of(made)), [1, 2, 3, 4, 1, 2, 3, 4, 1, 2])
        served = tensor([5, 2], [1, 2, 3, 4, 1, 2, 3, 4, 1, 9])
        self.assertIsNone(outputs.answer_difference([made], [made], STRICT, {}))
        self.assertIn("1 of 10 values", outputs.answer_difference([made], [served], STRICT, {}))
        self.assertIn("is missing", outputs.answer_difference([made], [], STRICT, {}))

    def test_each_sample_of_a_batch_has_a_length_of_its_own(self) -> None:
        def answer(values: list[float], lengths: list[float]) -> Any:
            width = len(values) // 2
            return [tensor([2, width], values), dict(tensor([2, 1], lengths), name="LENGTH__1")]

        wanted, lengths = answer([1, 2, 9, 3, 9, 9], [2, 1]), {"OUTPUT__0": "LENGTH__1"}
        self.assertIsNone(outputs.answer_difference(wanted, answer([1, 2, 3, 0], [2, 1]), STRICT, lengths))
        text = outputs.answer_difference(wanted, answer([1, 2, 4, 0], [2, 1]), STRICT, lengths)
        self.assertIn("differs by up to 1 in 1 of 1 values", text)

    def answered(self, statuses: dict[str, int], body: bytes = b"{}") -> Any:
        """A connection that answers by the path, and keeps what it was sent."""
        sent: list[Any] = []

        class Connection:
            def ask(self, _method: str, path: str, content: Any = None, _headers: Any = None) -> Any:
                sent.append((path, content))
                return statuses.get(path, 200), {}, body

        return Connection(), sent

    def test_models_beside_it_are_asked_for_by_name(self) -> None:
        expectation = {"model": "m", "version": 3, "beside": ["part"]}
        connection, sent = self.answered({})
        self.assertIn("m, version 3, is ready", smoke.check_ready(connection, expectation, 0))
        self.assertIn("/v2/models/part/ready", [path for path, _ in sent])
        missing, _ = self.answered({"/v2/models/part/ready": 400})
        with self.assertRaisesRegex(outputs.CheckError, "not ready: part"):
            smoke.check_ready(missing, expectation, 0)

    def test_a_model_may_refuse_zeros_where_the_run_allowed_it(self) -> None:
        canary = [{"name": "x", "datatype": "FP32", "shape": [1, 3]}]
        connection, _ = self.answered({"/infer": 400}, b'{"error": "no zeros"}')
        text = smoke.check_canary(connection, "/infer", {"canary": canary, "anyValues": True})
        self.assertIn("refuses a request of zeros", text)
        with self.assertRaisesRegex(outputs.CheckError, "no zeros"):
            smoke.check_canary(connection, "/infer", {"canary": canary})
        self.assertIn("left out", smoke.check_canary(connection, "/infer", {"decoupled": True}))

    def test_requests_of_a_stateful_model_are_sequences(self) -> None:
        answer = b'{"outputs": [{"name": "y", "parameters": {"binary_data_size": 0}}]}'
        connection, sent = self.answered({}, answer)
        smoke.check_canary(connection, "/infer", {"canary": [], "sequences": True})
        self.assertIn(b'"sequence_start": true', sent[0][1])

    def test_values_of_every_width(self) -> None:
        for datatype, kind in (("FP16", "<f2"), ("FP64", "<f8"), ("INT64", "<i8"), ("UINT8", "u1")):
            made = {"name": "O", "datatype": datatype, "shape": [2], "data": np.array([1, 2], kind).tobytes()}
            self.assertEqual(list(outputs.values_of(made)), [1, 2])
        half = struct.pack("<f", 1.5)[2:]
        made = {"name": "O", "datatype": "BF16", "shape": [1], "data": half}
        self.assertEqual(list(outputs.values_of(made)), [1.5])
        with self.assertRaisesRegex(outputs.CheckError, "3 bytes"):
            outputs.values_of({"name": "O", "datatype": "FP32", "shape": [1], "data": b"abc"})


if __name__ == "__main__":
    unittest.main()
