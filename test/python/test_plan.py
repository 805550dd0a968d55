from __future__ import annotations

import hashlib
import json
import os
import stat
from pathlib import Path
from unittest import mock

import numpy as np
import onnx
import onnxruntime
from support import ToolkitCase, toolkit, write_toy

from toolkit.batches import Batch
from toolkit.errors import ToolkitError
from toolkit.plan import Profile, check_types, find_profile, parse_gpu, parse_version, plan_command
from toolkit.signature import Signature, Tensor


def batch(*lengths: int) -> Batch:
    count = len(lengths)
    return Batch([str(i) for i in range(count)], {"T": np.zeros((count, lengths[0], 2))}, {})


class PlanTest(ToolkitCase):
    def test_shapes_that_do_not_vary_need_no_data(self) -> None:
        tensors = [Tensor("A", "FP32", [-1, 4, 128, 128, 128]), Tensor("B", "INT64", [-1])]
        profile = find_profile(tensors, iter(()), 4)
        self.assertEqual(profile.least, {"A": [1, 4, 128, 128, 128], "B": [1]})
        self.assertEqual(profile.best, {"A": [4, 4, 128, 128, 128], "B": [4]})
        self.assertEqual(profile.most, profile.best)
        self.assertEqual(find_profile(tensors, iter(()), 0).most["B"], [1])

    def test_shapes_that_vary_come_from_the_whole_data_set(self) -> None:
        tensors = [Tensor("T", "FP32", [-1, -1, 2])]
        profile = find_profile(tensors, [batch(7), batch(5, 5, 5), batch(9, 9), batch(3)], 8)
        self.assertEqual(
            (profile.least, profile.best, profile.most),
            ({"T": [1, 3, 2]}, {"T": [8, 5, 2]}, {"T": [8, 9, 2]}),
        )
        with self.assertRaisesRegex(ToolkitError, "fixed batch size"):
            find_profile([Tensor("T", "FP32", [1, 2])], [], 8)
        with self.assertRaisesRegex(ToolkitError, "does not return U"):
            find_profile([Tensor("U", "FP32", [-1, -1])], [batch(1)], 8)

    def test_without_batches_and_with_nothing_that_varies_there_are_no_shapes(self) -> None:
        fixed = [Tensor("wave", "FP32", [1, 576]), Tensor("rate", "INT32", [])]
        profile = find_profile(fixed, iter(()), 0)
        command = plan_command("trtexec", "10.9.0", Path("m.onnx"), Path("m.plan"), profile, "fp16", 2**20)
        self.assertEqual(command[1:], ["--onnx=m.onnx", "--saveEngine=m.plan", "--memPoolSize=workspace:1M",
            "--fp16", "--skipInference"])  # fmt: skip
        for tensors in ([Tensor("wave", "FP32", [1, -1])], [*fixed, Tensor("state", "FP32", [-1, 4])]):
            with self.assertRaisesRegex(ToolkitError, "fixed batch size"):
                find_profile(tensors, iter(()), 0)

    def test_before_tensorrt_10_there_are_no_64_bit_integers(self) -> None:
        whole, short = Tensor("ids", "INT64", [-1, 4]), Tensor("x", "INT32", [-1, 4])
        with self.assertRaisesRegex(
            ToolkitError, "TensorRT 8.6.0 does not support INT64, the type of ids"
        ) as caught:
            check_types("8.6.0", Signature([short], [whole]))
        self.assertEqual(caught.exception.code, "combination-unsupported")
        check_types("10.0.0", Signature([whole], [whole]))
        check_types("8.6.0", Signature([short], [short]))

    def test_the_exact_command(self) -> None:
        profile = Profile({"A": [1, 3], "B:0": [1]}, {"A": [8, 5], "B:0": [8]}, {"A": [8, 9], "B:0": [8]})

        def command(version: str, precision: str) -> list[str]:
            return plan_command(
                "trtexec", version, Path("m.onnx"), Path("m.plan"), profile, precision, 4 * 2**30
            )

        shapes = ["--minShapes=A:1x3,'B:0':1", "--optShapes=A:8x5,'B:0':8", "--maxShapes=A:8x9,'B:0':8"]
        start = ["trtexec", "--onnx=m.onnx", "--saveEngine=m.plan", *shapes, "--memPoolSize=workspace:4096M"]
        self.assertEqual(command("10.9.0", "fp32"), [*start, "--noTF32", "--skipInference"])
        self.assertEqual(command("11.0.0", "fp32"), [*start, "--noTF32", "--skipInference"])
        self.assertEqual(command("8.6.2", "fp16"), [*start, "--fp16", "--skipInference"])
        self.assertEqual(command("10.9.0", "fp16"), [*start, "--fp16", "--skipInference"])
        self.assertEqual(command("11.0.0", "fp16"), [*start, "--skipInference"])

    def test_versions_and_gpus_are_read(self) -> None:
        line = "&&&& RUNNING TensorRT.trtexec [TensorRT v{}] [b35] # trtexec --help"
        for number, version in (
            ("100900", "10.9.0"),
            ("101302", "10.13.2"),
            ("110401", "11.4.1"),
            ("8602", "8.6.2"),
        ):
            self.assertEqual(parse_version(line.format(number)), version)
        with self.assertRaisesRegex(ToolkitError, "does not report its version"):
            parse_version("no banner")
        two = "NVIDIA A100-SXM4-80GB, 8.0\nNVIDIA A30, 8.0\nNVIDIA A30, 8.0\n"
        self.assertEqual(parse_gpu(two), ("NVIDIA A100-SXM4-80GB, NVIDIA A30", "8.0"))
        with self.assertRaisesRegex(ToolkitError, "compute capabilities 8.0, 7.5"):
            parse_gpu("NVIDIA A100-SXM4-80GB, 8.0\nTesla T4, 7.5\n")
        with self.assertRaisesRegex(ToolkitError, "no GPU"):
            parse_gpu("NVIDIA-SMI has failed")


