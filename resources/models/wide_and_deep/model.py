"""Wide & Deep of Cheng et al. 2016 (arXiv:1606.07792): a linear model and a multi-layer perceptron, trained jointly.

The probability of a click is sigmoid(wide + deep). Wide: one weight for each id and each number. Deep: an embedding
of each feature beside the numbers, through fully connected layers with ReLU. The paper has layers of 1024, 512 and
256; the published deployment has five of 1024, with dropout. An id below 0 is padding. An id beyond its table adds
nothing, as on a GPU, and still counts as one in a mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from .features import HOTNESS, INPUTS, MULTI_HOT, NUMERIC, ONE_HOT, OUTPUT, Table, table_sizes


class Bag(keras.layers.Layer):  # type: ignore[misc]
    """ids [batch, n] of int32 -> [batch, dim]: rows of a table, joined by sum or mean; padding is left out."""

    def __init__(self, table: Table, combiner: str, initializer: Any, **named: Any) -> None:
        super().__init__(**named)
        self._table = table
        self._combiner = combiner
        self._initializer = initializer

    def build(self, _shape: Any) -> None:
        shape = (self._table.rows, self._table.dim)
        self.embeddings = self.add_weight(shape=shape, initializer=self._initializer, name="embeddings")

    def call(self, ids: Any) -> Any:
        given = ids >= 0
        known = ops.logical_and(given, ids < self._table.rows)
        rows = ops.take(self.embeddings, ops.where(known, ids, 0), axis=0)
        total = ops.sum(rows * ops.expand_dims(ops.cast(known, rows.dtype), -1), axis=1)
        if self._combiner == "sum":
            return total
        count = ops.sum(ops.cast(given, rows.dtype), axis=1, keepdims=True)
        return total / ops.maximum(count, 1.0)


def _spread(table: Table, seed: int) -> Any:
    """The wider an embedding, the smaller its values: the sum that a neuron sees keeps its scale."""
    return keras.initializers.TruncatedNormal(stddev=table.dim**-0.5, seed=seed)


def get_model(
    deep_hidden_units: Sequence[int] = (1024, 1024, 1024, 1024, 1024),
    deep_dropout: float = 0.1,
    combiner: str = "sum",
    max_rows: int = 0,
    max_dim: int = 0,
    tables: Sequence[str] = (),
    seed: int = 0,
) -> tuple[keras.Model, dict[str, list[str]]]:
    """The model with seeded weights, and the names of its inputs and outputs.

    `combiner`: how the deep part joins the ids of a multi-hot feature; the wide part always sums. `max_rows`,
    `max_dim`: limits of the embedding tables for a small model, 0 = the published sizes; `tables`: sizes of single
    tables, as "ad_id:250000:128".
    """
    if combiner not in ("sum", "mean"):
        raise ValueError(f'combiner must be sum or mean, not "{combiner}"')
    if len(deep_hidden_units) == 0 or min(deep_hidden_units) < 1:
        raise ValueError(f"deep_hidden_units must be sizes of at least 1, not {list(deep_hidden_units)}")
    if not 0 <= deep_dropout < 1:
        raise ValueError(f"deep_dropout must be 0 or more and less than 1, not {deep_dropout}")
    widths = {**dict.fromkeys(ONE_HOT, 1), **dict.fromkeys(MULTI_HOT, HOTNESS), **dict.fromkeys(NUMERIC, 1)}
    inputs = {
        name: keras.Input((widths[name],), dtype="float32" if name in NUMERIC else "int32", name=name)
        for name in INPUTS
    }
    numbers = keras.layers.Concatenate(name="numeric")([inputs[name] for name in NUMERIC])
    wide, deep = [keras.layers.Dense(1, kernel_initializer="zeros", name="wide_numeric")(numbers)], [numbers]
    for index, (name, table) in enumerate(table_sizes(max_rows, max_dim, tables).items()):
        weights = Bag(Table(table.rows, 1), "sum", "zeros", name=f"wide_{name}")
        wide.append(weights(inputs[name]))
        embedding = Bag(table, combiner, _spread(table, seed + index), name=f"deep_{name}")
        deep.append(embedding(inputs[name]))
    hidden = keras.layers.Concatenate(name="deep_inputs")(deep)
    for index, units in enumerate(deep_hidden_units):
        start = keras.initializers.HeNormal(seed=seed + 100 + index)
        layer = keras.layers.Dense(units, activation="relu", kernel_initializer=start, name=f"deep_{index}")
        hidden = keras.layers.Dropout(deep_dropout, seed=seed)(layer(hidden))
    start = keras.initializers.GlorotNormal(seed=seed + 99)
    deep_logit = keras.layers.Dense(1, kernel_initializer=start, name="deep_logit")(hidden)
    logit = keras.layers.Add(name="logit")([*wide, deep_logit])
    click = keras.layers.Activation("sigmoid", name=OUTPUT)(logit)
    return keras.Model(inputs, click, name="wide_and_deep"), {"inputs": list(INPUTS), "outputs": [OUTPUT]}
