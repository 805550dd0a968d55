from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from toolkit.errors import ToolkitError
from toolkit.onnx_file import infer_shapes, save_checked

WEIGHTS = np.random.default_rng(0).random((64, 64), np.float32)


def model() -> onnx.ModelProto:
    """A product with large weights, brought into a shape that a small constant says."""
    nodes = [
        helper.make_node("MatMul", ["x", "weights"], ["product"]),
        helper.make_node("Reshape", ["product", "shape"], ["pairs"]),
        helper.make_node("Relu", ["pairs"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 64])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [
            numpy_helper.from_array(WEIGHTS, "weights"),
            numpy_helper.from_array(np.array([-1, 32, 2], np.int64), "shape"),
        ],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    made.metadata_props.add(key="note", value="kept")
    return made


class OnnxFileTest(unittest.TestCase):
    def test_shapes_are_those_that_the_whole_model_gives_and_weights_stay(self) -> None:
        found = model()
        infer_shapes(found)
        whole = onnx.shape_inference.infer_shapes(model(), check_type=True, strict_mode=True)
        self.assertEqual(found, whole)
        dims = found.graph.output[0].type.tensor_type.shape.dim
        self.assertEqual([dim.dim_value for dim in dims][1:], [32, 2])
        kept = {tensor.name: numpy_helper.to_array(tensor) for tensor in found.graph.initializer}
        np.testing.assert_array_equal(kept["weights"], WEIGHTS)

    def test_shapes_that_do_not_fit_are_refused(self) -> None:
        broken = model()
        broken.graph.initializer[0].dims[:] = [32, 128]
        with self.assertRaises(ToolkitError) as caught:
            infer_shapes(broken)
        self.assertEqual(caught.exception.code, "toolkit-failed")

    def test_what_the_checker_refuses_leaves_no_file(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.onnx"
            whole = model()
            infer_shapes(whole)
            save_checked(whole, path)
            broken = model()
            broken.graph.node[0].input[1] = "nowhere"
            with self.assertRaises(ToolkitError):
                save_checked(broken, Path(folder) / "broken.onnx")
            self.assertEqual([item.name for item in Path(folder).iterdir()], ["model.onnx"])
            self.assertEqual(onnx.load(str(path)), whole)


if __name__ == "__main__":
    unittest.main()
