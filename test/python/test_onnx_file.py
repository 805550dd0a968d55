from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from toolkit.errors import ToolkitError
from toolkit.formats.onnx_file import infer_shapes, onnx_signature, save_checked, to_float16

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


def casting_model() -> onnx.ModelProto:
    """Casts of its own to float32: one makes an output that is used as well, another is in an inner graph."""
    branch = helper.make_graph(
        [helper.make_node("Cast", ["flags"], ["inner"], to=TensorProto.FLOAT)],
        "branch",
        [],
        [helper.make_tensor_value_info("inner", TensorProto.FLOAT, ["batch"])],
    )
    nodes = [
        helper.make_node("Cast", ["flags"], ["cast"], to=TensorProto.FLOAT),
        helper.make_node("MatMul", ["x", "weights"], ["y"]),
        helper.make_node("ReduceSum", ["y"], ["sum"], keepdims=0),
        helper.make_node("Greater", ["sum", "limit"], ["is_large"]),
        helper.make_node("If", ["is_large"], ["chosen"], then_branch=branch, else_branch=branch),
        helper.make_node("Add", ["cast", "chosen"], ["z"]),
    ]
    graph = helper.make_graph(
        nodes,
        "graph",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 64]),
            helper.make_tensor_value_info("flags", TensorProto.INT64, ["batch"]),
        ],
        [
            helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 64]),
            helper.make_tensor_value_info("z", TensorProto.FLOAT, ["batch"]),
            helper.make_tensor_value_info("cast", TensorProto.FLOAT, ["batch"]),
        ],
        [
            numpy_helper.from_array(WEIGHTS, "weights"),
            numpy_helper.from_array(np.array(0, np.float32), "limit"),
        ],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


class HalfTest(unittest.TestCase):
    def run_model(self, made: onnx.ModelProto, kind: Any) -> list[Any]:
        import onnxruntime

        session = onnxruntime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
        x: Any = np.random.default_rng(1).random((3, 64), np.float32).astype(kind)
        return list(session.run(None, {"x": x, "flags": np.array([0, 1, 7], np.int64)}))

    def test_inputs_and_outputs_that_are_kept_have_their_names_and_types_and_float16_inside(self) -> None:
        made = to_float16(casting_model(), keep_io_types=True)
        infer_shapes(made)
        signature = onnx_signature(made)
        self.assertEqual(signature, onnx_signature(casting_model()))
        types = {value.name: value.data_type for value in made.graph.initializer}
        self.assertEqual(types, {"weights": TensorProto.FLOAT16, "limit": TensorProto.FLOAT16})
        for found, wanted in zip(
            self.run_model(made, np.float32), self.run_model(casting_model(), np.float32)
        ):
            self.assertEqual((found.dtype, found.shape), (wanted.dtype, wanted.shape))
            np.testing.assert_allclose(found, wanted, rtol=0.01)

    def test_without_that_they_become_float16(self) -> None:
        made = to_float16(casting_model())
        kinds = [tensor.datatype for tensor in onnx_signature(made).inputs]
        self.assertEqual(kinds, ["FP16", "INT64"])
        self.assertEqual([array.dtype for array in self.run_model(made, np.float16)], [np.float16] * 3)


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
