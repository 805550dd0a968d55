"""Versions of ONNX files that the installed ONNX Runtime loads."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Optional

#: No ONNX has these; ONNX Runtime names its limit when it refuses them.
_BEYOND_ANY = 9999


def _limit(pattern: str, ir: int, opset: int) -> Optional[int]:
    """The number that ONNX Runtime names when it refuses a model of these versions; None without one."""
    import onnxruntime
    from onnx import TensorProto, helper

    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "probe", ends[:1], ends[1:])
    model = helper.make_model(graph, ir_version=ir, opset_imports=[helper.make_opsetid("", opset)])
    try:
        onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    except Exception as error:
        found = re.search(pattern, str(error))
        return None if found is None else int(found[1])
    return None


def older_version(source: Path) -> Optional[str]:
    """What to do with a file of a newer ONNX: both limits, since a file that exceeds one often exceeds the other, and
    the command that converts it. None if ONNX Runtime does not name its limits.
    """
    ir = _limit(r"max supported IR version: (\d+)", _BEYOND_ANY, 13)
    opset = _limit(r"till opset (\d+)", 8, _BEYOND_ANY)
    if ir is None or opset is None:
        return None
    # Quoted as JSON, so that the shell's quotes around the code stay readable.
    path, target = (
        json.dumps(name, ensure_ascii=False) for name in (str(source), f"{source.stem}-opset{opset}.onnx")
    )
    code = (
        f"import onnx; m = onnx.load({path}); m = onnx.version_converter.convert_version(m, {opset}); "
        f"m.ir_version = {ir}; onnx.save(m, {target})"
    )
    return (
        f"Export it with IR version {ir} and operator set {opset}, or older ones. "
        f"To convert the file: python3 -c {shlex.quote(code)}"
    )
