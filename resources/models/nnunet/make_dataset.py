"""Drawn brains with drawn tumours as a task of the Medical Segmentation Decathlon: dataset.json, imagesTr, labelsTr."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Callable, Optional

import numpy as np
import numpy.typing as npt

from .nifti import write_nifti

#: As in Task01_BrainTumour.
MODALITIES = ("FLAIR", "T1w", "t1gd", "T2w")
LABELS = ("background", "edema", "non-enhancing tumor", "enhancing tumour")

#: Brightness of brain, edema, non-enhancing and enhancing tumour in each modality: what radiologists tell them by.
_BRIGHTNESS = np.array(
    [
        [300, 620, 480, 500],
        [420, 360, 250, 330],
        [420, 380, 280, 760],
        [320, 560, 680, 460],
    ],
    dtype=np.float32,
)

Mask = npt.NDArray[np.bool_]


def _ellipsoid(size: int, centre: npt.NDArray[np.float64], radii: npt.NDArray[np.float64]) -> Mask:
    axes = np.ogrid[0:size, 0:size, 0:size]
    mask: Mask = sum(((axis - c) / r) ** 2 for axis, c, r in zip(axes, centre, radii)) <= 1
    return mask


def draw_labels(size: int, rng: np.random.Generator) -> tuple[Mask, npt.NDArray[np.uint8]]:
    """Brain and classes [z, y, x]: an edema around a tumour whose enhancing rim encloses a core that is not."""
    middle = np.full(3, (size - 1) / 2)
    brain = _ellipsoid(size, middle, size * rng.uniform(0.40, 0.47, 3))
    centre = middle + size * rng.uniform(-0.13, 0.13, 3)
    radii = size * rng.uniform(0.18, 0.25, 3)
    label = np.zeros((size,) * 3, dtype=np.uint8)
    for scale, value in ((1.0, 1), (0.74, 3), (0.48, 2)):
        label[_ellipsoid(size, centre, radii * scale) & brain] = value
    return brain, label


def draw_image(brain: Mask, label: npt.NDArray[np.uint8], rng: np.random.Generator) -> npt.NDArray[np.int16]:
    """[modality, z, y, x], 0 outside the brain. Scanners differ in scale, and there is noise."""
    image = _BRIGHTNESS[:, label] * rng.uniform(0.7, 1.4, (4, 1, 1, 1)).astype(np.float32)
    slope = np.linspace(-1, 1, label.shape[0], dtype=np.float32)[:, None, None] * np.float32(
        rng.uniform(-0.1, 0.1)
    )
    image *= 1 + slope + rng.standard_normal(image.shape, dtype=np.float32) * np.float32(0.12)
    return np.where(brain, np.clip(image, 1, 32767), 0).astype(np.int16)


def make_dataset(
    output: str,
    cases: int = 5,
    dataset_image_size: int = 144,
    seed: int = 0,
    progress: Optional[Callable[[float, str], None]] = None,
) -> dict[str, int]:
    """Writes `cases` volumes of `dataset_image_size` voxels a side with labels. Raises ValueError below 5 cases."""
    if cases < 5:
        raise ValueError(f"cases must be at least 5, one for each fold, not {cases}")
    root, rng = Path(output), np.random.default_rng(seed)
    for folder in ("imagesTr", "labelsTr"):
        (root / folder).mkdir(parents=True)
    names = [f"BRATS_{index:03d}.nii.gz" for index in range(1, cases + 1)]
    for index, name in enumerate(names, 1):
        brain, label = draw_labels(dataset_image_size, rng)
        write_nifti(root / "imagesTr" / name, draw_image(brain, label, rng))
        write_nifti(root / "labelsTr" / name, label)
        if progress is not None:
            progress(index / cases, f"{index} of {cases} volumes")
    description = {
        "name": "BRATS",
        "description": "Drawn volumes in the form of Task01_BrainTumour; no patient's data",
        "tensorImageSize": "4D",
        "modality": {str(index): name for index, name in enumerate(MODALITIES)},
        "labels": {str(index): name for index, name in enumerate(LABELS)},
        "numTraining": cases,
        "numTest": 0,
        "training": [{"image": f"./imagesTr/{name}", "label": f"./labelsTr/{name}"} for name in names],
        "test": [],
    }
    (root / "dataset.json").write_text(json.dumps(description, indent=2) + "\n", encoding="utf-8")
    return {"samples": cases, "classes": len(LABELS)}
