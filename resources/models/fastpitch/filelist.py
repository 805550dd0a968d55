"""An LJSpeech folder: `wavs/LJ001-0001.wav` with `metadata.csv`, or with file lists as FastPitch has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple, Optional

import numpy.typing as npt

from .speech import MELS, log_mel, read_wav

Array = npt.NDArray[Any]

#: Column of a file list by the folder that its path begins with; the last column is the text.
_COLUMNS = {"wavs": "wav", "mels": "mel", "durations": "durations", "pitch": "pitch", "pitch_char": "pitch"}


class Utterance(NamedTuple):
    """`id`: name of its first file; paths are None where the list has no such column."""

    id: str
    text: str
    wav: Optional[Path] = None
    mel: Optional[Path] = None
    durations: Optional[Path] = None
    pitch: Optional[Path] = None


def parse_line(line: str, root: Path) -> Utterance:
    """`wavs/A.wav|durations/A.pt|pitch/A.pt|text`; columns before the text in any order. Raises ValueError."""
    *files, text = line.split("|")
    paths: dict[str, Path] = {}
    for file in files:
        kind = _COLUMNS.get(file.split("/", 1)[0])
        if kind is None or ".." in Path(file).parts:
            raise ValueError(f'"{file}" is in none of the folders {", ".join(_COLUMNS)}')
        paths[kind] = root / file
    if "wav" not in paths and "mel" not in paths:
        raise ValueError("there is neither a path below wavs nor one below mels")
    return Utterance(Path(files[0]).stem, text, **paths)


def _lines(path: Path) -> list[tuple[int, str]]:
    numbered = enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
    return [(number, line) for number, line in numbered if line.strip() != ""]


def _from_metadata(root: Path, held_out: int, training: bool) -> list[Utterance]:
    """`LJ001-0001|text as read|text with numbers in words`; the last `held_out` lines are for validation."""
    found = []
    for number, line in _lines(root / "metadata.csv"):
        columns = line.split("|")
        if len(columns) < 2 or Path(columns[0]).name != columns[0]:
            raise ValueError(f"metadata.csv, line {number}: expected LJ001-0001|text|normalised text")
        found.append(Utterance(columns[0], columns[-1], wav=root / "wavs" / f"{columns[0]}.wav"))
    return found[:-held_out] if training else found[-held_out:]


def list_utterances(root: Path, filelist: str, held_out: int, training: bool = False) -> list[Utterance]:
    """Utterances of a file list below the root, or else of its metadata.csv. Raises ValueError."""
    path = root / filelist
    if path.is_file():
        found = []
        for number, line in _lines(path):
            try:
                found.append(parse_line(line, root))
            except ValueError as error:
                raise ValueError(f"{filelist}, line {number}: {error}") from error
    elif (root / "metadata.csv").is_file():
        found = _from_metadata(root, held_out, training)
    else:
        raise ValueError(f"{root} has neither {filelist} nor metadata.csv")
    if not found:
        raise ValueError(f"{path if path.is_file() else root / 'metadata.csv'} names no utterance")
    return found


def read_tensor(path: Path) -> Array:
    """A tensor saved by torch.save; data only, no code of the file is run. Raises ValueError."""
    import torch

    try:
        value = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:
        raise ValueError(f"{path} cannot be read as a tensor: {error}") from error
    if not isinstance(value, torch.Tensor):
        raise ValueError(f"{path} holds a {type(value).__name__}, not a tensor")
    array: Array = value.float().numpy()
    return array


def read_mel(utterance: Utterance) -> Array:
    """Log-mel spectrogram [mels, frames], computed from the sound where the list names no mel. Raises ValueError."""
    if utterance.mel is None:
        assert utterance.wav is not None
        return log_mel(read_wav(utterance.wav))
    mel = read_tensor(utterance.mel)
    if mel.ndim != 2 or mel.shape[0] != MELS:
        raise ValueError(f"{utterance.mel} has the shape {list(mel.shape)}, not [{MELS}, frames]")
    return mel
