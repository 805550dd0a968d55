from __future__ import annotations

import json
import unittest

import numpy as np
from support import ToolkitCase, write_toy

from toolkit.comparison import OutputStatistics, compare
from toolkit.dumps import DumpWriter, read_all, read_dumps
from toolkit.errors import ToolkitError


class DumpTest(ToolkitCase):
    def test_files_are_named_by_the_samples_before_them(self) -> None:
        writer = DumpWriter(self.dir, flush_bytes=90)
        for start in range(0, 5, 2):
            count = min(2, 5 - start)
            outputs = {"O": np.arange(start * 10, (start + count) * 10, dtype=np.float32).reshape(count, 10)}
            writer.write([f"s{start + i}" for i in range(count)], outputs=outputs)
        writer.flush()
        names = sorted(path.name for path in self.dir.iterdir())
        self.assertEqual(
            names,
            [f"{prefix}-{index:012d}.npz" for prefix in ("ids", "outputs") for index in (0, 2, 4)],
        )
        self.assertEqual(list(read_all(self.dir, "ids")["ids"]), ["s0", "s1", "s2", "s3", "s4"])
        np.testing.assert_array_equal(
            read_all(self.dir, "outputs")["O"].ravel(), np.arange(50, dtype=np.float32)
        )

    def test_other_shapes_are_padded_with_nan_and_remembered(self) -> None:
        writer = DumpWriter(self.dir)
        writer.write(["a"], outputs={"O": np.ones((1, 2), np.float16), "N": np.array([[7]])})
        writer.write(["b", "c"], outputs={"O": np.ones((2, 3), np.float16), "N": np.array([[1, 2], [3, 4]])})
        writer.flush()
        dump = next(read_dumps(self.dir, "outputs"))
        self.assertEqual((dump.tensors["O"].shape, dump.tensors["O"].dtype), ((3, 3), np.dtype(np.float16)))
        np.testing.assert_array_equal(np.isnan(dump.tensors["O"]).sum(axis=1), [1, 0, 0])
        np.testing.assert_array_equal(dump.tensors["N"], np.array([[7, np.nan], [1, 2], [3, 4]]))
        np.testing.assert_array_equal(dump.shapes["O"], [[2], [3], [3]])

    def test_nan_is_refused_in_inputs_but_kept_in_outputs(self) -> None:
        values = np.array([[1.0], [np.nan]], dtype=np.float32)
        writer = DumpWriter(self.dir)
        with self.assertRaises(ToolkitError) as caught:
            writer.write(["good", "bad"], inputs={"I": values})
        self.assertIn("sample bad contains NaN", caught.exception.message)
        writer.write(["good", "bad"], outputs={"O": values})

    def test_unequal_lengths_and_missing_files_are_refused(self) -> None:
        writer = DumpWriter(self.dir, flush_bytes=1)
        with self.assertRaises(ToolkitError):
            writer.write(["a", "b"], outputs={"O": np.zeros((1, 3))})
        writer.write(["a"], outputs={"O": np.zeros((1, 3))})
        writer.write(["b"], outputs={"O": np.zeros((1, 3))})
        (self.dir / "outputs-000000000000.npz").unlink()
        with self.assertRaises(ToolkitError) as caught:
            list(read_dumps(self.dir, "outputs"))
        self.assertIn("from 0 on are missing", caught.exception.message)

    def test_pickled_content_is_not_loaded(self) -> None:
        np.savez(self.dir / "outputs-000000000000.npz", O=np.array([{"a": 1}], dtype=object))
        with self.assertRaises(ToolkitError):
            list(read_dumps(self.dir, "outputs"))


