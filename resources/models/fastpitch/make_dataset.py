"""Sentences and their sound in an LJSpeech folder: every letter has its own sound, length and pitch.

No speech, but sound that follows from the text, so that a small network can learn it in seconds: letters are harmonic
tones under two resonances or bands of noise, blanks and punctuation silence.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np
import numpy.typing as npt

from .speech import HOP, SAMPLE_RATE, write_wav
from .text import SYMBOLS, to_tokens

Array = npt.NDArray[Any]


def _choices(text: str) -> list[str]:
    return text.split("|")


_NAMES = _choices(
    "Mr. Reed|Mrs. Hale|Dr. Moss|Anna|the baker|the old sailor|our teacher|the clerk|a quiet child"
)
_VERBS = _choices("sold|counted|carried|found|painted|washed|lost|opened|measured|kept")
_ADJECTIVES = _choices("blue|heavy|small|broken|bright|wooden|paper|silver|warm|plain")
_THINGS = _choices("lamps|boxes|letters|clocks|chairs|maps|bottles|coins|keys|stones")
_PLACES = _choices("in the garden|near the river|behind the mill|on the hill|at noon|before winter|in 1823")

_VOWELS, _NOISES = "aeiouy", "bcdfhkpqstvxz"

#: Harmonics of a tone, at most.
_HARMONICS = 14


def sentence(rng: np.random.Generator) -> str:
    """One English sentence of 20 to 60 letters; some with a number or an abbreviation, some questions."""
    who, verb, how, what, where = (
        str(rng.choice(words)) for words in (_NAMES, _VERBS, _ADJECTIVES, _THINGS, _PLACES)
    )
    count = str(rng.integers(2, 90)) if rng.random() < 0.5 else "the"
    parts = [who, verb, count, *([how] if rng.random() < 0.5 else []), what]
    text = " ".join([*parts, *([where] if rng.random() < 0.6 else [])])
    return text[0].upper() + text[1:] + str(rng.choice([".", ".", ".", "?"]))


def frames_of(letter: str) -> int:
    """Frames that a letter lasts."""
    if letter in _VOWELS:
        return 3 + _VOWELS.index(letter) % 2
    if letter == " ":
        return 2
    if letter.isalpha():
        return 2 + ord(letter) % 2
    return 4


def pitch_of(letter: str) -> float:
    """Hz; 0 where there is no tone."""
    if letter in _VOWELS:
        return 190.0 + 14.0 * _VOWELS.index(letter)
    return 170.0 if letter.isalpha() and letter not in _NOISES else 0.0


def _sound(letter: str, count: int) -> Array:
    """`count` samples of a letter."""
    if not letter.isalpha():
        return np.zeros(count)
    place = ord(letter) - ord("a")
    time = np.arange(count) / SAMPLE_RATE
    low, high = 300.0 + 120.0 * (place % 6), 1100.0 + 260.0 * (place % 7)
    if letter in _NOISES:
        # The same for every occurrence: the sound follows from the letter alone.
        rng = np.random.default_rng(place)
        bands = 900.0 + 220.0 * place + 600.0 * rng.random(24)
        waves = np.sin(2 * np.pi * (bands[:, None] * time + rng.random((24, 1))))
        return np.asarray(waves.mean(axis=0) * 0.12)
    pitch = pitch_of(letter)
    tones = pitch * np.arange(1, _HARMONICS + 1)
    heights = 0.02 + np.exp(-(((tones - low) / 180) ** 2)) + 0.5 * np.exp(-(((tones - high) / 260) ** 2))
    loud = 0.28 if letter in _VOWELS else 0.14
    waves = np.sin(2 * np.pi * tones[:, None] * time) * heights[:, None]
    return np.asarray(waves.sum(axis=0) * loud / heights.sum())


def speak(text: str) -> tuple[Array, Array, Array]:
    """Samples of the sound, and frames and pitch in Hz of each token of the text."""
    letters = [SYMBOLS[number] for number in to_tokens(text)]
    durations = np.array([frames_of(letter) for letter in letters], dtype=np.int64)
    sound = np.concatenate([_sound(letter, frames * HOP) for letter, frames in zip(letters, durations)])
    # A frame has its middle at a multiple of HOP: half a hop less, and a token's frames lie inside its sound.
    return sound[HOP // 2 :], durations, np.array([pitch_of(letter) for letter in letters], dtype=np.float32)


def make_dataset(
    output: str,
    train_sentences: int = 0,
    val_sentences: int = 8,
    train_filelist: str = "filelists/train.txt",
    val_filelist: str = "filelists/val.txt",
    seed: int = 0,
    progress: Optional[Callable[[float, str], None]] = None,
) -> dict[str, int]:
    """Writes wavs, durations, pitch (tensors, a value a token), metadata.csv and the two file lists."""
    import torch

    root, rng = Path(output), np.random.default_rng(seed)
    for folder in ("wavs", "durations", "pitch"):
        (root / folder).mkdir(parents=True)
    total = train_sentences + val_sentences
    texts: list[str] = []
    # All different, so that no validation sentence was trained on.
    while len(texts) < total:
        text = sentence(rng)
        if text not in texts:
            texts.append(text)
    lines = []
    for index, text in enumerate(texts):
        name = f"LJ{1 + index // 100:03d}-{1 + index % 100:04d}"
        sound, durations, pitch = speak(text)
        write_wav(root / "wavs" / f"{name}.wav", sound)
        torch.save(torch.from_numpy(durations), root / "durations" / f"{name}.pt")
        torch.save(torch.from_numpy(pitch), root / "pitch" / f"{name}.pt")
        lines.append(f"wavs/{name}.wav|durations/{name}.pt|pitch/{name}.pt|{text}\n")
        if progress is not None:
            progress((index + 1) / total, f"{index + 1} of {total} sentences")
    for filelist, part in (
        (train_filelist, lines[:train_sentences]),
        (val_filelist, lines[train_sentences:]),
    ):
        (root / filelist).parent.mkdir(parents=True, exist_ok=True)
        (root / filelist).write_text("".join(part), encoding="utf-8")
    metadata = [f"{Path(line.split('|')[0]).stem}|{text}|{text}\n" for line, text in zip(lines, texts)]
    (root / "metadata.csv").write_text("".join(metadata), encoding="utf-8")
    return {"samples": total, "classes": 0}
