"""Top-1 and top-5 accuracy."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import numpy.typing as npt

Tensors = dict[str, npt.NDArray[Any]]


class MetricsCalculator:
    """Takes all samples at once."""

    def __init__(self, output_used_for_metrics: str = "OUTPUT__0") -> None:
        self._output = output_used_for_metrics

    def calc(
        self, *, ids: list[str], y_pred: Tensors, x: Optional[Tensors], y_real: Tensors
    ) -> dict[str, float]:
        """Fractions 0 to 1. `y_real` holds class indices [n] or one value a class [n, classes]."""
        del ids, x
        scores, labels = y_pred[self._output], y_real[self._output]
        if labels.ndim == 2:
            labels = labels.argmax(axis=1)
        own = np.take_along_axis(scores, labels[:, None].astype(np.int64), axis=1)
        # Rank by what is strictly better; of equal scores the lower class index counts as better, as argmax has it.
        lower = np.arange(scores.shape[1]) < labels[:, None]
        rank = ((scores > own) | ((scores == own) & lower)).sum(axis=1)
        valid = ~np.isnan(scores).any(axis=1)
        return {"top1": float((valid & (rank < 1)).mean()), "top5": float((valid & (rank < 5)).mean())}
