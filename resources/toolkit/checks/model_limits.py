"""What a model that fails on its samples does take: found by trying smaller batches and shorter samples."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple, Optional

from ..batches import Tensors
from ..signature import Signature

#: Together: a large model on a slow machine is not tried again and again while a person waits for the reason.
_DEADLINE_S = 20.0
_MOST_TRIES = 24
#: Batches that exports fix beside 1.
_BATCHES = (1, 2, 4, 8, 16, 32)


class Limit(NamedTuple):
    """What works in place of what failed. `batch`: the only batch size found; `shapes`: samples of each input that are
    as long as the model takes, with `length` along the `axes` of each input where `failed` does not work.
    """

    batch: Optional[int] = None
    shapes: Optional[dict[str, list[int]]] = None
    axes: Optional[dict[str, list[int]]] = None
    length: int = 0
    failed: int = 0


class _Tries:
    def __init__(self, run: Callable[[Tensors], Tensors]) -> None:
        self._run = run
        self._until = time.monotonic() + _DEADLINE_S
        self._left = _MOST_TRIES

    def works(self, x: Tensors) -> Optional[bool]:
        """None where there is no time left for another try."""
        if self._left == 0 or time.monotonic() > self._until:
            return None
        self._left -= 1
        try:
            self._run(x)
        except MemoryError:
            raise
        except Exception:
            return False
        return True


def _of_batch(x: Tensors, size: int) -> Tensors:
    return {name: array[:1].repeat(size, axis=0) for name, array in x.items()}


def _find_batch(tries: _Tries, x: Tensors, failed: int) -> Optional[Limit]:
    for size in _BATCHES:
        if size == failed:
            continue
        works = tries.works(_of_batch(x, size))
        if works is None:
            return None
        if works:
            return Limit(batch=size)
    return None


def _varying(x: Tensors, signature: Signature) -> tuple[int, dict[str, list[int]]]:
    """The longest size of the axes that vary, behind the first, and which axes of which inputs have it."""
    open_axes = {
        tensor.name: [axis for axis, size in enumerate(tensor.shape) if axis > 0 and size == -1]
        for tensor in signature.inputs
        if tensor.name in x
    }
    longest = max((x[name].shape[axis] for name, axes in open_axes.items() for axis in axes), default=0)
    found = {
        name: [axis for axis in axes if x[name].shape[axis] == longest] for name, axes in open_axes.items()
    }
    return longest, {name: axes for name, axes in found.items() if axes}


def _shortened(x: Tensors, axes: dict[str, list[int]], length: int) -> Tensors:
    shorter = dict(x)
    for name, places in axes.items():
        cuts = tuple(slice(0, length) if axis in places else slice(None) for axis in range(x[name].ndim))
        shorter[name] = x[name][cuts]
    return shorter


def _find_length(tries: _Tries, x: Tensors, signature: Signature) -> Optional[Limit]:
    """By halving to a length that works, and from there to the longest that does."""
    failed, axes = _varying(x, signature)
    longest = failed
    works = 0
    while works == 0 and failed > 1:
        length = failed // 2
        answer = tries.works(_shortened(x, axes, length))
        if answer is None:
            return None
        works, failed = (length, failed) if answer else (0, length)
    while works > 0 and failed - works > 1:
        length = (works + failed) // 2
        answer = tries.works(_shortened(x, axes, length))
        if answer is None:
            break
        works, failed = (length, failed) if answer else (works, length)
    if works == 0:
        return None
    shapes = {name: list(array.shape) for name, array in _shortened(x, axes, works).items() if name in axes}
    return Limit(shapes=shapes, axes=axes, length=works, failed=longest)


def find_limit(
    run: Callable[[Tensors], Tensors], x: Tensors, signature: Signature, batched: bool
) -> Optional[Limit]:
    """`x`: what the model failed on; None where nothing that was tried works."""
    tries = _Tries(run)
    size = len(next(iter(x.values())))
    found = _find_batch(tries, x, size) if batched else None
    return found or _find_length(tries, _of_batch(x, 1) if batched else x, signature)
