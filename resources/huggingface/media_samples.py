"""Images and recordings for the reference of a pipeline: made from numbers, the same ones each time."""

from __future__ import annotations

import io
import struct
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Item(NamedTuple):
    """`encoded`: as a caller sends it; `given`: as the pipeline of transformers takes it; None: not opened yet."""

    name: str
    encoded: bytes
    given: Any


#: Height, width and encoding: several of each shape, so that they share a batch, and some that nothing else has.
_IMAGES = [
    (96, 128, "PNG"),
    (240, 320, "JPEG"),
    (320, 240, "JPEG"),
    (128, 128, "PNG in gray"),
    (60, 80, "PNG with transparency"),
    (480, 640, "JPEG"),
    (96, 72, "PNG of a palette"),
    (224, 224, "JPEG in gray"),
    (320, 240, "JPEG lying on its side"),
    (120, 160, "PNG of 16 bits"),
    (400, 300, "progressive JPEG"),
    (64, 64, "PNG"),
    (101, 67, "PNG"),
    (50, 171, "JPEG"),
    (256, 256, "JPEG"),
    (144, 192, "JPEG"),
    (37, 37, "PNG"),
    (192, 256, "PNG"),
    (320, 240, "JPEG in gray"),
    (320, 240, "JPEG"),
]
#: Of EXIF: the camera was turned, and what is stored is turned back by a quarter.
_ORIENTATION, _TURNED = 0x0112, 6


def picture(generator: np.random.Generator, height: int, width: int) -> Array:
    """[height, width, 3] of bytes: soft waves of color, two areas with edges, and a little noise."""
    down, right = np.mgrid[0 : 1 : height * 1j, 0 : 1 : width * 1j]
    waves = np.zeros((height, width, 3))
    for _ in range(4):
        frequency, phase = generator.uniform(-9, 9, 2), generator.uniform(0, 2 * np.pi)
        color = generator.uniform(-40, 40, 3)
        waves += np.sin(frequency[0] * down + frequency[1] * right + phase)[..., None] * color
    for _ in range(2):
        top, left = (int(place) for place in generator.integers(0, (height, width)))
        waves[top : top + height // 3, left : left + width // 3] += generator.uniform(-90, 90, 3)
    level = generator.uniform(70, 180, 3)
    noisy = waves + level + generator.normal(0, 6, waves.shape)
    pixels: Array = np.clip(noisy, 0, 255).astype(np.uint8)
    return pixels


def _encoded(pixels: Array, how: str) -> bytes:
    from PIL import Image

    image = Image.fromarray(pixels)
    options: dict[str, Any] = {"progressive": True} if "progressive" in how else {}
    if how.endswith("gray"):
        image = image.convert("L")
    elif how.endswith("transparency"):
        image.putalpha(image.convert("L"))
    elif how.endswith("palette"):
        image = image.quantize(64)
    elif how.endswith("16 bits"):
        image = Image.fromarray(pixels[..., 0].astype(np.uint16) * 257)
    elif how.endswith("side"):
        image = image.rotate(90, expand=True)
        options["exif"] = Image.Exif()
        options["exif"][_ORIENTATION] = _TURNED
    stream = io.BytesIO()
    image.save(stream, "JPEG" if "JPEG" in how else "PNG", **options)
    return stream.getvalue()


def images() -> list[Item]:
    """Of several sizes, shapes and encodings."""
    from PIL import Image

    generator = np.random.default_rng(49)
    items = []
    for height, width, how in _IMAGES:
        encoded = _encoded(picture(generator, height, width), how)
        items.append(Item(f"{width} x {height}, {how}", encoded, Image.open(io.BytesIO(encoded))))
    return items


#: Hundredths of a second and encoding: several of a length, so that they share a batch.
_SOUNDS = [
    (100, "16 bits"),
    (50, "floats"),
    (100, "16 bits, stereo"),
    (73, "16 bits"),
    (100, "floats"),
    (50, "16 bits"),
    (150, "16 bits"),
    (100, "16 bits"),
    (50, "floats, stereo"),
    (31, "16 bits"),
    (100, "16 bits, extensible"),
    (50, "16 bits"),
    (100, "16 bits"),
    (100, "floats"),
    (100, "16 bits"),
    (200, "16 bits, stereo"),
]


def sound(generator: np.random.Generator, samples: int, channels: int) -> Array:
    """[samples, channels] in -1..1: tones that come and go, over noise."""
    time = np.linspace(0, 1, samples)[:, None]
    mixed = generator.normal(0, 0.02, (samples, channels))
    for _ in range(6):
        cycles, phase = generator.uniform(20, 2000), generator.uniform(0, 2 * np.pi)
        center, width = generator.uniform(0, 1), generator.uniform(0.05, 0.4)
        loudness = generator.uniform(0.02, 0.15, channels)
        mixed += (
            np.sin(2 * np.pi * cycles * time + phase) * np.exp(-(((time - center) / width) ** 2)) * loudness
        )
    return np.clip(mixed, -0.99, 0.99)


def wav(sound_: Array, rate: int, how: str) -> bytes:
    """A WAV file of [samples, channels] that are int16 or float32."""
    channels, width = sound_.shape[1], sound_.dtype.itemsize
    kind = 1 if sound_.dtype.kind == "i" else 3
    frame = channels * width
    form = struct.pack("<HHIIHH", kind, channels, rate, rate * frame, frame, 8 * width)
    if "extensible" in how:
        # The kind moves into the first bytes of a name of 16.
        name = struct.pack("<H", kind) + bytes.fromhex("000000001000800000aa00389b71")
        form = struct.pack("<H", 0xFFFE) + form[2:] + struct.pack("<HHI", 22, 8 * width, 0) + name
    data = sound_.tobytes()
    # Many files have a part that nothing needs before the samples.
    parts = [(b"fmt ", form), (b"LIST", b"INFO"), (b"data", data)]
    body = b"".join(name + struct.pack("<I", len(content)) + content for name, content in parts)
    return b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WAVE" + body


def sounds(rate: int) -> list[Item]:
    """Of several lengths and encodings, with `rate` samples per second."""
    generator = np.random.default_rng(49)
    items = []
    for hundredths, how in _SOUNDS:
        made = sound(generator, rate * hundredths // 100, 2 if "stereo" in how else 1)
        if how.startswith("floats"):
            stored = made.astype(np.float32)
            heard = stored.astype(np.float64)
        else:
            stored = np.round(made * 32767).astype(np.int16)
            heard = stored / 32768
        given = heard.mean(axis=1).astype(np.float32)
        items.append(Item(f"{hundredths / 100} s, {how}", wav(stored, rate, how), given))
    return items


def longest_sound(rate: int, samples: int) -> Item:
    """Of one channel and 16 bits, exactly so many samples long."""
    made = sound(np.random.default_rng(50), samples, 1)
    stored = np.round(made * 32767).astype(np.int16)
    given = (stored[:, 0] / 32768).astype(np.float32)
    return Item(f"{samples / rate:g} s, 16 bits, the longest", wav(stored, rate, "16 bits"), given)
