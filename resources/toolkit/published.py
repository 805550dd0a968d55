"""Checkpoints as their publishers packed them: read as data, with nothing of the file executed."""

from __future__ import annotations

import re
import tempfile
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from .errors import ToolkitError

if TYPE_CHECKING:
    import torch

_WEIGHT_FILES = (".pt", ".pth", ".pth.tar", ".ckpt")
#: Of the weights unpacked from an archive; the largest published file is below half of it.
_MOST_BYTES = 8 * 1024**3
_PIECE_BYTES = 1 << 20
#: Beginnings of names that any training leaves in its file beside tensors: a score, a path, a table of counts.
_COMMON = ("numpy.", "pathlib.", "collections.")
_GLOBAL = re.compile(r"GLOBAL ([\w.]+)")


def refuse(
    path: Path, message: str, remedy: Optional[str] = None, details: Optional[str] = None
) -> ToolkitError:
    """checkpoint-invalid."""
    return ToolkitError(
        "checkpoint-invalid", f"{path.name}: {message}", where=str(path), remedy=remedy, details=details
    )


class StandIn:
    """An object of a class that the file names and that is not loaded: keeps what the file says of it, does nothing."""

    def __new__(cls, *arguments: object) -> StandIn:
        made = super().__new__(cls)
        made.arguments = arguments
        made.fields = {}
        return made

    def __init__(self, *arguments: object) -> None:
        del arguments

    def __setstate__(self, state: object) -> None:
        self.fields = dict(state) if isinstance(state, dict) else {}

    def __setitem__(self, key: object, value: object) -> None:
        self.fields[str(key)] = value

    arguments: tuple[object, ...]
    fields: dict[str, Any]


def _stand_in(name: str) -> type[StandIn]:
    module, _, plain = name.rpartition(".")
    return type(plain, (StandIn,), {"__module__": module, "__qualname__": plain})


def _packed(path: Path) -> Optional[str]:
    """Name of the weights in an archive that wraps them; None for a file that holds them itself.

    Files of PyTorch are zip archives too, with a member data.pkl.
    """
    if not zipfile.is_zipfile(path):
        return None
    try:
        with zipfile.ZipFile(path) as archive:
            names = [info.filename for info in archive.infolist() if not info.is_dir()]
    except zipfile.BadZipFile as error:
        raise refuse(path, f"the archive is damaged ({error})") from error
    if any(name.rsplit("/", 1)[-1] == "data.pkl" for name in names):
        return None
    found = [name for name in names if name.lower().endswith(_WEIGHT_FILES)]
    if len(found) != 1:
        what = "no file of weights" if not found else f"several files of weights ({', '.join(found[:3])})"
        raise refuse(
            path,
            f"the archive holds {what}",
            f"Unpack it and choose the file of weights ({', '.join(_WEIGHT_FILES)}).",
        )
    return found[0]


def _load(path: Path, shown: Path, classes: Sequence[str]) -> Any:
    import torch

    allowed: dict[str, type[StandIn]] = {}
    while True:
        try:
            with torch.serialization.safe_globals(list(allowed.values())):
                return torch.load(path, map_location="cpu", weights_only=True)
        except Exception as error:
            match = _GLOBAL.search(str(error))
            name = None if match is None else match.group(1)
            known = name is not None and name not in allowed and name.startswith((*_COMMON, *classes))
            if name is not None and known:
                allowed[name] = _stand_in(name)
                continue
            first = (str(error).strip() or type(error).__name__).splitlines()[0]
            what = first if name is None else f"it names {name}, which no checkpoint of this model has"
            raise refuse(
                shown,
                f"cannot be read as weights ({what})",
                "Choose a checkpoint of this model: nothing of a file is executed.",
                str(error),
            ) from error


