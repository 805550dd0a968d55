"""Drawn images in an ImageNet-style folder: the class is the figure; colours, place, size and noise are chance."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Callable, Optional

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

Point = tuple[float, float]
Color = tuple[int, int, int]
Figure = Callable[[ImageDraw.ImageDraw, Point, float, Color, np.random.Generator], None]


def _polygon(
    draw: ImageDraw.ImageDraw, center: Point, radius: float, color: Color, angles: list[float]
) -> None:
    points = [(center[0] + radius * math.cos(a), center[1] + radius * math.sin(a)) for a in angles]
    draw.polygon(points, fill=color)


def _box(center: Point, radius: float) -> tuple[float, float, float, float]:
    return center[0] - radius, center[1] - radius, center[0] + radius, center[1] + radius


def _disc(draw: ImageDraw.ImageDraw, c: Point, r: float, color: Color, rng: np.random.Generator) -> None:
    del rng
    draw.ellipse(_box(c, r), fill=color)


def _ring(draw: ImageDraw.ImageDraw, c: Point, r: float, color: Color, rng: np.random.Generator) -> None:
    draw.ellipse(_box(c, r), outline=color, width=max(2, round(r * rng.uniform(0.2, 0.3))))


def _square(draw: ImageDraw.ImageDraw, c: Point, r: float, color: Color, rng: np.random.Generator) -> None:
    start = math.pi / 4 + rng.uniform(-0.15, 0.15)
    _polygon(draw, c, r * 1.15, color, [start + i * math.pi / 2 for i in range(4)])


def _triangle(draw: ImageDraw.ImageDraw, c: Point, r: float, color: Color, rng: np.random.Generator) -> None:
    start = -math.pi / 2 + rng.uniform(-0.2, 0.2)
    _polygon(draw, c, r * 1.2, color, [start + i * 2 * math.pi / 3 for i in range(3)])


def _cross(draw: ImageDraw.ImageDraw, c: Point, r: float, color: Color, rng: np.random.Generator) -> None:
    arm = r * rng.uniform(0.22, 0.32)
    draw.rectangle((c[0] - r, c[1] - arm, c[0] + r, c[1] + arm), fill=color)
    draw.rectangle((c[0] - arm, c[1] - r, c[0] + arm, c[1] + r), fill=color)


def _star(draw: ImageDraw.ImageDraw, c: Point, r: float, color: Color, rng: np.random.Generator) -> None:
    start = -math.pi / 2 + rng.uniform(-0.3, 0.3)
    points = []
    for i in range(10):
        length = r * (1.25 if i % 2 == 0 else 0.5)
        angle = start + i * math.pi / 5
        points.append((c[0] + length * math.cos(angle), c[1] + length * math.sin(angle)))
    draw.polygon(points, fill=color)


def _horizontal(
    draw: ImageDraw.ImageDraw, c: Point, r: float, color: Color, rng: np.random.Generator
) -> None:
    step = 2 * r / 7
    for i in range(0, 7, 2):
        y = c[1] - r + i * step
        draw.rectangle((c[0] - r, y, c[0] + r, y + step * rng.uniform(0.8, 1.0)), fill=color)


def _vertical(draw: ImageDraw.ImageDraw, c: Point, r: float, color: Color, rng: np.random.Generator) -> None:
    step = 2 * r / 7
    for i in range(0, 7, 2):
        x = c[0] - r + i * step
        draw.rectangle((x, c[1] - r, x + step * rng.uniform(0.8, 1.0), c[1] + r), fill=color)


def _checkers(draw: ImageDraw.ImageDraw, c: Point, r: float, color: Color, rng: np.random.Generator) -> None:
    step, first = 2 * r / 4, int(rng.integers(0, 2))
    for i in range(16):
        row, column = divmod(i, 4)
        if (row + column) % 2 == first:
            x, y = c[0] - r + column * step, c[1] - r + row * step
            draw.rectangle((x, y, x + step - 1, y + step - 1), fill=color)


def _dots(draw: ImageDraw.ImageDraw, c: Point, r: float, color: Color, rng: np.random.Generator) -> None:
    size = r * rng.uniform(0.17, 0.23)
    for i in range(9):
        row, column = divmod(i, 3)
        draw.ellipse(_box((c[0] + (column - 1) * r * 0.75, c[1] + (row - 1) * r * 0.75), size), fill=color)


FIGURES: dict[str, Figure] = {
    "checkers": _checkers,
    "cross": _cross,
    "disc": _disc,
    "dots": _dots,
    "horizontal": _horizontal,
    "ring": _ring,
    "square": _square,
    "star": _star,
    "triangle": _triangle,
    "vertical": _vertical,
}

#: Least difference in brightness between figure and ground, of 255.
_CONTRAST = 70


def _colors(rng: np.random.Generator) -> tuple[Color, Color]:
    while True:
        ground, figure = rng.integers(0, 256, (2, 3))
        if abs(float(ground.mean()) - float(figure.mean())) >= _CONTRAST:
            first, second = ([int(v) for v in color] for color in (ground, figure))
            return (first[0], first[1], first[2]), (second[0], second[1], second[2])


def draw_image(figure: Figure, size: int, rng: np.random.Generator) -> Image.Image:
    """One image of about `size` pixels a side; sides differ, so that resizing and cropping have work."""
    width, height = (round(size * rng.uniform(1.0, 1.2)) for _ in range(2))
    ground, color = _colors(rng)
    image = Image.new("RGB", (width, height), ground)
    radius = size * rng.uniform(0.24, 0.33)
    shift = size * 0.08
    center = (width / 2 + rng.uniform(-shift, shift), height / 2 + rng.uniform(-shift, shift))
    figure(ImageDraw.Draw(image), center, radius, color, rng)
    pixels: npt.NDArray[np.float32] = np.asarray(image, dtype=np.float32)
    slope = np.linspace(-1, 1, width, dtype=np.float32)[None, :, None] * np.float32(rng.uniform(-25, 25))
    noise = rng.standard_normal(pixels.shape, dtype=np.float32) * np.float32(rng.uniform(4, 14))
    return Image.fromarray(np.clip(pixels + slope + noise, 0, 255).astype(np.uint8))


def make_dataset(
    output: str,
    classes: int = 1000,
    dataset_classes: int = 10,
    train_images: int = 0,
    val_images: int = 4,
    dataset_image_size: int = 256,
    seed: int = 0,
    progress: Optional[Callable[[float, str], None]] = None,
) -> dict[str, int]:
    """Writes `train_images` and `val_images` a class.

    Class folders carry the figure's name when the model's classes are just these, else class indices spread
    evenly over the model's. Raises ValueError when there are more classes than figures.
    """
    if not 1 <= dataset_classes <= min(len(FIGURES), classes):
        raise ValueError(f"dataset_classes must be 1 to {min(len(FIGURES), classes)}, not {dataset_classes}")
    names = sorted(FIGURES)[:dataset_classes]
    folders = (
        names
        if dataset_classes == classes
        else [str(i * classes // dataset_classes) for i in range(len(names))]
    )
    rng = np.random.default_rng(seed)
    total, written = dataset_classes * (train_images + val_images), 0
    for split, count in (("train", train_images), ("val", val_images)):
        for name, folder in zip(names, folders):
            if count == 0:
                continue
            target = Path(output) / split / folder
            target.mkdir(parents=True)
            for index in range(count):
                image = draw_image(FIGURES[name], dataset_image_size, rng)
                image.save(target / f"{name}-{index:04d}.jpg", quality=88)
            written += count
            if progress is not None:
                progress(written / total, f"{written} of {total} images")
    return {"samples": total, "classes": dataset_classes}
