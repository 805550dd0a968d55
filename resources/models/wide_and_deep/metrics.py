"""MAP@12: mean average precision of the first twelve ads of each display."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from .features import OUTPUT

Tensors = dict[str, npt.NDArray[Any]]


def map_at(
    count: int, displays: npt.NDArray[Any], scores: npt.NDArray[Any], clicked: npt.NDArray[Any]
) -> float:
    """Mean over the displays with a click; 0 when there is none.

    Of equal scores, those of ads without a click count as better: a model that says the same of every ad earns
    nothing by the order of the rows. NaN ranks last.
    """
    values = np.where(np.isnan(scores), -np.inf, scores.astype(np.float64))
    order = np.lexsort((clicked, -values, displays))
    shown, hit = displays[order], clicked[order].astype(np.float64)
    starts = np.flatnonzero(np.r_[True, shown[1:] != shown[:-1]])
    group = np.cumsum(np.r_[True, shown[1:] != shown[:-1]]) - 1
    rank = np.arange(len(shown)) - starts[group] + 1
    before = np.r_[0.0, np.cumsum(hit)][starts]
    precision = (np.cumsum(hit) - before[group]) / rank
    gained = np.bincount(group, np.where(rank <= count, hit * precision, 0.0))
    relevant = np.bincount(group, hit)
    with_click = relevant > 0
    if not with_click.any():
        return 0.0
    return float((gained[with_click] / np.minimum(relevant[with_click], count)).mean())


class MetricsCalculator:
    """Takes all samples at once."""

    def __init__(self, output_used_for_metrics: str = OUTPUT) -> None:
        self._output = output_used_for_metrics

    def calc(
        self, *, ids: list[str], y_pred: Tensors, x: Optional[Tensors], y_real: Tensors
    ) -> dict[str, float]:
        """0 to 1. `ids`: the display of each ad; `y_real`: 1 where it was clicked."""
        del x
        scores, clicked = y_pred[self._output].reshape(-1), y_real[self._output].reshape(-1)
        return {"map12": map_at(12, np.unique(ids, return_inverse=True)[1], scores, clicked > 0.5)}
