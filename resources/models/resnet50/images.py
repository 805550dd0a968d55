"""An ImageNet-style folder: `<root>/<split>/<class>/*.jpg`, and images as the network wants them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image

#: Mean and standard deviation of ImageNet's RGB channels, of values 0 to 1; published with the data set's models.
MEAN = np.array([0.485, 0.456, 0.406], dtype=np.float32)
STD = np.array([0.229, 0.224, 0.225], dtype=np.float32)

#: The shorter side is brought to this many times the crop's side first (256 for a crop of 224).
RESIZE = 256 / 224

_SUFFIXES = {".jpg", ".jpeg", ".png"}


class Sample(NamedTuple):
    """`id`: path relative to the data set; `label`: class index."""

    id: str
    path: Path
    label: int


def _class_names(folder: Path) -> list[str]:
    return sorted(
        entry.name for entry in folder.iterdir() if entry.is_dir() and not entry.name.startswith(".")
    )


def class_indices(root: Path, folder: Path) -> dict[str, int]:
    """Integer names are class indices; else the index is the place in the sorted order of all splits' classes."""
    names = set(_class_names(folder))
    if folder != root:
        for split in ("train", "val"):
            if (root / split).is_dir():
                names |= set(_class_names(root / split))
    if all(name.isdigit() for name in names):
        return {name: int(name) for name in names}
    return {name: index for index, name in enumerate(sorted(names))}


def list_samples(root: Path, split: str, classes: int) -> list[Sample]:
    """All images of a split in a fixed order; a root without splits is taken as the split itself.

    Raises ValueError when there is no image, or a class index that the model does not have.
    """
    folder = root / split
    if not folder.is_dir():
        if any((root / other).is_dir() for other in ("train", "val")):
            raise ValueError(f"{root} has no folder {split}")
        folder = root
    samples = []
    for name, label in sorted(class_indices(root, folder).items(), key=lambda item: item[1]):
        if not (folder / name).is_dir():
            continue
        if not 0 <= label < classes:
            raise ValueError(f"The class {name} has the index {label}, the model has {classes} classes")
        for path in sorted((folder / name).iterdir()):
            if path.suffix.lower() in _SUFFIXES:
                samples.append(Sample(path.relative_to(root).as_posix(), path, label))
    if not samples:
        raise ValueError(f"{folder} has no image: it must have a folder with JPEG files for each class")
    return samples


def read_image(path: Path, size: int) -> npt.NDArray[np.uint8]:
    """RGB [size, size, 3]: the shorter side resized, the middle cropped."""
    with Image.open(path) as file:
        # Lets the JPEG decoder leave out detail that the resize would drop.
        file.draft("RGB", (round(size * RESIZE), round(size * RESIZE)))
        image = file.convert("RGB")
    shorter = round(size * RESIZE)
    scale = shorter / min(image.size)
    width, height = (max(shorter, round(side * scale)) for side in image.size)
    image = image.resize((width, height), Image.Resampling.BILINEAR)
    left, top = (width - size) // 2, (height - size) // 2
    return np.asarray(image.crop((left, top, left + size, top + size)), dtype=np.uint8)


def normalise(images: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """[batch, height, width, 3] of 0 to 255 -> [batch, 3, height, width], normalised."""
    scaled = (images.astype(np.float32) / np.float32(255) - MEAN) / STD
    normalised: npt.NDArray[Any] = np.ascontiguousarray(scaled.transpose(0, 3, 1, 2))
    return normalised
