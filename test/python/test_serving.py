from __future__ import annotations

import ast
import json
import shutil
import tempfile
import time
import unittest
from pathlib import Path
from queue import Queue
from typing import Any, Optional

import numpy as np
import onnx
from make_models import floats, save
from onnx import TensorProto, helper
from support import RESOURCES, toolkit, write_toy
from triton_server import TritonServer
from tritonclient import grpc
from tritonclient.utils import InferenceServerException

from toolkit.dumps import read_all

SHARED = RESOURCES / "serving" / "shared" / "serving_shim.py"
SHIMS = {"onnx": RESOURCES / "serving" / "onnx", "ts": RESOURCES / "serving" / "torchscript"}
TOY_TENSORS = (
    [("VALUES__0", "FP32", "-1"), ("FLAGS__1", "INT64", "")],
    [("SCALED__0", "FP32", "-1"), ("SUM__1", "FP32", "")],
)


def _tensors(kind: str, tensors: list[tuple[str, str, str]], batched: bool) -> str:
    # A tensor of the batch dimension alone is declared as [1] and reshaped to nothing.
    def entry(name: str, datatype: str, dims: str) -> str:
        if not batched:
            dims = ", ".join(part for part in ("-1", dims) if part)
        shape = f"dims: [ {dims} ]" if dims else "dims: [ 1 ] reshape: { shape: [ ] }"
        return f'{{ name: "{name}" data_type: TYPE_{datatype} {shape} }}'

    return f"{kind} [ {', '.join(entry(*tensor) for tensor in tensors)} ]\n"


