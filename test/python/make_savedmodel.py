"""Writes the SavedModel folder of the tests: run with TensorFlow, it takes the folder's path."""

from __future__ import annotations

import sys
from typing import Any


def write_savedmodel(path: str) -> None:
    """values [batch, n, 3] and gain [batch, 1] -> sum [batch, n, 2] and positive [batch, n] (BOOL)."""
    import numpy as np
    import tensorflow

    class Net(tensorflow.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            weights = np.random.default_rng(1).normal(size=(3, 2)).astype(np.float32)
            self.weights = tensorflow.Variable(weights)

        def serve(self, values: Any, gain: Any) -> dict[str, Any]:
            total = tensorflow.tanh(values @ self.weights) * gain[:, :, None]
            # Far from where rounding to float16 would turn an answer over.
            return {"sum": total, "positive": values[:, :, 0] > -1}

    net = Net()
    specs = [
        tensorflow.TensorSpec([None, None, 3], tensorflow.float32, name="values"),
        tensorflow.TensorSpec([None, 1], tensorflow.float32, name="gain"),
    ]
    function = tensorflow.function(net.serve).get_concrete_function(*specs)
    tensorflow.saved_model.save(net, path, signatures={"serving_default": function})


if __name__ == "__main__":
    write_savedmodel(sys.argv[1])