class BuildPlanTest(ToolkitCase):
    def setUp(self) -> None:
        super().setUp()
        self.model = write_toy(self.dir / "toy")
        self.onnx = self.dir / "model.onnx"
        self.given = ["--model-dir", self.model]
        self.ok("export", *self.given, "--batch-size=2", "--format=onnx", "--output", self.onnx)

    def stand_ins(self, build: str, version: str = "100900") -> None:
        """Programs that stand in for trtexec and nvidia-smi of a GPU machine: there is no GPU here."""
        folder = self.dir / "bin"
        folder.mkdir()
        banner = f"echo '&&&& RUNNING TensorRT.trtexec [TensorRT v{version}] [b34] # trtexec'"
        programs = {
            "trtexec": f'{banner}\n[ "$1" = --help ] && exit 0\n{build}',
            "nvidia-smi": "echo 'NVIDIA A30, 8.0'",
        }
        for name, text in programs.items():
            path = folder / name
            path.write_text(f"#!/bin/sh\n{text}\n")
            path.chmod(path.stat().st_mode | stat.S_IXUSR)
        patched = mock.patch.dict(os.environ, {"PATH": f"{folder}:{os.environ['PATH']}"})
        patched.start()
        self.addCleanup(patched.stop)

    def flags(self, precision: str) -> list[object]:
        output = self.dir / "model.plan"
        return [
            *self.given, "--precision", precision, "--input", self.onnx, "--output", output,
            "--max-batch-size=8", "--batch-size=2", "--workspace-bytes=1073741824",
            "--image=nvcr.io/nvidia/pytorch@sha256:0",
        ]  # fmt: skip

    def test_a_plan_with_its_provenance_beside_it(self) -> None:
        self.stand_ins(
            'for a; do case "$a" in --saveEngine=*) printf plan > "${a#--saveEngine=}";; esac; done'
        )
        result = self.ok("build-plan", *self.flags("fp16"))
        types = [(tensor["name"], tensor["datatype"]) for tensor in result["inputs"]]
        self.assertEqual(types, [("VALUES__0", "FP32"), ("FLAGS__1", "INT64")])
        plan = json.loads((self.dir / "model.plan.json").read_text())
        self.assertEqual(plan, result["plan"])
        self.assertEqual(
            (plan["tensorrtVersion"], plan["gpuName"], plan["computeCapability"]),
            ("10.9.0", "NVIDIA A30", "8.0"),
        )
        self.assertEqual(plan["image"], "nvcr.io/nvidia/pytorch@sha256:0")
        self.assertEqual(plan["command"][2:], [f"--saveEngine={self.dir}/model.plan",
            "--minShapes=VALUES__0:1x3,FLAGS__1:1",
            "--optShapes=VALUES__0:8x3,FLAGS__1:8", "--maxShapes=VALUES__0:8x7,FLAGS__1:8",
            "--memPoolSize=workspace:1024M", "--fp16", "--skipInference"])  # fmt: skip
        # float16 is the builder's own: it has the exported file.
        self.assertEqual(plan["onnxSha256"], hashlib.sha256(self.onnx.read_bytes()).hexdigest())

    def test_from_tensorrt_11_on_the_graph_is_float16_and_its_tensors_are_not(self) -> None:
        self.stand_ins(
            'for a; do case "$a" in --saveEngine=*) printf plan > "${a#--saveEngine=}";; esac; done', "110000"
        )
        result = self.ok("build-plan", *self.flags("fp16"))
        types = [(tensor["name"], tensor["datatype"]) for tensor in result["inputs"] + result["outputs"]]
        self.assertEqual([kind for _, kind in types], ["FP32", "INT64", "FP32", "FP32"])
        plan = result["plan"]
        self.assertNotIn("--fp16", plan["command"])
        half = self.dir / "model.fp16.onnx"
        self.assertEqual(plan["onnxSha256"], hashlib.sha256(half.read_bytes()).hexdigest())
        weights = [value.data_type for value in onnx.load(str(half)).graph.initializer]
        self.assertIn(onnx.TensorProto.FLOAT16, weights)
        values, flags = np.ones((2, 3), np.float32), np.ones(2, np.int64)
        session = onnxruntime.InferenceSession(str(half), providers=["CPUExecutionProvider"])
        for array in session.run(None, {"VALUES__0": values, "FLAGS__1": flags}):
            self.assertEqual(array.dtype, np.float32)

    def test_fp32_is_built_from_the_exported_file(self) -> None:
        self.stand_ins(
            'for a; do case "$a" in --saveEngine=*) printf plan > "${a#--saveEngine=}";; esac; done'
        )
        plan = self.ok("build-plan", *self.flags("fp32"))["plan"]
        self.assertEqual(plan["onnxSha256"], hashlib.sha256(self.onnx.read_bytes()).hexdigest())

    def test_a_build_that_fails_leaves_nothing(self) -> None:
        self.stand_ins("echo 'Could not find any implementation'; exit 1")
        ended = toolkit("build-plan", *self.flags("fp32"))
        self.assertEqual((ended.code, ended.last["code"]), (1, "toolkit-failed"))
        self.assertIn("Could not find any implementation", ended.last["details"])
        self.assertEqual(list(self.dir.glob("model.plan*")), [])

    def test_without_trtexec_the_place_is_named(self) -> None:
        error = self.refused("toolchain-missing", "build-plan", *self.flags("fp32"))
        self.assertIn("docker", error["remedy"])