class CompareTest(ToolkitCase):
    def compared(
        self,
        reference: object,
        candidate: object,
        atol: float = 0.0,
        rtol: float = 0.0,
        flush: tuple[int, int] = (1 << 20, 1 << 20),
    ) -> OutputStatistics:
        """Each argument is one array, or a list of batches."""
        folders = []
        for name, value, flush_bytes in (("r", reference, flush[0]), ("c", candidate, flush[1])):
            folder = self.dir / name
            folder.mkdir()
            writer = DumpWriter(folder, flush_bytes)
            start = 0
            for batch in value if isinstance(value, list) else [value]:
                array = np.asarray(batch)
                writer.write([f"s{start + i}" for i in range(len(array))], outputs={"O": array})
                start += len(array)
            writer.flush()
            folders.append(folder)
        (statistics,) = compare(folders[0], folders[1], {"*": atol}, {"*": rtol})
        return statistics

    def test_equal_outputs_pass_a_tolerance_of_zero(self) -> None:
        values = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)
        fields = self.compared(values, values).fields()
        self.assertEqual(fields["maxAbsDiff"], 0.0)
        self.assertTrue(fields["passed"])
        self.assertFalse(fields["vacuous"])

    def test_the_worst_sample_and_both_differences_are_found(self) -> None:
        reference = np.array([[1.0, 2.0], [4.0, 8.0], [1.0, -2.0]])
        candidate = np.array([[1.1, 2.0], [4.0, 8.5], [1.0, -2.0]])
        fields = self.compared(reference, candidate, atol=0.5).fields()
        self.assertAlmostEqual(fields["maxAbsDiff"], 0.5)
        self.assertAlmostEqual(fields["maxRelDiff"], 0.1)
        self.assertEqual(fields["worstSample"], "s1")
        self.assertTrue(fields["passed"])

    def test_outputs_without_values_on_both_sides_agree(self) -> None:
        for name, shape in (("detections", (2, 0, 7)), ("a scalar", (1, 0))):
            with self.subTest(name):
                fields = self.compared(np.zeros(shape, np.float32), np.zeros(shape, np.float32)).fields()
                self.assertEqual(
                    (fields["passed"], fields["empty"], fields["maxAbsDiff"]), (True, True, None)
                )
                self.setUp()

    def test_some_samples_without_values_say_nothing_of_the_others(self) -> None:
        batches = [np.zeros((1, 0, 7)), np.ones((1, 2, 7))]
        fields = self.compared(batches, batches).fields()
        self.assertEqual((fields["passed"], fields.get("empty"), fields["maxAbsDiff"]), (True, None, 0.0))

    def test_values_on_one_side_alone_are_another_shape(self) -> None:
        with self.assertRaises(ToolkitError) as caught:
            self.compared(np.zeros((1, 0, 7)), np.zeros((1, 3, 7)))
        self.assertEqual(caught.exception.code, "verification-failed")
        self.assertIn(
            "O of the sample s0 has the shape [0, 7] in the framework and [3, 7] on Triton",
            str(caught.exception),
        )

    def test_tolerance_is_absolute_plus_relative(self) -> None:
        reference, candidate = np.array([[10.0, 0.0]]), np.array([[10.3, 0.0]])
        self.assertFalse(self.compared(reference, candidate, atol=0.1, rtol=0.01).fields()["passed"])

    def test_tolerance_of_both_kinds_adds_up(self) -> None:
        reference, candidate = np.array([[10.0, 0.0]]), np.array([[10.19, 0.0]])
        self.assertTrue(self.compared(reference, candidate, atol=0.1, rtol=0.01).fields()["passed"])

    def test_the_share_of_the_allowance_is_that_of_the_worst_value(self) -> None:
        reference, candidate = np.array([[10.0, 0.0]]), np.array([[10.1, 0.05]])
        share = self.compared(reference, candidate, atol=0.1, rtol=0.01).fields()["allowanceShare"]
        # 0.1 of 0.1 + 0.01 * 10, and 0.05 of 0.1.
        self.assertAlmostEqual(share, 0.5)

    def test_equal_outputs_use_nothing_of_a_tolerance_of_zero(self) -> None:
        values = np.array([[10.0, 0.0]])
        self.assertEqual(self.compared(values, values).fields()["allowanceShare"], 0.0)

    def test_a_difference_where_nothing_may_differ_has_no_share(self) -> None:
        reference, candidate = np.array([[10.0, 0.0]]), np.array([[10.1, 0.0]])
        self.assertIsNone(self.compared(reference, candidate).fields()["allowanceShare"])

    def test_files_may_be_cut_at_different_places(self) -> None:
        reference = np.arange(70, dtype=np.float32).reshape(7, 10)
        candidate = reference.copy()
        candidate[5, 3] += 2
        batches = [candidate[:3], candidate[3:4], candidate[4:]]
        fields = self.compared([reference[:5], reference[5:]], batches, flush=(1 << 20, 1)).fields()
        self.assertEqual((fields["sampleCount"], fields["worstSample"], fields["maxAbsDiff"]), (7, "s5", 2.0))

    def test_float16_is_compared_without_rounding_the_reference(self) -> None:
        reference = np.array([[1.0001]], dtype=np.float32)
        fields = self.compared(reference, reference.astype(np.float16), atol=1e-3).fields()
        self.assertAlmostEqual(fields["maxAbsDiff"], float(reference[0, 0]) - 1.0)

    def test_nan_fails_even_where_both_have_it(self) -> None:
        values = np.array([[1.0, np.nan], [2.0, 3.0]])
        fields = self.compared(values, values, atol=10.0).fields()
        self.assertEqual((fields["nanCount"], fields["passed"]), (1, False))

    def test_infinity_fails_unless_both_agree(self) -> None:
        reference, candidate = np.array([[1.0, np.inf, 5.0]]), np.array([[1.0, np.inf, np.inf]])
        fields = self.compared(reference, candidate, atol=10.0).fields()
        self.assertEqual((fields["infCount"], fields["passed"]), (2, False))

    def test_nothing_finite_is_nothing_shown(self) -> None:
        values = np.full((2, 2), np.inf)
        fields = self.compared(values, values).fields()
        self.assertEqual((fields["maxAbsDiff"], fields["worstSample"], fields["passed"]), (None, None, False))

    def test_padding_is_not_nan_of_the_model(self) -> None:
        batches = [np.ones((1, 2), np.float32), np.ones((2, 4), np.float32)]
        fields = self.compared(batches, batches).fields()
        self.assertEqual((fields["nanCount"], fields["sampleCount"], fields["passed"]), (0, 3, True))

    def test_a_tolerance_that_cannot_fail_is_vacuous(self) -> None:
        values = np.array([[-3.0, 4.0]])
        for number, (atol, rtol, vacuous) in enumerate(
            [(100.0, 100.0, True), (0.0, 1.0, True), (4.0, 0.0, True), (0.5, 0.1, False)]
        ):
            with self.subTest(atol=atol, rtol=rtol):
                root = self.dir
                self.dir = root / str(number)
                self.dir.mkdir()
                self.assertEqual(self.compared(values, values, atol, rtol).fields()["vacuous"], vacuous)
                self.dir = root

    def test_other_samples_shapes_and_outputs_are_refused(self) -> None:
        folders = []
        cases = [
            (["a"], {"O": (1, 3)}),
            (["b"], {"O": (1, 3)}),
            (["a"], {"O": (1, 4)}),
            (["a"], {"P": (1, 3)}),
        ]
        for index, (ids, shapes) in enumerate(cases):
            folder = self.dir / str(index)
            folder.mkdir()
            writer = DumpWriter(folder)
            writer.write(ids, outputs={name: np.zeros(shape) for name, shape in shapes.items()})
            writer.flush()
            folders.append(folder)
        for other, code, text in (
            (1, "input-invalid", "different samples"),
            (2, "verification-failed", "a has the shape [3] in the framework and [4] on Triton"),
            (3, "verification-failed", "O, P"),
        ):
            with self.subTest(text), self.assertRaises(ToolkitError) as caught:
                compare(folders[0], folders[other], {}, {})
            self.assertEqual(caught.exception.code, code)
            self.assertIn(text, caught.exception.message)
        with self.assertRaises(ToolkitError) as caught:
            compare(folders[0], folders[0], {"X": 1.0}, {})
        self.assertIn("tolerance for X", caught.exception.message)


