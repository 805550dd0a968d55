"""ONNX files that are newer than ONNX Runtime: the remedy works."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import onnx
import onnxruntime
from onnx import TensorProto, helper
from support import ToolkitCase

from toolkit.errors import ToolkitError
from toolkit.formats.onnx_versions import older_version
from toolkit.runners import OnnxRunner


def write_newest(path: Path, ir: int) -> Path:
    """x [batch, 3] -> y, with the newest operator set of the installed ONNX."""
    tensors = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", 3]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", tensors[:1], tensors[1:])
    opset = helper.make_opsetid("", onnx.defs.onnx_opset_version())
    onnx.save(helper.make_model(graph, opset_imports=[opset], ir_version=ir), str(path))
    return path


class OlderVersionTest(ToolkitCase):
    def test_the_remedy_names_both_limits_and_its_command_writes_a_file_that_loads(self) -> None:
        # A quote in the name reaches neither shell nor Python.
        source = write_newest(self.dir / 'own\'s "new".onnx', ir=99)
        with self.assertRaises(ToolkitError):
            OnnxRunner(source)
        remedy = older_version(source) or ""
        found = re.fullmatch(
            r"Export it with IR version (\d+) and operator set (\d+), or older ones\. "
            r"To convert the file: python3 -c (.+)",
            remedy,
        )
        assert found is not None, remedy
        [code] = shlex.split(found[3])
        subprocess.run([sys.executable, "-c", code], check=True, cwd=self.dir)
        converted = self.dir / f'own\'s "new"-opset{found[2]}.onnx'
        model = onnx.load(str(converted))
        self.assertEqual((model.ir_version, model.opset_import[0].version), (int(found[1]), int(found[2])))
        OnnxRunner(converted)

    def test_the_limits_that_are_said_before_a_run_are_those_of_this_version(self) -> None:
        text = (Path(__file__).parents[1] / "fixtures" / "onnx-limits.json").read_text(encoding="utf-8")
        limits = json.loads(text)
        if onnxruntime.__version__ != limits["onnxruntime"]:
            self.skipTest("another ONNX Runtime, of an older Python")
        self.assertEqual(older_version(Path(limits["path"])), limits["remedy"])
