"""Nothing stands half-written under its final name."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import ToolkitError, disk_full_at


def _partial(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.partial")


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def size_bytes(path: Path) -> int:
    """Of a file, or of everything in a folder."""
    if not path.is_dir():
        return path.stat().st_size
    return sum(part.stat().st_size for part in path.rglob("*") if part.is_file())


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Gives a temporary name beside `path`; it replaces `path` when the block ends well and is removed otherwise.

    The block may make a file of it or a folder. Throws disk-full in place of any error that met a full disk.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = _partial(path)
    try:
        yield partial
        if partial.is_dir():
            for part in partial.rglob("*"):
                if part.is_file():
                    _sync(part)
            shutil.rmtree(path, ignore_errors=True)
        else:
            _sync(partial)
        os.replace(partial, path)
    except Exception as error:
        full = disk_full_at(path.parent, error)
        if full is None:
            raise
        raise full from error
    finally:
        if partial.is_dir():
            shutil.rmtree(partial, ignore_errors=True)
        else:
            partial.unlink(missing_ok=True)


def copy_file(source: Path, target: Path) -> None:
    with replacing(target) as partial:
        shutil.copyfile(source, partial)


@contextmanager
def new_directory(path: Path) -> Iterator[Path]:
    """The same for a folder. Throws input-invalid when `path` is a file or holds something already."""
    path = Path(os.path.abspath(path))
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise ToolkitError(
            "input-invalid",
            f"The output folder {path} is not empty",
            where="--output-dir",
            remedy="Choose a new or an empty folder.",
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = _partial(path)
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir()
    try:
        yield partial
        if path.exists():
            path.rmdir()
        os.rename(partial, path)
    except Exception as error:
        full = disk_full_at(path.parent, error)
        if full is None:
            raise
        raise full from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