def read_checkpoint(path: Path, classes: Sequence[str] = ()) -> Any:
    """What the file holds: .pt, .pth, .pth.tar or .ckpt, or a zip archive with one of them.

    `classes`: beginnings of the names of classes that the publisher's files hold beside tensors; objects of these
    become a StandIn. Throws checkpoint-invalid.
    """
    if not path.is_file():
        raise refuse(path, "the file does not exist" if not path.exists() else "it is a folder")
    inner = _packed(path)
    if inner is None:
        return _load(path, path, classes)
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "weights"
        written = 0
        try:
            with zipfile.ZipFile(path) as archive, archive.open(inner) as source, target.open("wb") as file:
                while piece := source.read(_PIECE_BYTES):
                    written += len(piece)
                    if written > _MOST_BYTES:
                        raise refuse(path, f"{inner} in it is larger than {_MOST_BYTES} bytes")
                    file.write(piece)
        # Encrypted members are a RuntimeError, and a compression that Python lacks a NotImplementedError.
        except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError) as error:
            raise refuse(path, f"{inner} in it cannot be unpacked ({error})") from error
        return _load(target, path, classes)


def state_of(value: Any, path: Path, *prefixes: str) -> dict[str, torch.Tensor]:
    """The tensors of a checkpoint by name: under `state_dict` or `model`, or the checkpoint itself; without the
    prefixes that all names share, in this order. Throws checkpoint-invalid.
    """
    import torch

    for name in ("state_dict", "model"):
        if isinstance(value, Mapping) and isinstance(value.get(name), Mapping):
            value = value[name]
            break
    if not isinstance(value, Mapping) or not value:
        raise refuse(path, f"it holds a {type(value).__name__}, not a state dictionary")
    state = {str(key): tensor for key, tensor in value.items()}
    for key, tensor in state.items():
        if not isinstance(tensor, torch.Tensor):
            raise refuse(path, f"{key} is a {type(tensor).__name__}, not a tensor")
    for prefix in ("module.", *prefixes):
        if all(key.startswith(prefix) for key in state):
            state = {key[len(prefix) :]: tensor for key, tensor in state.items()}
    return state


def _is_finite(value: Any) -> bool:
    """Of a tensor of PyTorch, which numpy may have no type for, or an array."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind != "f" or bool(np.isfinite(value).all())
    return bool(value.isfinite().all())


class Weights:
    """Tensors by the publisher's names, each to be taken once."""

    def __init__(self, tensors: Mapping[str, Any], path: Path) -> None:
        self._left = dict(tensors)
        self.path = path

    def __contains__(self, key: str) -> bool:
        return key in self._left

    def shape(self, key: str) -> tuple[int, ...]:
        """Throws checkpoint-invalid where there is no such tensor."""
        if key not in self._left:
            raise refuse(self.path, f"{key} is missing")
        return tuple(int(size) for size in self._left[key].shape)

    def count(self, pattern: str) -> int:
        """How many of `pattern` with {} replaced by 0, 1, 2, … there are."""
        number = 0
        while pattern.format(number) in self._left:
            number += 1
        return number

    def take(self, key: str, *shape: int) -> Any:
        """Throws checkpoint-invalid where there is no such tensor, where it has another shape, or is not finite."""
        found = self.shape(key)
        if shape and found != shape:
            raise refuse(self.path, f"{key} is {list(found)}, not {list(shape)}")
        value = self._left.pop(key)
        if not _is_finite(value):
            raise refuse(self.path, f"{key} holds NaN or infinite values")
        return value

    def drop(self, *beginnings: str) -> None:
        """Leaves out what inference does not need."""
        self._left = {key: value for key, value in self._left.items() if not key.startswith(beginnings)}

    def done(self) -> None:
        """Throws checkpoint-invalid naming the first tensor that nobody took."""
        left = list(self._left)
        if left:
            more = f", and {len(left) - 1} more" if len(left) > 1 else ""
            raise refuse(
                self.path,
                f"{left[0]} is not a tensor of this network{more}",
                "Choose a checkpoint of the published network.",
                "\n".join(left),
            )