class ServingTest(unittest.TestCase):
    """Both shims on a real Triton."""

    root: Path
    toy: Path
    server: TritonServer
    client: Any

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = Path(folder.name)
        cls.server = TritonServer(cls.root / "triton")
        cls.addClassCleanup(cls.server.stop)
        cls.client = grpc.InferenceServerClient(cls.server.grpc)
        cls.addClassCleanup(cls.client.close)
        cls.toy = write_toy(cls.root / "toy")
        for kind, name in (("onnx", "model.onnx"), ("ts-script", "model.pt")):
            ended = toolkit(
                "export",
                "--model-dir",
                cls.toy,
                "--format",
                kind,
                "--batch-size=2",
                "--output",
                cls.root / name,
            )
            assert ended.code == 0, ended.stderr

    def serve(
        self,
        name: str,
        shim: str,
        file: Path | None,
        tensors: tuple[list[tuple[str, str, str]], list[tuple[str, str, str]]],
        batched: bool = True,
        parameters: Optional[dict[str, str]] = None,
        more: str = "",
    ) -> None:
        """Loads a model; raises InferenceServerException with Triton's reason."""
        version = self.server.models / name / "1"
        version.mkdir(parents=True)
        shutil.copy(SHIMS[shim] / "model.py", version)
        shutil.copy(SHARED, version)
        if file is not None:
            shutil.copy(file, version)
        config = f'name: "{name}"\nbackend: "python"\nmax_batch_size: {8 if batched else 0}\n'
        config += "".join(_tensors(kind, part, batched) for kind, part in zip(("input", "output"), tensors))
        config += "instance_group [ { kind: KIND_CPU count: 1 } ]\n"
        if batched:
            # Long enough for all requests of a test to be there; a full batch does not wait.
            config += (
                "dynamic_batching { preferred_batch_size: [ 4 ] max_queue_delay_microseconds: 60000000 }\n"
            )
        config += more
        for key, value in {"intra_op_threads": "1", **(parameters or {})}.items():
            config += f'parameters {{ key: "{key}" value: {{ string_value: "{value}" }} }}\n'
        (version.parent / "config.pbtxt").write_text(config)
        self.client.load_model(name)
        self.addCleanup(self.client.unload_model, name)

    def together(self, name: str, requests: list[dict[str, tuple[str, Any]]]) -> list[Any]:
        """Sends all requests at once; results, or the exception of those that failed, in their order."""
        answers: Queue[tuple[int, Any]] = Queue()
        for index, request in enumerate(requests):
            inputs = []
            for tensor, (datatype, array) in request.items():
                inputs.append(grpc.InferInput(tensor, list(array.shape), datatype))
                inputs[-1].set_data_from_numpy(array)
            self.client.async_infer(
                name, inputs, lambda result, error, index=index: answers.put((index, error or result))
            )
        found = dict(answers.get(timeout=180) for _ in requests)
        return [found[index] for index in range(len(requests))]

    def executions(self, name: str, inferences: int) -> tuple[int, int]:
        """Inferences and executions, once so many inferences count: a moment after the last answer has gone out."""
        until = time.monotonic() + 30
        while True:
            (entry,) = self.client.get_inference_statistics(name, as_json=True)["model_stats"]
            counted = int(entry.get("inference_count", 0))
            if counted >= inferences or time.monotonic() > until:
                return counted, int(entry.get("execution_count", 0))
            time.sleep(0.05)

    def test_requests_of_a_batch_run_as_one_and_get_their_own_rows(self) -> None:
        for shim, file in (("onnx", "model.onnx"), ("ts", "model.pt")):
            with self.subTest(shim):
                name = f"batched_{shim}"
                self.serve(name, shim, self.root / file, TOY_TENSORS)
                requests = []
                for index, rows in enumerate((1, 2, 1)):
                    values = np.full((rows, 3), index + 1, dtype=np.float32)
                    flags = np.ones((rows, 1), dtype=np.int64)
                    requests.append({"VALUES__0": ("FP32", values), "FLAGS__1": ("INT64", flags)})
                results = self.together(name, requests)
                for index, rows in enumerate((1, 2, 1)):
                    np.testing.assert_array_equal(
                        results[index].as_numpy("SCALED__0"), np.full((rows, 3), 2 * (index + 1))
                    )
                    np.testing.assert_array_equal(
                        results[index].as_numpy("SUM__1"), np.full((rows, 1), 3 * (index + 1))
                    )
                self.assertEqual(self.executions(name, 4), (4, 1))

    @unittest.skipIf(shutil.which("g++") is None, "no C++ compiler on this machine")
    def test_a_pt2_package_is_compiled_passed_on_and_served(self) -> None:
        package = self.root / "exported.pt2"
        flags = ["--model-dir", self.toy, "--format=pt2", "--batch-size=2", "--output", package]
        # Checked with one sample and with three: no batch size is compiled in.
        exported = toolkit("export", *flags)
        self.assertEqual(exported.code, 0, exported.lines)
        path = self.root / "model.pt2"
        given = ["--format=pt2", "--input", package, "--output", path]
        converted = toolkit("convert", "--precision=fp32", *given)
        self.assertEqual(converted.code, 0, converted.lines)
        for name in ("inputs", "outputs", "parameters", "bytes"):
            self.assertEqual(converted.last[name], exported.last[name])
        self.assertEqual(
            toolkit("convert", "--precision=fp16", *given).last["code"], "combination-unsupported"
        )

        self.serve("package", "ts", path, TOY_TENSORS, parameters={"model_filename": "model.pt2"})
        values, flags_of = np.full((3, 3), 2, dtype=np.float32), np.ones((3, 1), dtype=np.int64)
        request: dict[str, tuple[str, Any]] = {
            "VALUES__0": ("FP32", values),
            "FLAGS__1": ("INT64", flags_of),
        }
        one = {name: (datatype, array[:1]) for name, (datatype, array) in request.items()}
        first, second = self.together("package", [request, one])
        np.testing.assert_array_equal(first.as_numpy("SCALED__0"), np.full((3, 3), 4))
        np.testing.assert_array_equal(second.as_numpy("SUM__1"), np.full((1, 1), 6))

    def test_without_batching_the_batch_is_a_dimension_like_any_other(self) -> None:
        for shim, file in (("onnx", "model.onnx"), ("ts", "model.pt")):
            for protocol, address in (("grpc", self.server.grpc), ("http", self.server.http)):
                with self.subTest(shim, protocol=protocol):
                    name = f"plain_{shim}_{protocol}"
                    self.serve(name, shim, self.root / file, TOY_TENSORS, batched=False)
                    flags = ["--model-dir", self.toy, "--batch-size=2", "--dump-labels"]
                    reference, dump = self.root / f"{name}-reference", self.root / name
                    ended = toolkit("infer-framework", *flags, "--runtime=pyt", "--output-dir", reference)
                    self.assertEqual(ended.code, 0, ended.stderr)
                    ended = toolkit(
                        "infer-triton", *flags, "--url", address, "--protocol", protocol, "--model-name", name,
                        "--output-dir", dump, "--max-unresponded-requests=2",
                    )  # fmt: skip
                    self.assertEqual(
                        (ended.code, ended.last.get("samples")), (0, 5), f"{ended.lines}{ended.stderr}"
                    )
                    ended = toolkit("verify", "--reference", reference, "--candidate", dump)
                    self.assertEqual([output["passed"] for output in ended.last["outputs"]], [True, True])
                    np.testing.assert_array_equal(read_all(dump, "ids")["ids"], [f"s{i}" for i in range(5)])

    def test_requests_of_a_batch_size_and_requests_that_are_gathered(self) -> None:
        path = self.root / "doubling" / "model.onnx"
        path.parent.mkdir()
        node = helper.make_node("Add", ["x", "x"], ["y"])
        save(path, [node], floats("x", ["batch", 3]), floats("y", ["batch", 3]), {})
        self.serve("doubling", "onnx", path, ([("x", "FP32", "3")], [("y", "FP32", "3")]))
        inputs = json.dumps([{"name": "x", "datatype": "FP32", "shape": [3], "dims": [3]}])
        model = ["--model-dir", RESOURCES / "own", "--samples-only", f"--arg=inputs={inputs}"]
        samples, reference, dump = (self.root / f"doubling-{name}" for name in ("samples", "onnx", "triton"))
        made = toolkit("make-dataset", *model, "--arg=samples=4", "--output", samples)
        self.assertEqual(made.code, 0, made.stderr)
        # A full batch does not wait for more; a request of one sample by itself would.
        asked = ["--at-batch-size=4", "--gathered=4"]
        flags = [*model, "--dataset", samples, "--batch-size=4", *asked]
        ended = toolkit(
            "infer-framework", *flags, "--runtime=onnx", "--path", path, "--output-dir", reference
        )
        self.assertEqual(ended.code, 0, ended.stderr)
        served = ["--url", self.server.grpc, "--model-name=doubling", "--output-dir", dump]
        ended = toolkit("infer-triton", *flags, *served)
        self.assertEqual((ended.code, ended.last.get("gathered")), (0, [4]), f"{ended.lines}{ended.stderr}")
        ended = toolkit("verify", "--reference", reference, "--candidate", dump, *asked)
        self.assertEqual(
            [
                (batch["batchSize"], batch.get("gathered"), batch.get("varies"))
                for batch in ended.last["batches"]
            ],
            [(4, None, None), (1, 4, False)],
        )
        for batch in ended.last["batches"]:
            (output,) = batch["outputs"]
            self.assertEqual((output["passed"], output["sampleCount"]), (True, 4))

    def test_requests_wait_for_answers_where_their_bytes_would_be_too_many(self) -> None:
        self.serve("bounded", "onnx", self.root / "model.onnx", TOY_TENSORS, batched=False)
        # The loader's samples grow: a request from 40 to 184 bytes, its answer from 32 to 176.
        flags = ["--model-dir", self.toy, "--batch-size=2", "--arg=samples=20", "--model-name=bounded"]
        for most_bytes, ahead in ((1, 1), (200, 2), (10**6, 8)):
            with self.subTest(most_bytes):
                dump = self.root / f"bounded-{most_bytes}"
                ended = toolkit(
                    "infer-triton", *flags, "--url", self.server.grpc, "--max-unresponded-requests=8",
                    "--max-unresponded-bytes", str(most_bytes), "--output-dir", dump,
                )  # fmt: skip
                found = (ended.last.get("samples"), ended.last.get("most_unresponded"))
                self.assertEqual((ended.code, *found), (0, 20, ahead), f"{ended.lines}{ended.stderr}")
                np.testing.assert_array_equal(read_all(dump, "ids")["ids"], [f"s{i}" for i in range(20)])

    def test_a_decoupled_model_is_asked_over_a_stream(self) -> None:
        policy = "model_transaction_policy { decoupled: true }\n"
        self.serve("streamed", "onnx", self.root / "model.onnx", TOY_TENSORS, batched=False, more=policy)
        flags = ["--model-dir", self.toy, "--batch-size=2"]
        reference, dump = self.root / "streamed-reference", self.root / "streamed"
        ended = toolkit("infer-framework", *flags, "--runtime=pyt", "--output-dir", reference)
        self.assertEqual(ended.code, 0, ended.stderr)
        asked = [*flags, "--model-name=streamed", "--max-unresponded-requests=2"]
        ended = toolkit("infer-triton", *asked, "--url", self.server.grpc, "--output-dir", dump)
        self.assertEqual((ended.code, ended.last.get("samples")), (0, 5), f"{ended.lines}{ended.stderr}")
        ended = toolkit("verify", "--reference", reference, "--candidate", dump)
        self.assertEqual([output["passed"] for output in ended.last["outputs"]], [True, True])
        http = ["--protocol=http", "--url", self.server.http, "--output-dir", self.root / "none-http"]
        self.assertEqual(toolkit("infer-triton", *asked, *http).last["code"], "combination-unsupported")

    def test_only_the_bad_request_of_a_batch_gets_the_error(self) -> None:
        table = helper.make_tensor("table", TensorProto.FLOAT, [3, 1], [10.0, 11.0, 12.0])
        graph = helper.make_graph(
            [helper.make_node("Gather", ["table", "I"], ["O"])],
            "lookup",
            [helper.make_tensor_value_info("I", TensorProto.INT64, ["batch"])],
            [helper.make_tensor_value_info("O", TensorProto.FLOAT, ["batch", 1])],
            [table],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7)
        (self.root / "lookup").mkdir()
        path = self.root / "lookup" / "model.onnx"
        onnx.save(model, str(path))
        self.serve("lookup", "onnx", path, ([("I", "INT64", "")], [("O", "FP32", "1")]))
        rows = [np.array([[index]], dtype=np.int64) for index in (0, 2, 7, 1)]
        results = self.together("lookup", [{"I": ("INT64", row)} for row in rows])
        self.assertIsInstance(results[2], InferenceServerException)
        self.assertIn("out of data bounds", str(results[2]))
        self.assertEqual([float(results[i].as_numpy("O")[0, 0]) for i in (0, 1, 3)], [10.0, 12.0, 11.0])
        self.assertEqual(self.client.is_model_ready("lookup"), True)

    def test_what_keeps_a_model_from_loading_is_said(self) -> None:
        onnx_file, ts_file = self.root / "model.onnx", self.root / "model.pt"
        noise = self.root / "noise"
        noise.mkdir(exist_ok=True)
        for name in ("model.onnx", "model.pt"):
            (noise / name).write_bytes(b"noise")
        cases: list[tuple[str, Path | None, dict[str, str], str]] = [
            ("onnx", None, {}, "model.onnx does not exist"),
            ("ts", None, {"model_filename": "other.pt"}, "other.pt does not exist"),
            ("onnx", onnx_file, {"intra_op_threads": "two"}, "not a number of threads"),
            ("ts", ts_file, {"inter_op_threads": "-1"}, "not a number of threads"),
            ("onnx", onnx_file, {"execution_providers": "MoonExecutionProvider"}, "CPUExecutionProvider"),
            ("ts", ts_file, {"execution_providers": "MoonExecutionProvider"}, "PyTorch has no Moon"),
            ("onnx", noise / "model.onnx", {}, "ONNX Runtime cannot load model.onnx"),
            ("ts", noise / "model.pt", {}, "PyTorch cannot load model.pt"),
        ]
        for index, (shim, file, parameters, text) in enumerate(cases):
            with self.subTest(text), self.assertRaises(InferenceServerException) as caught:
                self.serve(f"bad{index}", shim, file, TOY_TENSORS, parameters=parameters)
            self.assertIn(text, str(caught.exception))
        with self.assertRaises(InferenceServerException) as caught:
            self.serve("names", "onnx", onnx_file, ([("VALUES", "FP32", "-1")], TOY_TENSORS[1]))
        self.assertIn("has no tensor VALUES; it has VALUES__0, FLAGS__1", str(caught.exception))

    def test_what_does_not_fit_is_said_before_anything_is_sent(self) -> None:
        self.serve("fit", "onnx", self.root / "model.onnx", TOY_TENSORS, batched=False)
        flags = [
            "infer-triton",
            "--model-dir",
            self.toy,
            "--url",
            self.server.grpc,
            "--output-dir",
            self.root / "none",
        ]
        cases = [
            (["--model-name=fit", "--precision=fp16"], "model-mismatch", "VALUES__0 is served as FP32"),
            (["--model-name=absent"], "model-not-ready", "absent"),
            (["--model-name=fit", "--model-version=7"], "model-not-ready", "version 7"),
        ]
        for more, code, text in cases:
            error = toolkit(*flags, *more).last
            self.assertEqual((error["type"], error.get("code")), ("error", code), error)
            self.assertIn(text, error["message"])
        self.assertEqual(self.executions("fit", 0), (0, 0))
        self.assertFalse((self.root / "none").exists())


