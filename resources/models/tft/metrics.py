"""q-risk of each quantile on unscaled values."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from .layout import QUANTILES
from .scalers import read_scalers, scale_of

Tensors = dict[str, npt.NDArray[Any]]


def quantile_loss(
    target: npt.NDArray[Any], predicted: npt.NDArray[Any], quantile: float
) -> npt.NDArray[np.float64]:
    """q (y - p) where the forecast is too low, (1 - q) (p - y) where it is too high."""
    error = target - predicted
    loss: npt.NDArray[np.float64] = np.maximum(quantile * error, (quantile - 1) * error)
    return loss


class MetricsCalculator:
    """Takes all samples at once. `data_dir` holds the target's scalers."""

    def __init__(self, data_dir: str, output_used_for_metrics: str = "target__0") -> None:
        self._scalers = read_scalers(Path(data_dir))
        self._output = output_used_for_metrics

    def calc(
        self, *, ids: list[str], y_pred: Tensors, x: Optional[Tensors], y_real: Tensors
    ) -> dict[str, float]:
        """Twice the sum of quantile losses over the sum of absolute targets; lower is better.

        `y_pred` [n, hours, quantiles] and `y_real` [n, hours] are scaled; `id__7` [n] says which scale is theirs.
        """
        del ids, x
        scales = [scale_of(self._scalers, int(series)) for series in y_real["id__7"]]
        mean = np.array([scale.mean for scale in scales])[:, None]
        std = np.array([scale.std for scale in scales])[:, None]
        target = y_real["target__0"].astype(np.float64) * std + mean
        whole = np.abs(target).sum()
        risks = {}
        for index, quantile in enumerate(QUANTILES):
            predicted = y_pred[self._output][..., index].astype(np.float64) * std + mean
            loss = quantile_loss(target, predicted, quantile).sum()
            risks[f"test_p{quantile * 100:.0f}"] = float(2 * loss / whole)
        return risks
