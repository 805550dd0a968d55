"""Sound of a .wav file and its log-mel spectrogram with the settings that LJSpeech models share."""

from __future__ import annotations

import wave
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

SAMPLE_RATE = 22050
WINDOW = 1024
HOP = 256
MELS = 80
#: Hz; the band of the mel filters.
LOWEST, HIGHEST = 0.0, 8000.0
#: Least amplitude: its logarithm, -11.5129, stands for silence.
FLOOR = 1e-5


def read_wav(path: Path) -> Array:
    """Samples -1 to 1. Raises ValueError when the file is not mono of 16 bits at 22,050 Hz."""
    try:
        with wave.open(str(path), "rb") as file:
            found = (file.getnchannels(), file.getsampwidth(), file.getframerate())
            raw = file.readframes(file.getnframes())
    except (wave.Error, EOFError) as error:
        raise ValueError(f"{path} is not a WAV file: {error}") from error
    if found != (1, 2, SAMPLE_RATE):
        raise ValueError(
            f"{path} has {found[0]} channels of {8 * found[1]} bits at {found[2]} Hz; "
            f"mono of 16 bits at {SAMPLE_RATE} Hz is wanted"
        )
    return np.frombuffer(raw, dtype="<i2").astype(np.float32) / np.float32(32768)


def write_wav(path: Path, samples: Array) -> None:
    """Mono, 16 bits; what is louder than 1 is cut."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE)
        file.writeframes((np.clip(samples, -1, 1) * 32767).round().astype("<i2").tobytes())


def _to_mel(hertz: Array) -> Array:
    """Slaney's scale: linear below 1,000 Hz (3 mel = 200 Hz), logarithmic above (27 mel = a factor of 6.4)."""
    return np.where(
        hertz < 1000, hertz * 3 / 200, 15 + np.log(np.maximum(hertz, 1000) / 1000) * 27 / np.log(6.4)
    )


def _to_hertz(mel: Array) -> Array:
    return np.where(mel < 15, mel * 200 / 3, 1000 * np.exp((mel - 15) * np.log(6.4) / 27))


@lru_cache(maxsize=1)
def mel_filters() -> Array:
    """Triangles [mels, frequencies], each of area 1 in Hz."""
    ends = _to_mel(np.array([LOWEST, HIGHEST]))
    edges = _to_hertz(np.linspace(ends[0], ends[1], MELS + 2))
    frequencies = np.fft.rfftfreq(WINDOW, 1 / SAMPLE_RATE)
    rising = (frequencies - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    falling = (edges[2:, None] - frequencies) / (edges[2:] - edges[1:-1])[:, None]
    triangles = np.maximum(0, np.minimum(rising, falling))
    filters: Array = (triangles * (2 / (edges[2:] - edges[:-2]))[:, None]).astype(np.float32)
    return filters


def log_mel(samples: Array) -> Array:
    """[mels, frames] float32; frame i has its middle at sample i * HOP, of which there are 1 + len // HOP."""
    padded = np.pad(samples, WINDOW // 2, mode="reflect")
    count = 1 + len(samples) // HOP
    window = (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)).astype(np.float32)
    frames = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP][:count] * window
    amplitudes = np.abs(np.fft.rfft(frames, axis=1)).astype(np.float32)
    mel: Array = np.log(np.maximum(mel_filters() @ amplitudes.T, FLOOR))
    return mel
