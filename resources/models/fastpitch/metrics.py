"""The published in-range check, and how far the speech is from what was spoken."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Tensors = dict[str, Array]

#: Natural logarithms of mel amplitudes that the published metric accepts; LJSpeech's own lie in -11.51 to 2.06.
LOWEST, HIGHEST = -15.0, 3.0

#: A value that is not finite counts as this far off.
_LOST = 100.0


def _costs(a: Array, b: Array) -> Array:
    """Mean absolute difference of every frame of a [mels, n] to every frame of b [mels, m]: [n, m]."""
    return np.stack([np.abs(a[:, index : index + 1] - b).mean(axis=0) for index in range(a.shape[1])])


def mel_distance(a: Array, b: Array) -> float:
    """Mean absolute difference of log-mels over the best alignment (dynamic time warping) of [mels, n] and [mels, m].

    Steps in both count twice, so that the weights of every alignment add up to n + m (Sakoe and Chiba 1978, symmetric
    form). Anti-diagonals are computed one by one: all values of one depend on the two before it only.
    """
    costs = _costs(a, b)
    n, m = costs.shape
    # Place i + 1 holds row i; place 0 stands for what is outside.
    before, last = np.full(n + 1, np.inf), np.full(n + 1, np.inf)
    before[0] = 0.0
    for diagonal in range(n + m - 1):
        rows = np.arange(max(0, diagonal - m + 1), min(n - 1, diagonal) + 1)
        cost = costs[rows, diagonal - rows]
        current = np.full(n + 1, np.inf)
        current[rows + 1] = np.minimum(before[rows] + 2 * cost, np.minimum(last[rows], last[rows + 1]) + cost)
        before, last = last, current
    return float(last[n] / (n + m))


def _samples(tensors: Tensors, name: str, lengths_name: str) -> tuple[list[Array], Array]:
    """Each sample [mels, its own frames] without padding, and the lengths."""
    lengths = tensors[lengths_name].reshape(len(tensors[lengths_name])).astype(np.int64)
    mels = tensors[name].astype(np.float32)
    # A sample without any frame is judged by the one empty frame that it has.
    return [mel[:, : max(1, count)] for mel, count in zip(mels, lengths)], lengths


class MetricsCalculator:
    """Takes all samples at once."""

    def __init__(
        self, output_used_for_metrics: str = "OUTPUT__0", output_with_lengths: str = "OUTPUT__1"
    ) -> None:
        self._output = output_used_for_metrics
        self._lengths = output_with_lengths

    def calc(
        self, *, ids: list[str], y_pred: Tensors, x: Optional[Tensors], y_real: Tensors
    ) -> dict[str, float]:
        """`accuracy`: fraction of samples all of whose values are in range, as published, but without padding.

        `mel_distance`: see the function; natural logarithms. `length_error`: mean of |frames - true| / true.
        """
        del ids, x
        predicted, lengths = _samples(y_pred, self._output, self._lengths)
        real, real_lengths = _samples(y_real, self._output, self._lengths)
        in_range = [bool(((mel >= LOWEST) & (mel <= HIGHEST)).all()) for mel in predicted]
        distances = [
            mel_distance(np.nan_to_num(mel, nan=_LOST, posinf=_LOST, neginf=-_LOST), target)
            for mel, target in zip(predicted, real)
        ]
        return {
            "accuracy": float(np.mean(in_range)),
            "mel_distance": float(np.mean(distances)),
            "length_error": float((np.abs(lengths - real_lengths) / real_lengths).mean()),
        }
