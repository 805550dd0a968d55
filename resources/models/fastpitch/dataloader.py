"""Batches of the validation sentences: token numbers, and the mel spectrograms that were spoken."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .filelist import list_utterances, read_mel
from .speech import MELS
from .text import to_tokens

Array = npt.NDArray[Any]
Tensors = dict[str, Array]


def pad_tokens(sentences: list[list[int]]) -> Array:
    """[batch, tokens of the longest] int64; 0 is padding."""
    padded = np.zeros((len(sentences), max(len(tokens) for tokens in sentences)), dtype=np.int64)
    for row, tokens in zip(padded, sentences):
        row[: len(tokens)] = tokens
    return padded


def pad_mels(mels: list[Array]) -> Array:
    """[batch, mels, frames of the longest] float32; 0 behind the end."""
    padded = np.zeros((len(mels), MELS, max(mel.shape[1] for mel in mels)), dtype=np.float32)
    for row, mel in zip(padded, mels):
        row[:, : mel.shape[1]] = mel
    return padded


class SentenceLoader:
    """Yields (ids, x, y): x INPUT__0 [batch, tokens], y OUTPUT__0 [batch, mels, frames] and OUTPUT__1 [batch]."""

    def __init__(self, data_dir: Path, batch_size: int, filelist: str, held_out: int) -> None:
        self._utterances = list_utterances(data_dir, filelist, held_out)
        self._batch_size = batch_size

    def __len__(self) -> int:
        """Samples, not batches."""
        return len(self._utterances)

    def __call__(self) -> Iterator[tuple[list[str], Tensors, Tensors]]:
        for start in range(0, len(self._utterances), self._batch_size):
            part = self._utterances[start : start + self._batch_size]
            x = pad_tokens([to_tokens(utterance.text) for utterance in part])
            mels = [read_mel(utterance) for utterance in part]
            lengths = np.array([mel.shape[1] for mel in mels], dtype=np.int64)
            yield (
                [utterance.id for utterance in part],
                {"INPUT__0": x},
                {"OUTPUT__0": pad_mels(mels), "OUTPUT__1": lengths},
            )


class LoadRequests:
    """Sentences one behind the other, cut into samples of exactly `length` tokens, none of which is padding."""

    def __init__(self, data_dir: Path, batch_size: int, filelist: str, held_out: int, length: int) -> None:
        if length < 1:
            raise ValueError(f"sequence_length must be at least 1, not {length}")
        space = to_tokens("a b")[1]
        stream: list[int] = []
        for utterance in list_utterances(data_dir, filelist, held_out):
            stream += [*to_tokens(utterance.text), space]
        # A data set shorter than one sample is said again.
        stream *= -(-length // len(stream))
        self._samples = np.array(stream, dtype=np.int64)[: len(stream) // length * length].reshape(-1, length)
        self._batch_size = batch_size

    def __len__(self) -> int:
        return len(self._samples)

    def __call__(self) -> Iterator[tuple[list[str], Tensors, Tensors]]:
        for start in range(0, len(self._samples), self._batch_size):
            part = self._samples[start : start + self._batch_size]
            yield [f"load-{start + i}" for i in range(len(part))], {"INPUT__0": part}, {}


def get_dataloader_fn(
    data_dir: str,
    batch_size: int = 1,
    val_filelist: str = "filelists/val.txt",
    held_out: int = 100,
    sequence_length: int = 128,
    purpose: str = "",
) -> SentenceLoader | LoadRequests:
    """Each batch is padded to its longest sentence; the last may be smaller, none is left out.

    With `purpose` "load", what the load tools send: all samples of `sequence_length` tokens. `held_out`: sentences for
    validation where there is no file list.
    """
    root = Path(data_dir)
    if purpose == "load":
        return LoadRequests(root, batch_size, val_filelist, held_out, sequence_length)
    return SentenceLoader(root, batch_size, val_filelist, held_out)
