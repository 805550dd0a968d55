"""A file of skops: the reference is the estimator, the graph is what skl2onnx makes of it."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np

from .forest import ML_OPSET, Array
from .graph import INPUT, value_info
from .tree_nodes import check_trees


def _steps(model: Any) -> list[Any]:
    """Estimators in order; of a pipeline within a pipeline its own."""
    if not hasattr(model, "steps"):
        return [model]
    return [inner for _, step in model.steps if not isinstance(step, str) for inner in _steps(step)]


def _by_number(columns: Any, names: list[str]) -> Any:
    """Columns by name become their numbers, as rows without names are taken."""
    if isinstance(columns, str):
        return names.index(columns)
    if isinstance(columns, (list, tuple, np.ndarray)) and any(isinstance(one, str) for one in columns):
        return [names.index(str(one)) for one in columns]
    return columns


def _take_rows(model: Any) -> None:
    """An estimator that was trained on a table with names takes rows of numbers in the same order."""
    for step in _steps(model):
        names = [str(name) for name in getattr(step, "feature_names_in_", [])]
        if not hasattr(step, "transformers_"):
            continue
        step.transformers_ = [
            (name, part, _by_number(columns, names)) for name, part, columns in step.transformers_
        ]
        for _, part, _ in step.transformers_:
            if not isinstance(part, str):
                _take_rows(part)


def _refuse_functions(model: Any) -> None:
    """A FunctionTransformer without a function passes columns on, and one with a function is code."""
    for step in _steps(model):
        for _, part, _ in getattr(step, "transformers_", []):
            if getattr(part, "func", None) is not None:
                raise ValueError("A step of the pipeline is a function, which is not run")


#: Data alone, which skops does not know as such.
_PLAIN = {
    "numpy.dtype",
    "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
    "sklearn.neural_network._stochastic_optimizers.SGDOptimizer",
}
#: `check_trees` reads what they hold before anything is computed.
_CHECKED = {
    "sklearn.tree._tree.Tree",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
}


def load_skops(path: str) -> Any:
    """Raises ValueError for types that are not trusted, with nothing loaded, and for trees that lead outside."""
    import skops.io

    asked = skops.io.get_untrusted_types(file=path)
    untrusted = [name for name in asked if name not in _PLAIN | _CHECKED]
    if untrusted:
        raise ValueError(f"skops does not trust {', '.join(untrusted[:5])}, and nothing was loaded")
    with warnings.catch_warnings():
        # Another version of scikit-learn wrote it; whether that matters is for the comparison to say.
        warnings.simplefilter("ignore")
        model = skops.io.load(path, trusted=asked)
    check_trees(model, _steps(model)[-1])
    return model


def _rename(graph: Any, old: str, new: str) -> None:
    for node in graph.node:
        for held in (node.input, node.output):
            for index, name in enumerate(held):
                if name == old:
                    held[index] = new


def _send_missing(graph: Any, last: Any) -> None:
    """The converter sends missing values to the right child; trees and forests say for each node where theirs go."""
    trees = [one.tree_ for one in getattr(last, "estimators_", [last]) if hasattr(one, "tree_")]
    ensembles = [node for node in graph.node if node.op_type.startswith("TreeEnsemble")]
    if not trees or not ensembles:
        return
    (ensemble,) = ensembles
    attributes = {attribute.name: attribute for attribute in ensemble.attribute}
    places = zip(attributes["nodes_treeids"].ints, attributes["nodes_nodeids"].ints)
    sides = [int(trees[tree].missing_go_to_left[node]) for tree, node in places]
    attributes["nodes_missing_value_tracks_true"].ints[:] = sides


class SklearnFile:
    library = "sklearn"

    def __init__(self, path: str, rounds: int) -> None:
        """Raises ValueError where it is not loaded."""
        del rounds
        self._model = load_skops(path)
        _refuse_functions(self._model)
        steps = _steps(self._model)
        self._last = steps[-1]
        self._columns = [str(name) for step in steps[:1] for name in getattr(step, "feature_names_in_", [])]
        _take_rows(self._model)
        self.features = int(self._model.n_features_in_)
        self._classes = getattr(self._last, "classes_", None)
        self.objective = type(self._last).__name__

    @property
    def steps(self) -> list[Any]:
        return _steps(self._model)

    def predict(self, rows: Array) -> list[Array]:
        with warnings.catch_warnings():
            # Rows have no names.
            warnings.simplefilter("ignore")
            answer = np.asarray(self._model.predict(rows))
            if self._classes is None:
                return [answer.reshape(len(rows), -1).astype(np.float32)]
            probabilities = np.asarray(self._model.predict_proba(rows))
        label = np.searchsorted(self._classes, answer).reshape(-1, 1).astype(np.int64)
        return [label, probabilities.astype(np.float32)]

    def takes_missing(self) -> bool:
        try:
            self.predict(np.full((1, self.features), np.nan, dtype=np.float32))
        except ValueError:
            return False
        return True

    def _with_numbers(self) -> tuple[Any, Any]:
        """Model and last step, whose classes are their numbers: labels of the graph are numbers then."""
        if self._classes is None or np.array_equal(self._classes, np.arange(len(self._classes))):
            return self._model, self._last
        model = copy.deepcopy(self._model)
        last = _steps(model)[-1]
        last.classes_ = np.arange(len(self._classes))
        return model, last

    def to_onnx(self, opset: int) -> Any:
        import onnx
        import skl2onnx
        from skl2onnx.common.data_types import FloatTensorType

        model, last = self._with_numbers()
        # Without it the probabilities are a list of maps (ZipMap).
        options = {} if self._classes is None else {id(last): {"zipmap": False}}
        try:
            converted = skl2onnx.convert_sklearn(
                model,
                initial_types=[(INPUT, FloatTensorType([None, self.features]))],
                options=options,
                target_opset={"": opset, "ai.onnx.ml": ML_OPSET},
            )
        except (NotImplementedError, RuntimeError, TypeError, ValueError) as error:
            text = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise ValueError(f"skl2onnx cannot convert {self.objective}: {text}") from error
        graph, kinds = converted.graph, onnx.TensorProto
        if not hasattr(last, "n_trees_per_iteration_"):
            _send_missing(graph, last)
        made = [value.name for value in graph.output]
        wanted = ["variable"] if self._classes is None else ["label", "probabilities"]
        widths = [-1] if self._classes is None else [1, len(self._classes)]
        row = onnx.numpy_helper.from_array(np.array([-1, 1], dtype=np.int64), "column_shape")
        del graph.output[:]
        for name, source, width in zip(wanted, made, widths):
            own = f"{source}_own"
            _rename(graph, source, own)
            if name == "label":
                graph.initializer.append(row)
                graph.node.append(onnx.helper.make_node("Reshape", [own, "column_shape"], [name]))
                graph.output.append(value_info(name, kinds.INT64, 1))
            else:
                graph.node.append(onnx.helper.make_node("Identity", [own], [name]))
                size = self._width() if width < 0 else width
                graph.output.append(value_info(name, kinds.FLOAT, size))
        return converted

    def _width(self) -> int:
        """Values per row of a regression."""
        return self.predict(np.zeros((1, self.features), dtype=np.float32))[0].shape[1]

    def facts(self) -> dict[str, Any]:
        classes = [] if self._classes is None else [str(name) for name in self._classes]
        return {"columns": self._columns, "classes": classes, "objective": self.objective}
