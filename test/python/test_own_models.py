"""Broken model folders and files: each failure names file, function and remedy."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import torch
from make_models import write_norms
from onnx import TensorProto, helper, numpy_helper
from support import RESOURCES, ToolkitCase, failure, run_verb, spoken, toolkit, write_toy

from toolkit.runners import OnnxRunner

_LOADER = (
    "import numpy as np\n"
    "def get_dataloader_fn(batch_size: int = 2):\n    def batches():\n{}\n    return batches\n"
)
_GOOD = "{'VALUES__0': np.ones((2, 3), np.float32), 'FLAGS__1': np.ones(2, np.int64)}"
_METRICS = "class MetricsCalculator:\n    def calc(self, *, ids, y_pred, x, y_real):\n        {}\n"

#: File, its text, the verb that finds the fault, and words of message, place and remedy.
FOLDERS: dict[str, tuple[str, str, str, tuple[str, ...]]] = {
    "a syntax error": ("model.py", "def get_model(:\n", "export", ("model.py, line 1",)),
    "an import that fails": (
        "model.py",
        "import no_such_module\ndef get_model(): ...\n",
        "export",
        ("Importing model.py failed", "no_such_module", "model.py, line 1"),
    ),
    "get_model that raises": (
        "model.py",
        "def get_model():\n    raise ValueError('no weights')\n",
        "export",
        ("no weights", "model.py, line 2 (get_model of model.py)"),
    ),
    "get_model without names": (
        "model.py",
        "import torch\ndef get_model():\n    return torch.nn.Linear(2, 2)\n",
        "export",
        ("get_model must return (module,", "model.py"),
    ),
    "get_model without a module": (
        "model.py",
        "def get_model():\n    return 3, {'inputs': ['VALUES__0'], 'outputs': ['Y']}\n",
        "export",
        ("get_model returns a int instead of a torch module",),
    ),
    "forward that wants another type": (
        "model.py",
        "import torch\ndef get_model():\n    return torch.nn.Embedding(4, 2), "
        "{'inputs': ['VALUES__0'], 'outputs': ['Y']}\n",
        "export",
        ("forward failed on VALUES__0 float32", "dataloader.py"),
    ),
    "forward that gives text": (
        "model.py",
        "import torch\nclass M(torch.nn.Module):\n    def forward(self, x):\n        return 'text'\n"
        "def get_model():\n    return M(), {'inputs': ['VALUES__0'], 'outputs': ['Y']}\n",
        "export",
        ("forward gives str and no tensors",),
    ),
    "more outputs than names": (
        "model.py",
        "import torch\nclass M(torch.nn.Module):\n    def forward(self, x):\n        return x, x\n"
        "def get_model():\n    return M(), {'inputs': ['VALUES__0'], 'outputs': ['Y']}\n",
        "export",
        ("The model returns 2 outputs but names 1",),
    ),
    "an input that the loader lacks": (
        "model.py",
        "import torch\ndef get_model():\n    return torch.nn.Identity(), {'inputs': ['IMAGE'], 'outputs': ['Y']}\n",
        "export",
        ("input IMAGE is not among the loader's",),
    ),
    "an argument that nobody gives": (
        "model.py",
        "def get_model(path):\n    return None\n",
        "export",
        ("model.py needs --arg path=...",),
    ),
    "an empty loader": (
        "dataloader.py",
        _LOADER.format("        yield from ()"),
        "export",
        ("The loader gave no sample", "dataloader.py"),
    ),
    "a loader without ids": (
        "dataloader.py",
        _LOADER.format(f"        yield {_GOOD}, {{}}"),
        "export",
        ("The loader must yield (ids, x dict, y dict)", "one per sample"),
    ),
    "more ids than samples": (
        "dataloader.py",
        _LOADER.format(f"        yield ['a', 'b', 'c'], {_GOOD}, {{}}"),
        "export",
        ("The loader gave 3 ids, but VALUES__0 has the shape [2, 3]",),
    ),
    "a loader that raises": (
        "dataloader.py",
        _LOADER.format("        yield 1 / 0"),
        "export",
        ("The loader of dataloader.py failed: ZeroDivisionError", "dataloader.py, line 4"),
    ),
    "a loader that gives text": (
        "dataloader.py",
        _LOADER.format("        yield ['a'], {'VALUES__0': np.array(['x']), 'FLAGS__1': np.ones(1)}, {}"),
        "export",
        ("The loader returns VALUES__0 as text; PyTorch takes numbers and booleans only", "dataloader.py"),
    ),
    "metrics that raise": (
        "metrics.py",
        _METRICS.format("return y_pred['none']"),
        "metrics",
        ("MetricsCalculator.calc of metrics.py failed: KeyError", "metrics.py, line 3"),
    ),
    "a metric that is no number": (
        "metrics.py",
        _METRICS.format("return {'a': 'good'}"),
        "metrics",
        ("The metric a is str, not a number", "metrics.py"),
    ),
    "metrics that give a list": (
        "metrics.py",
        _METRICS.format("return [1]"),
        "metrics",
        ("calc must return a dict",),
    ),
}


class BrokenFolderTest(ToolkitCase):
    def test_each_failure_is_told_by_file_and_function(self) -> None:
        good = write_toy(self.dir / "good")
        dump = self.dir / "dump"
        run_verb(
            "infer-framework", "--model-dir", good, "--runtime=pyt", "--output-dir", dump, "--dump-labels"
        )
        for number, (name, (file, text, verb, words)) in enumerate(FOLDERS.items()):
            with self.subTest(name):
                folder = write_toy(self.dir / str(number))
                (folder / file).write_text(text)
                flags: list[object] = ["--model-dir", folder]
                if verb == "export":
                    flags += ["--format=onnx", "--output", self.dir / "model.onnx"]
                else:
                    flags += ["--dump-dir", dump, "--csv", self.dir / "metrics.csv"]
                error = failure(verb, *flags)
                self.assertIn(error.code, ("model-folder-invalid", "input-invalid"), spoken(error))
                for word in words:
                    self.assertIn(word, spoken(error))

    def test_a_metric_of_nan_outputs_is_missing_and_no_failure(self) -> None:
        good = write_toy(self.dir / "good")
        dump = self.dir / "dump"
        run_verb(
            "infer-framework", "--model-dir", good, "--runtime=pyt", "--output-dir", dump, "--dump-labels"
        )
        (good / "metrics.py").write_text(_METRICS.format("return {'a': float('nan'), 'b': 0.5}"))
        csv = self.dir / "metrics.csv"
        result = run_verb("metrics", "--model-dir", good, "--dump-dir", dump, "--csv", csv)
        self.assertEqual(result["metrics"], {"a": None, "b": 0.5})
        header, row = csv.read_text().splitlines()
        self.assertEqual(header, "_total_,a,b")
        self.assertTrue(row.endswith(",,0.5"), row)


def write_onnx(path: Path, operator: str, domain: str = "", opset: int = 17, ir: int = 8) -> Path:
    """x [batch, 3] -> y [batch, 3] through one operator."""
    tensors = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", 3]) for name in "xy"]
    graph = helper.make_graph(
        [helper.make_node(operator, ["x"], ["y"], domain=domain)], "g", tensors[:1], tensors[1:]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid(domain, opset)], ir_version=ir)
    onnx.save(model, str(path))
    return path


SIGNATURE = json.dumps(
    {
        "inputs": [{"name": "x", "datatype": "FP32", "shape": [-1, 3]}],
        "outputs": [{"name": "y", "datatype": "FP32", "shape": [-1, 3]}],
    }
)
INPUTS = json.dumps([{"name": "x", "datatype": "FP32", "shape": [3], "dims": [3]}])


class ModelFileTest(ToolkitCase):
    def setUp(self) -> None:
        super().setUp()
        self.folder = ["--model-dir", RESOURCES / "own", "--samples-only", f"--arg=inputs={INPUTS}"]
        self.samples = self.dir / "samples"
        run_verb("make-dataset", *self.folder, "--arg=samples=5", "--output", self.samples)

    def export(self, source: Path, kind: str = "onnx", **other: object) -> list[object]:
        given: dict[str, object] = {"dataset": self.samples, "signature": SIGNATURE, **other}
        flags = [f"--{name}={value}" for name, value in given.items()]
        return [*self.folder, *flags, f"--format={kind}", "--source", source, "--output", self.dir / "out"]

    def test_a_good_file_is_passed_on_byte_for_byte(self) -> None:
        source = write_onnx(self.dir / "good.onnx", "Relu")
        result = run_verb("export", *self.export(source))
        self.assertEqual((self.dir / "out").read_bytes(), source.read_bytes())
        self.assertEqual((result["opset"], result["inputs"][0]["shape"]), (17, [-1, 3]))

    def test_files_that_their_runtime_refuses(self) -> None:
        again, older = "Export it again", "Export it with IR version"
        for name, path, words, remedy in (
            ("an unknown operator", write_onnx(self.dir / "a.onnx", "Frobnicate"), "Frobnicate", again),
            ("a custom operator", write_onnx(self.dir / "b.onnx", "Own", "com.acme", 1), "com.acme", again),
            ("a newer operator set", write_onnx(self.dir / "c.onnx", "Relu", opset=99), "opset", older),
            ("a newer file version", write_onnx(self.dir / "d.onnx", "Relu", ir=99), "IR version", older),
        ):
            with self.subTest(name):
                error = failure("export", *self.export(path))
                self.assertEqual(error.code, "model-file-invalid")
                self.assertIn(words, error.message)
                self.assertIn(remedy, error.remedy or "")
                # The path is the place of the error.
                self.assertNotIn(str(path), error.message)

    def test_unsigned_integers_go_in_and_out(self) -> None:
        for datatype, kind in (
            ("UINT16", TensorProto.UINT16),
            ("UINT32", TensorProto.UINT32),
            ("UINT64", TensorProto.UINT64),
        ):
            with self.subTest(datatype):
                tensors = [helper.make_tensor_value_info(name, kind, ["batch", 3]) for name in "xy"]
                graph = helper.make_graph(
                    [helper.make_node("Identity", ["x"], ["y"])], "g", tensors[:1], tensors[1:]
                )
                source = self.dir / f"{datatype}.onnx"
                onnx.save(
                    helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8),
                    source,
                )
                inputs = json.dumps([{"name": "x", "datatype": datatype, "shape": [3], "dims": [3]}])
                self.folder = ["--model-dir", RESOURCES / "own", "--samples-only", f"--arg=inputs={inputs}"]
                path = self.dir / "given.npz"
                np.savez(path, x=np.full((2, 3), 40_000))
                signature = SIGNATURE.replace("FP32", datatype)
                run_verb("export", *self.export(source, dataset=path, signature=signature))
                self.assertEqual((self.dir / "out").read_bytes(), source.read_bytes())

    def test_weights_of_a_constant_may_be_in_a_file_beside_the_model(self) -> None:
        tensors = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", 3]) for name in "xy"]
        value = numpy_helper.from_array(np.array([1, 2, 3], np.float32), "value")
        nodes = [
            helper.make_node("Constant", [], ["added"], value=value),
            helper.make_node("Add", ["x", "added"], ["y"]),
        ]
        graph = helper.make_graph(nodes, "g", tensors[:1], tensors[1:])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        source = self.dir / "beside.onnx"
        outside = {"location": "weights.bin", "size_threshold": 0, "convert_attribute": True}
        onnx.save(model, source, save_as_external_data=True, **outside)
        run_verb("export", *self.export(source))
        moved = (self.dir / "out").rename(self.dir / "elsewhere.onnx")
        (self.dir / "weights.bin").unlink()
        x = np.zeros((1, 3), np.float32)
        np.testing.assert_array_equal(OnnxRunner(moved).run({"x": x})["y"], [[1, 2, 3]])

    def test_an_epsilon_holds_in_float16_too(self) -> None:
        source = write_norms(self.dir / "norms.onnx", 0.001)
        flags = ["--format=onnx", "--precision=fp16", "--foreign", "--input", source]
        run_verb("convert", *flags, "--output", self.dir / "half.onnx")
        x = np.random.default_rng(1).random((2, 4, 16), dtype=np.float32) * 0.1
        whole = OnnxRunner(source).run({"x": x})["y"]
        half = OnnxRunner(self.dir / "half.onnx").run({"x": x.astype(np.float16)})["y"]
        # With the epsilon that ONNX Runtime's fusion takes, the difference is more than a half.
        np.testing.assert_allclose(half.astype(np.float32), whole, atol=0.02)

    def test_a_quantised_file_is_told_that_float16_is_not_for_it(self) -> None:
        tensors = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", 3]) for name in "xy"]
        nodes = [
            helper.make_node("QuantizeLinear", ["x", "scale"], ["q"]),
            helper.make_node("DequantizeLinear", ["q", "scale"], ["y"]),
        ]
        scale = numpy_helper.from_array(np.float32(0.1), "scale")
        graph = helper.make_graph(nodes, "g", tensors[:1], tensors[1:], [scale])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        source = self.dir / "quantised.onnx"
        onnx.save(model, source)
        flags = ["--format=onnx", "--precision=fp16", "--foreign", "--input", source]
        error = failure("convert", *flags, "--output", self.dir / "half.onnx")
        self.assertEqual(error.code, "combination-unsupported")
        self.assertIn("The model cannot be used in float16", error.message)
        self.assertIn("fp32", error.remedy or "")

    def test_outputs_that_are_not_as_the_file_says(self) -> None:
        source = write_onnx(self.dir / "good.onnx", "Relu")
        wrong = SIGNATURE.replace('"y", "datatype": "FP32"', '"y", "datatype": "INT64"')
        error = failure("export", *self.export(source, signature=wrong))
        self.assertIn("The output y is FP32 [1, 3], but the file declares INT64", error.message)

    def test_samples_of_the_users_own(self) -> None:
        source = write_onnx(self.dir / "good.onnx", "Relu")
        for name, arrays, words in (
            ("another name", {"z": np.ones((2, 3))}, 'has no entry "x"; it has z'),
            (
                "another shape",
                {"x": np.ones((2, 4))},
                "samples of x have the shape [4], the model expects [3]",
            ),
            ("no sample", {"x": np.ones((0, 3))}, "at least one"),
            ("text", {"x": np.array([["a", "b", "c"]])}, "cannot be converted to FP32"),
            ("pickled objects", {"x": np.array([{}, {}], dtype=object)}, "cannot be read"),
        ):
            with self.subTest(name):
                path = self.dir / "given.npz"
                np.savez(path, **arrays)
                error = failure("export", *self.export(source, dataset=path))
                self.assertEqual(error.code, "input-invalid")
                self.assertIn(words, error.message)
        path = self.dir / "given.json"
        path.write_text('{"x": [[1, 2, 3], [4, 5, 6]]}')
        self.assertEqual(run_verb("export", *self.export(source, dataset=path))["opset"], 17)
        path.write_text("[1")
        self.assertIn("cannot be read", failure("export", *self.export(source, dataset=path)).message)

    def test_a_model_that_draws_random_numbers_is_told(self) -> None:
        source = self.dir / "drawing.pt"
        torch.jit.trace(torch.rand_like, (torch.ones(1, 3),), check_trace=False).save(str(source))
        flags = self.export(source, "ts-trace")
        ended = toolkit("export", *flags)
        warnings = [line["text"] for line in ended.of_type("warning")]
        self.assertEqual(ended.code, 0, ended.last)
        self.assertTrue(
            any("returns other outputs for the same sample" in text for text in warnings), warnings
        )

    def test_torchscript_is_inspected_and_passed_on(self) -> None:
        source = self.dir / "linear.pt"
        torch.jit.script(torch.nn.Linear(3, 3)).save(str(source))
        given = json.dumps([{"name": "input", "datatype": "FP32", "shape": [1, 3]}])
        found = run_verb("inspect", "--path", source, "--inputs", given)
        self.assertTrue(found["batched"])
        self.assertEqual(found["outputs"], [{"name": "OUTPUT__0", "datatype": "FP32", "shape": [-1, 3]}])
        wrong = given.replace("[1, 3]", "[1, 4]")
        error = failure("inspect", "--path", source, "--inputs", wrong)
        self.assertEqual(error.code, "model-file-invalid")
        self.assertIn("forward fails on input FP32 [1, 4]", error.message)
        self.assertIn("--shape", error.remedy or "")

    def test_torchscript_that_returns_bfloat16_is_told_so(self) -> None:
        source = self.dir / "half.pt"
        traced = torch.jit.trace(lambda x: x.to(torch.bfloat16), (torch.ones(1, 3),))
        traced.save(str(source))
        given = json.dumps([{"name": "input", "datatype": "FP32", "shape": [1, 3]}])
        error = failure("inspect", "--path", source, "--inputs", given)
        self.assertEqual(error.code, "model-file-invalid")
        self.assertIn("forward returns bfloat16", error.message)
        self.assertIn("float32", error.remedy or "")

    def test_what_a_torchscript_file_says_of_its_samples_is_said_of_the_file(self) -> None:
        source = self.dir / "embedding.pt"
        torch.jit.script(torch.nn.Embedding(4, 3)).save(str(source))
        path = self.dir / "ids.npz"
        np.savez(path, x=np.full((2, 3), 9))
        inputs = json.dumps([{"name": "x", "datatype": "INT64", "shape": [3], "dims": [3]}])
        self.folder = ["--model-dir", RESOURCES / "own", "--samples-only", f"--arg=inputs={inputs}"]
        signature = json.dumps(
            {
                "inputs": [{"name": "x", "datatype": "INT64", "shape": [-1, 3]}],
                "outputs": [{"name": "OUTPUT__0", "datatype": "FP32", "shape": [-1, 3, 3]}],
            }
        )
        error = failure("export", *self.export(source, "ts-script", dataset=path, signature=signature))
        self.assertEqual((error.code, error.where), ("model-file-invalid", str(source)))
        self.assertIn("index out of range", error.message)
        self.assertNotIn("loader", spoken(error))
