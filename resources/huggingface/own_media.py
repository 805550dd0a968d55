"""Images and recordings of a folder for the reference of a pipeline, with what is true of each if the folder says it.

Labels are the names of the folders in it, or come from a table, labels.csv or labels.jsonl, beside the files.
"""

from __future__ import annotations

import io
import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Optional

import numpy as np

from toolkit.errors import ToolkitError

from .labeled_texts import Truth
from .media_samples import Array, Item
from .tables import Row, Table, label_named, label_of, listed, read_table, refused, text_of, value_of
from .texts_file import MOST_TEXTS

#: Of one file, and of all that are used.
MOST_FILE_BYTES = 8 * 2**20
MOST_BYTES = 32 * 2**20
#: As the step of images takes them.
MOST_PIXELS = 64_000_000
#: Entries of the folder that are looked at.
MOST_ENTRIES = 100_000
_TABLES = ("labels.csv", "labels.jsonl")
#: Tasks whose label is the name of a folder.
_CLASSES = ("image-classification", "audio-classification")


class OwnItem(NamedTuple):
    item: Item
    #: None: the folder has no labels.
    truth: Optional[Truth]


class OwnSamples(NamedTuple):
    items: list[OwnItem]
    #: Files behind those that are used.
    left_out: int


class Wanted(NamedTuple):
    """What the pipeline takes. `labels`: of the model by their numbers; `rate`: of recordings, 0 of images.
    `least_samples` and `most_samples`: of a recording.
    """

    task: str
    labels: Sequence[str]
    rate: int = 0
    least_samples: int = 1
    #: 0: any number.
    most_samples: int = 0

    @property
    def endings(self) -> tuple[str, ...]:
        return (".wav",) if self.rate else (".png", ".jpg", ".jpeg")

    @property
    def kinds(self) -> str:
        return "WAV files" if self.rate else "PNG and JPEG files"


def _refused(path: Path, message: str, remedy: str) -> ToolkitError:
    return ToolkitError("input-invalid", f"{path.name} {message}", where=str(path), remedy=remedy)


def _entries(folder: Path) -> list[Path]:
    """By name, without hidden ones. Throws input-invalid."""
    found = []
    for count, path in enumerate(folder.iterdir()):
        if count >= MOST_ENTRIES:
            raise _refused(folder, f"has more than {MOST_ENTRIES} entries", "Give a folder with fewer files.")
        if not path.name.startswith("."):
            found.append(path)
    return sorted(found)


def _inside(folder: Path, path: Path) -> Path:
    """Throws input-invalid for a link that leads out of the folder, and for what is no file."""
    try:
        real = path.resolve()
    except (OSError, RuntimeError) as error:
        raise _refused(path, "is a link that leads to itself", "Leave it out.") from error
    if not real.is_relative_to(folder.resolve()):
        raise _refused(
            path, f"leads out of {folder}", "Copy the file into the folder, or give the folder where it is."
        )
    if not real.is_file():
        what = "is not a file" if real.exists() else "does not exist"
        raise _refused(path, what, "Leave it out, or correct its name.")
    return real


def _bytes(folder: Path, path: Path) -> bytes:
    real = _inside(folder, path)
    size = real.stat().st_size
    if size > MOST_FILE_BYTES:
        raise _refused(
            path,
            f"has {size} bytes, at most {MOST_FILE_BYTES} are sent",
            "Give a smaller file, as your callers send it.",
        )
    return real.read_bytes()


def opened(item: Item) -> Item:
    """With the image as the pipeline of transformers takes it: those of all items would need much memory at a time."""
    if item.given is not None:
        return item
    from PIL import Image

    return item._replace(given=Image.open(io.BytesIO(item.encoded), formats=("PNG", "JPEG")))


def _check_image(path: Path, encoded: bytes) -> None:
    """Throws input-invalid for what the step of images does not read."""
    from PIL import Image, UnidentifiedImageError

    remedy = "Give PNG and JPEG files only."
    try:
        image = Image.open(io.BytesIO(encoded), formats=("PNG", "JPEG"))
        if image.width * image.height > MOST_PIXELS:
            raise _refused(path, f"has more than {MOST_PIXELS} pixels", "Give a smaller image.")
        image.load()
    except UnidentifiedImageError as error:
        raise _refused(path, "is not an image in PNG or JPEG", remedy) from error
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise _refused(path, f"cannot be read as an image: {error}", remedy) from error


