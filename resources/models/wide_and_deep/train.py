"""Joint training as in the paper: FTRL with L1 for the wide part, AdaGrad for the deep one."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Optional

import keras
import numpy as np
import tensorflow as tf

from .features import OUTPUT
from .metrics import MetricsCalculator
from .parquet import Array, Tensors, read_split

Progress = Callable[[float, str], None]


def evaluate(model: keras.Model, ids: list[str], x: Tensors, clicks: Array) -> float:
    """MAP@12."""
    scores = model.predict(x, batch_size=4096, verbose=0)
    values = MetricsCalculator().calc(ids=ids, y_pred={OUTPUT: scores}, x=None, y_real={OUTPUT: clicks})
    return float(values["map12"])


def _make_step(model: keras.Model, learning_rate: float) -> Callable[[Any, Any], Any]:
    of_wide = [variable for variable in model.trainable_variables if variable.path.startswith("wide_")]
    of_deep = [variable for variable in model.trainable_variables if not variable.path.startswith("wide_")]
    wide = keras.optimizers.Ftrl(learning_rate=learning_rate, l1_regularization_strength=1e-4)
    deep = keras.optimizers.Adagrad(learning_rate=learning_rate)
    wide.build(of_wide)
    deep.build(of_deep)
    criterion = keras.losses.BinaryCrossentropy()

    @tf.function(reduce_retracing=True)  # type: ignore[untyped-decorator]
    def step(x: Any, clicks: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = criterion(clicks, model(x, training=True))
        gradients = tape.gradient(loss, of_wide + of_deep)
        wide.apply(gradients[: len(of_wide)], of_wide)
        deep.apply(gradients[len(of_wide) :], of_deep)
        return loss

    return step


def train(
    model: keras.Model,
    data_dir: str,
    train_pattern: str = "train/*.parquet",
    data_pattern: str = "valid/*.parquet",
    train_epochs: int = 0,
    train_batch_size: int = 512,
    learning_rate: float = 0.1,
    seed: int = 0,
    progress: Optional[Progress] = None,
) -> dict[str, Any]:
    """With `train_epochs` 0 the weights stay as they are."""
    if train_epochs == 0:
        return {"trained": False, "steps": 0, "held_out": {}}
    report: Progress = progress or (lambda _fraction, _text: None)
    report(0.02, "Reading the training files")
    held_out = read_split(Path(data_dir), data_pattern)
    untrained = evaluate(model, *held_out)
    _, x, clicks = read_split(Path(data_dir), train_pattern)
    rng = np.random.default_rng(seed)
    steps = -(-len(clicks) // train_batch_size) * train_epochs
    step = _make_step(model, learning_rate)
    done = 0
    for epoch in range(train_epochs):
        order = rng.permutation(len(clicks))
        for start in range(0, len(order), train_batch_size):
            chosen = order[start : start + train_batch_size]
            loss = step({name: array[chosen] for name, array in x.items()}, clicks[chosen])
            done += 1
            report(0.05 + 0.9 * done / steps, f"Epoch {epoch + 1} of {train_epochs}, loss {float(loss):.3f}")
    return {
        "trained": True,
        "steps": done,
        "held_out": {"map12": evaluate(model, *held_out), "map12 before training": untrained},
    }
