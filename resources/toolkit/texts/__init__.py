"""Tensors of text: arrays of str here, four bytes of length and the content of each element for Triton."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import numpy.typing as npt

#: Of made texts: words, of which half the texts have at most the first number and 95 of 100 at most the second.
USUAL_WORDS, MANY_WORDS, MOST_WORDS = 8, 32, 64
_SYLLABLES = ("ba", "do", "fen", "gi", "ka", "lum", "mi", "nor", "pe", "ra", "sol", "tu", "ve", "zin")


def is_text(array: npt.NDArray[Any]) -> bool:
    return array.dtype.kind == "U"


def as_texts(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Of str or bytes, as runtimes and clients give them; bytes that are not UTF-8 differ from all that are."""
    texts = [
        element.decode("utf-8", "surrogateescape") if isinstance(element, bytes) else str(element)
        for element in array.reshape(-1)
    ]
    return np.array(texts, dtype=np.str_).reshape(array.shape)


def as_bytes(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Objects of bytes, as the client of Triton takes them."""
    found = np.empty(array.shape, dtype=np.object_)
    flat = found.reshape(-1)
    for index, text in enumerate(array.reshape(-1)):
        flat[index] = str(text).encode("utf-8", "surrogateescape")
    return found


def raw_bytes(array: npt.NDArray[Any]) -> bytes:
    """A tensor as Triton's protocol has it: little-endian numbers, or texts with their lengths."""
    if not is_text(array):
        return np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes()
    parts = [bytes(element) for element in as_bytes(array).reshape(-1)]
    return b"".join(struct.pack("<I", len(part)) + part for part in parts)


def made_texts(generator: np.random.Generator, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """Words of random syllables; their number is log-normal, with the median and the 95th percentile from above."""
    spread = np.log(MANY_WORDS / USUAL_WORDS) / 1.645
    drawn = generator.lognormal(np.log(USUAL_WORDS), spread, int(np.prod(shape)))
    texts = []
    for count in np.clip(np.rint(drawn), 1, MOST_WORDS).astype(int):
        words = ["".join(generator.choice(_SYLLABLES, size)) for size in generator.integers(1, 4, count)]
        texts.append(" ".join(words))
    return np.array(texts, dtype=np.str_).reshape(shape)
