"""Cases of a data set: a task of the Medical Segmentation Decathlon, or arrays preprocessed by nnU-Net's recipe."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .nifti import read_nifti

#: Cross-validation as published: five folds of the shuffled cases; the published checkpoint is that of fold 2.
FOLDS = 5
_FOLD_SEED = 12345

#: Spacing of the brain tumour task in mm: all its volumes have it, so nothing is resampled.
SPACING = 1.0

Image = npt.NDArray[np.float32]
Labels = npt.NDArray[np.int64]


class Case(NamedTuple):
    """`id`: name without suffix; `image` and `label` are files."""

    id: str
    image: Path
    label: Path


def _file(root: Path, name: object) -> Path:
    path = root / str(name)
    if not path.resolve().is_relative_to(root.resolve()):
        raise ValueError(f"dataset.json names {name}, which lies outside the data set")
    if not path.is_file():
        raise ValueError(f"dataset.json names {name}, but there is no such file")
    return path


def _decathlon(root: Path) -> list[Case]:
    try:
        entries = json.loads((root / "dataset.json").read_text(encoding="utf-8"))["training"]
        pairs = [(entry["image"], entry["label"]) for entry in entries]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{root / 'dataset.json'} has no list `training` of image and label") from error
    return [
        Case(Path(str(image)).name.split(".")[0], _file(root, image), _file(root, label))
        for image, label in pairs
    ]


def _preprocessed(root: Path) -> list[Case]:
    """`<case>_x.npy` [modality, z, y, x] beside `<case>_y.npy` [1, z, y, x]; .npz with one array likewise."""
    cases = []
    for suffix in (".npy", ".npz"):
        for image in root.glob(f"*_x{suffix}"):
            name = image.name[: -len(f"_x{suffix}")]
            label = root / f"{name}_y{suffix}"
            if not label.is_file():
                raise ValueError(f"{image.name} has no {label.name} beside it")
            cases.append(Case(name, image, label))
    return cases


def list_cases(root: Path) -> list[Case]:
    """All cases with labels, sorted. Raises ValueError where there are fewer than folds."""
    cases = _decathlon(root) if (root / "dataset.json").is_file() else _preprocessed(root)
    if len(cases) < FOLDS:
        raise ValueError(
            f"{root} has {len(cases)} cases with labels, {FOLDS} folds need as many: a Decathlon task with "
            "dataset.json, imagesTr and labelsTr is required, or files *_x.npy and *_y.npy"
        )
    return sorted(cases)


def split_cases(cases: list[Case], fold: int) -> tuple[list[Case], list[Case]]:
    """Training and validation cases of a fold (0 to 4), as scikit-learn's shuffled KFold with seed 12345 has them."""
    if not 0 <= fold < FOLDS:
        raise ValueError(f"fold must be 0 to {FOLDS - 1}, not {fold}")
    order = np.arange(len(cases))
    # The older generator is what makes these folds those of the published checkpoint.
    np.random.RandomState(_FOLD_SEED).shuffle(order)
    held_out = {int(index) for index in np.array_split(order, FOLDS)[fold]}
    parts: tuple[list[Case], list[Case]] = ([], [])
    for index, case in enumerate(cases):
        parts[index in held_out].append(case)
    return parts


def _array(path: Path) -> npt.NDArray[Any]:
    try:
        loaded = np.load(path, allow_pickle=False)
        if path.suffix == ".npy":
            return np.asarray(loaded)
        with loaded:
            return np.asarray(loaded[loaded.files[0]])
    except Exception as error:
        raise ValueError(f"{path}: cannot be read: {error}") from error


def normalise(image: npt.NDArray[Any]) -> Image:
    """nnU-Net's way with MRI: mean 0 and deviation 1 of each modality over what is not background (0)."""
    result = image.astype(np.float32)
    inside = (image != 0).any(axis=0)
    if inside.any():
        for channel in result:
            values = channel[inside]
            channel[inside] = (values - values.mean()) / max(float(values.std()), 1e-8)
            channel[~inside] = 0
    return result


def _crop_to_content(
    image: npt.NDArray[Any], label: npt.NDArray[Any]
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    inside = (image != 0).any(axis=0)
    if not inside.any():
        return image, label
    box = tuple(
        slice(int(found.min()), int(found.max()) + 1)
        for found in (np.flatnonzero(inside.any(axis=tuple({0, 1, 2} - {axis}))) for axis in range(3))
    )
    return image[(slice(None), *box)], label[box]


def read_case(case: Case, modalities: int, classes: int) -> tuple[Image, Labels]:
    """Normalised image [modality, z, y, x] and classes [z, y, x]. Raises ValueError naming the file."""
    if case.image.suffix in (".npy", ".npz"):
        image, label = _array(case.image).astype(np.float32), _array(case.label)
        label = label[0] if label.ndim == 4 else label
        # Preprocessing marks what lies outside the body with -1.
        label = np.maximum(label, 0)
    else:
        volume, label = read_nifti(case.image), read_nifti(case.label).data
        image = volume.data
        if not np.allclose(volume.spacing, SPACING, atol=0.01):
            raise ValueError(
                f"{case.image}: voxels of {volume.spacing} mm; the task has {SPACING} mm throughout"
            )
    if image.ndim != 4 or image.shape[0] != modalities or image.shape[1:] != label.shape:
        raise ValueError(
            f"{case.image}: {modalities} modalities and a label of the same size are required, "
            f"not {list(image.shape)} and {list(label.shape)}"
        )
    if int(label.min()) < 0 or int(label.max()) >= classes:
        raise ValueError(
            f"{case.label}: classes {int(label.min())} to {int(label.max())}; there are {classes}"
        )
    if case.image.suffix == ".gz" or case.image.suffix == ".nii":
        image, label = _crop_to_content(image, label)
        image = normalise(image)
    return np.asarray(image, dtype=np.float32), label.astype(np.int64)


def centre_patch(array: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    """The middle `size` voxels of the last three axes; zeros around what is smaller."""
    result = array
    for axis in range(array.ndim - 3, array.ndim):
        length = result.shape[axis]
        if length > size:
            start = (length - size) // 2
            result = np.take(result, range(start, start + size), axis=axis)
        elif length < size:
            before = (size - length) // 2
            widths = [(0, 0)] * array.ndim
            widths[axis] = (before, size - length - before)
            result = np.pad(result, widths)
    return result
