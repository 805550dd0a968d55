"""Dice of each foreground class and their mean."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import numpy.typing as npt

Tensors = dict[str, npt.NDArray[Any]]


class MetricsCalculator:
    """Takes all samples at once."""

    def __init__(self, classes: int = 4, output_used_for_metrics: str = "OUTPUT__0") -> None:
        self._classes = classes
        self._output = output_used_for_metrics

    def calc(
        self, *, ids: list[str], y_pred: Tensors, x: Optional[Tensors], y_real: Tensors
    ) -> dict[str, float]:
        """Dice 0 to 1: `dice_class_<c>` is the mean over samples, `dice` the mean over the foreground classes.

        A class that neither label nor prediction has counts as 1. The published script asks whether class c is there
        and then counts class c + 1, and takes the highest class that happens to occur as the number of classes; here
        one index means one class, and the number of classes is the model's.
        """
        del ids, x
        predicted, labels = y_pred[self._output], y_real[self._output]
        if predicted.shape != labels.shape:
            raise ValueError(f"Predictions {list(predicted.shape)}, labels {list(labels.shape)}")
        axes = tuple(range(1, labels.ndim))
        values = {}
        for index in range(1, self._classes):
            found, wanted = predicted == index, labels == index
            both = (found & wanted).sum(axis=axes)
            sizes = found.sum(axis=axes) + wanted.sum(axis=axes)
            dice = np.where(sizes == 0, 1.0, 2 * both / np.maximum(sizes, 1))
            values[f"dice_class_{index}"] = float(dice.mean())
        return {"dice": float(np.mean(list(values.values()))), **values}
