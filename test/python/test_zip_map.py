"""ONNX classifiers whose probabilities are maps (ZipMap), as converters of scikit-learn write them."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from support import ToolkitCase

from toolkit.runners import OnnxRunner
from toolkit.source_file import _write_onnx


def _zipped(labels: dict[str, Any]) -> Any:
    """Softmax of two numbers, as maps."""
    make = onnx.helper.make_tensor_value_info
    kinds = onnx.TensorProto
    key = kinds.INT64 if "classlabels_int64s" in labels else kinds.STRING
    maps = onnx.helper.make_sequence_type_proto(
        onnx.helper.make_map_type_proto(key, onnx.helper.make_tensor_type_proto(kinds.FLOAT, []))
    )
    graph = onnx.helper.make_graph(
        [
            onnx.helper.make_node("Softmax", ["x"], ["shares"]),
            onnx.helper.make_node("ZipMap", ["shares"], ["maps"], domain="ai.onnx.ml", **labels),
        ],
        "zipped",
        [make("x", kinds.FLOAT, ["N", 2])],
        [onnx.helper.make_value_info("maps", maps)],
    )
    imports = [onnx.helper.make_opsetid("", 13), onnx.helper.make_opsetid("ai.onnx.ml", 1)]
    return onnx.helper.make_model(graph, opset_imports=imports, ir_version=8)


class ZipMapTest(ToolkitCase):
    def test_the_export_gives_the_tensor_that_the_maps_are_made_of(self) -> None:
        rows = np.array([[0, 0], [3, -1], [-2, 0.5]], dtype=np.float32)
        cases: list[dict[str, Any]] = [
            {"classlabels_int64s": [0, 4]},
            {"classlabels_strings": ["no", "yes"]},
        ]
        for labels in cases:
            source, target = self.dir / "zipped.onnx", self.dir / "plain.onnx"
            onnx.save(_zipped(labels), str(source))
            self.assertEqual(_write_onnx(source, target), 13)
            # The reference is the file as it is, with its maps.
            wanted, found = (OnnxRunner(path).run({"x": rows})["maps"] for path in (source, target))
            self.assertEqual(wanted.shape, (3, 2))
            np.testing.assert_array_equal(found, wanted)

    def test_a_file_without_maps_is_copied_byte_for_byte(self) -> None:
        plain, first, second = (self.dir / name for name in ("zipped.onnx", "first.onnx", "second.onnx"))
        onnx.save(_zipped({"classlabels_int64s": [0, 4]}), str(plain))
        _write_onnx(plain, first)
        _write_onnx(first, second)
        self.assertEqual(first.read_bytes(), second.read_bytes())