def _parts(encoded: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Of a RIFF file."""
    at = 12
    while at + 8 <= len(encoded):
        name, size = struct.unpack_from("<4sI", encoded, at)
        yield name, encoded[at + 8 : at + 8 + size]
        at += 8 + size + size % 2


def read_wav(path: Path, encoded: bytes) -> tuple[int, Array]:
    """Samples per second, and one channel in -1..1, the mean of several. Throws input-invalid."""
    remedy = "Convert it: ffmpeg -i IN -c:a pcm_s16le OUT.wav"
    if encoded[:4] != b"RIFF" or encoded[8:12] != b"WAVE":
        raise _refused(path, "is not a WAV file", remedy)
    parts = dict(reversed(list(_parts(encoded))))
    form, data = parts.get(b"fmt ", b""), parts.get(b"data")
    if len(form) < 16 or data is None:
        raise _refused(path, "has no format or no data", remedy)
    kind, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", form)
    if kind == 0xFFFE and len(form) >= 26:
        kind = int.from_bytes(form[24:26], "little")
    stored = {(1, 16): "<i2", (3, 32): "<f4", (3, 64): "<f8"}.get((kind, bits))
    if stored is None or channels == 0:
        raise _refused(path, f"has samples of {bits} bits in the format {kind}", remedy)
    count = len(data) // (channels * bits // 8) * channels
    values = np.frombuffer(data, stored, count).astype(np.float64).reshape(-1, channels)
    sound: Array = (values / 32768 if kind == 1 else values).mean(axis=1).astype(np.float32)
    if not np.isfinite(sound).all():
        raise _refused(path, "has samples that are not finite numbers", remedy)
    return rate, sound


def _sound(path: Path, encoded: bytes, wanted: Wanted) -> Array:
    rate, sound = read_wav(path, encoded)
    if rate != wanted.rate:
        raise _refused(
            path,
            f"has {rate} samples per second, and the model takes {wanted.rate}",
            f"Convert it: ffmpeg -i IN -ar {wanted.rate} -c:a pcm_s16le OUT.wav",
        )
    if len(sound) < wanted.least_samples:
        raise _refused(
            path,
            f"has {len(sound)} samples, and the model takes {wanted.least_samples} or more",
            "Give a longer recording.",
        )
    if 0 < wanted.most_samples < len(sound):
        raise _refused(
            path,
            f"has {len(sound)} samples, and the model takes {wanted.most_samples}",
            f"Give a recording of at most {wanted.most_samples / wanted.rate:g} seconds.",
        )
    return sound


class _Found(NamedTuple):
    path: Path
    truth: Optional[Truth]


def _files(folder: Path, wanted: Wanted) -> list[Path]:
    """Throws input-invalid for a file of another kind."""
    found = []
    for path in _entries(folder):
        if path.is_dir():
            raise _refused(
                path,
                f"is a folder in {folder}, where files are expected",
                "Give a folder of files, or one folder per label with files in it.",
            )
        if path.suffix.lower() not in wanted.endings:
            raise _refused(path, "is of another kind", f"Give {wanted.kinds} only, and labels in labels.csv.")
        found.append(path)
    return found


def _by_folder(folders: Sequence[Path], wanted: Wanted) -> list[_Found]:
    """A file of each label in turns, so that the first ones have all labels."""
    if wanted.task not in _CLASSES:
        raise _refused(
            folders[0],
            "is a folder, and only classes are named by folders",
            "Put the files into one folder, with their labels in labels.csv or labels.jsonl.",
        )
    by_label = []
    for folder in folders:
        label = label_named(folder.name, wanted.labels)
        if label is None:
            raise _refused(
                folder,
                f"is the name of a label that the model does not have: its labels are {listed(wanted.labels)}",
                "Name the folders as config.json names the labels (id2label), or by their numbers.",
            )
        by_label.append([_Found(path, {"kind": "label", "label": label}) for path in _files(folder, wanted)])
    longest = max(map(len, by_label))
    return [found[place] for place in range(longest) for found in by_label if place < len(found)]


def _box(table: Table, row: Row, given: object, labels: Sequence[str]) -> Mapping[str, Any]:
    remedy = 'Write boxes as [{"box": [left, upper, right, lower], "label": "cat"}], in pixels of the image.'
    if not isinstance(given, dict):
        raise refused(table.path, "has a box that is not an object", remedy, row.line)
    box = given.get("box")
    is_list = isinstance(box, list) and len(box) == 4
    numbers = [
        edge
        for edge in (box if is_list and isinstance(box, list) else [])
        if isinstance(edge, (int, float)) and not isinstance(edge, bool) and math.isfinite(edge)
    ]
    if len(numbers) != 4 or numbers[0] >= numbers[2] or numbers[1] >= numbers[3]:
        raise refused(table.path, f"has the box {box}, which has no area", remedy, row.line)
    return {"box": numbers, "label": label_of(table, row, given.get("label"), labels)}


def _truth(table: Table, row: Row, wanted: Wanted, field: Optional[str]) -> Optional[Truth]:
    if field is None:
        return None
    if field == "label":
        return {"kind": "label", "label": label_of(table, row, value_of(table, row, field), wanted.labels)}
    if field == "text":
        return {"kind": "transcript", "text": text_of(table, row, field)}
    given = value_of(table, row, field)
    if not isinstance(given, list):
        raise refused(
            table.path, "has boxes that are not a list", "Write a list, [] without objects.", row.line
        )
    return {"kind": "boxes", "boxes": [_box(table, row, box, wanted.labels) for box in given]}


#: Of a table: what each task is labeled with.
_FIELDS = {
    "image-classification": "label",
    "audio-classification": "label",
    "automatic-speech-recognition": "text",
    "object-detection": "boxes",
}


def _by_table(folder: Path, path: Path, wanted: Wanted) -> tuple[list[_Found], int]:
    _inside(folder, path)
    field = _FIELDS.get(wanted.task)
    if field is None:
        raise _refused(
            path, "has labels, and this task has no metric for them", "Leave the file out of the folder."
        )
    table = read_table(path)
    if field == "boxes" and not table.is_json:
        raise refused(path, "has no form for boxes", "Write labels.jsonl, with a field boxes per line.")
    has_labels = table.has(field)
    found = [
        _Found(
            folder / text_of(table, row, "file"),
            _truth(table, row, wanted, field if has_labels else None),
        )
        for row in table.rows
    ]
    for row, one in zip(table.rows, found):
        if not one.path.exists():
            name = text_of(table, row, "file")
            raise refused(path, f"names {name}, which is not in the folder", "Correct the name.", row.line)
    return found, table.left_out


def _found(folder: Path, wanted: Wanted) -> tuple[list[_Found], int]:
    """What of the folder is used at most, and how many files more a table has."""
    if not folder.is_dir():
        raise _refused(folder, "is not a folder", f"Give a folder of {wanted.kinds}.")
    entries = _entries(folder)
    tables = [path for path in entries if path.name in _TABLES]
    if len(tables) > 1:
        raise _refused(tables[1], "is beside labels.csv", "Leave one of the two out.")
    if tables:
        return _by_table(folder, tables[0], wanted)
    folders = [path for path in entries if path.is_dir()]
    if folders and len(folders) == len(entries):
        return _by_folder(folders, wanted), 0
    return [_Found(path, None) for path in _files(folder, wanted)], 0


def read_folder(folder: Path, wanted: Wanted) -> OwnSamples:
    """The first 256 files, those of each label in turns. Throws input-invalid, which names the file and the line."""
    found, left_out = _found(folder, wanted)
    if not found:
        raise _refused(folder, "has no files", f"Give a folder of {wanted.kinds}.")
    used = found[:MOST_TEXTS]
    items, size = [], 0
    for path, truth in used:
        encoded = _bytes(folder, path)
        size += len(encoded)
        if size > MOST_BYTES:
            raise _refused(
                folder,
                f"has files of more than {MOST_BYTES} bytes together",
                "Give fewer or smaller files.",
            )
        given = None
        if wanted.rate:
            given = _sound(path, encoded, wanted)
        else:
            _check_image(path, encoded)
        items.append(OwnItem(Item(str(path.relative_to(folder)), encoded, given), truth))
    return OwnSamples(items, len(found) - len(used) + left_out)