class ShimTest(unittest.TestCase):
    def test_every_shim_has_its_shared_part_from_the_file_beside_it(self) -> None:
        shared = {
            node.name for node in ast.parse(SHARED.read_text()).body if isinstance(node, ast.FunctionDef)
        }
        self.assertIn("run_requests", shared)
        for name in ("onnx", "torchscript", "savedmodel"):
            body = ast.parse((RESOURCES / "serving" / name / "model.py").read_text()).body
            own = {node.name for node in body if isinstance(node, ast.FunctionDef)}
            taken = {
                alias.name
                for node in body
                if isinstance(node, ast.ImportFrom) and node.module == "serving_shim"
                for alias in node.names
            }
            self.assertEqual(own & shared, set(), name)
            self.assertIn("run_requests", taken)
            self.assertLessEqual(taken - {"Array"}, shared, name)


class UnreachableTest(unittest.TestCase):
    def test_nobody_at_the_address(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = write_toy(Path(name) / "toy")
            for protocol in ("grpc", "http"):
                # Port 9 (discard) takes no connection on the loopback interface.
                ended = toolkit(
                    "infer-triton", "--model-dir", folder, "--url=127.0.0.1:9", "--protocol", protocol,
                    "--model-name=m", "--output-dir", Path(name) / "o",
                )  # fmt: skip
                self.assertEqual((ended.code, ended.last["code"]), (1, "server-unreachable"))