class KeptSamplesTest(ToolkitCase):
    def test_samples_are_kept_with_what_the_framework_gave(self) -> None:
        folder = self.dir / "toy"
        write_toy(folder)
        model = ("--model-dir", folder, "--batch-size=2")
        self.ok(
            "infer-framework", *model, "--runtime=pyt",
            "--output-dir", self.dir / "framework",
        )  # fmt: skip
        result = self.ok(
            "keep-samples", *model, "--reference", self.dir / "framework", "--count=3",
            "--output-dir", self.dir / "samples",
        )  # fmt: skip
        self.assertEqual(result["samples"], 3)
        document = json.loads((self.dir / "samples" / "samples.json").read_text(encoding="utf-8"))
        self.assertEqual([sample["id"] for sample in document["samples"]], ["s0", "s1", "s2"])
        third = document["samples"][2]
        values, flags = third["inputs"]
        scaled, total = third["outputs"]
        # The second batch is longer than the first; nothing of the dump's padding is kept.
        self.assertEqual((values["shape"], scaled["shape"], total["shape"]), ([1, 5], [1, 5], [1, 1]))
        self.assertEqual((values["datatype"], flags["datatype"]), ("FP32", "INT64"))
        read = {
            tensor["name"]: np.frombuffer((self.dir / "samples" / tensor["file"]).read_bytes(), "<f4")
            for tensor in (values, scaled)
        }
        np.testing.assert_array_equal(read["SCALED__0"], 2 * read["VALUES__0"])


if __name__ == "__main__":
    unittest.main()
