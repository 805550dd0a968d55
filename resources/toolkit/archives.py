"""Archives from elsewhere, unpacked without trusting what they say of themselves.

Files and folders alone are made, each by copying its bytes: no links, no devices, no owners, no modes; no name leads
out of the folder, none comes twice, and no more bytes are written than were announced.
"""

from __future__ import annotations

import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any, Callable, NamedTuple, Optional

from .errors import ToolkitError

KINDS = ("zip", "tar", "tar.gz", "tar.bz2")

_TAR_MODES = {"tar": "r|", "tar.gz": "r|gz", "tar.bz2": "r|bz2"}
_PIECE_BYTES = 1 << 20
_MOST_MEMBERS = 2_000_000
_DAMAGED = (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


class Member(NamedTuple):
    """`file` is None for a folder. `read`: bytes of the archive read so far."""

    name: str
    file: Optional[IO[bytes]]
    read: int


def _refuse(archive: Path, message: str) -> ToolkitError:
    return ToolkitError(
        "download-invalid",
        f"{archive.name}: {message}",
        where=str(archive),
        remedy="The file is deleted. Download it again, or by hand from its page.",
    )


def _plain_parts(archive: Path, name: str) -> tuple[str, ...]:
    """Of a name that stays within the folder; empty for the folder itself. Throws download-invalid."""
    parts = tuple(part for part in PurePosixPath(name).parts if part != ".")
    bad = name.startswith("/") or ".." in parts or "\\" in name
    bad = bad or any(ord(letter) < 32 for letter in name) or (len(name) > 1 and name[1] == ":")
    if bad:
        raise _refuse(archive, f"the name {name!r} leads out of the folder")
    return parts


def _zip_members(archive: Path) -> Iterator[Member]:
    with zipfile.ZipFile(archive) as opened:
        read = 0
        for info in opened.infolist():
            kind = stat.S_IFMT(info.external_attr >> 16)
            if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise _refuse(archive, f"{info.filename!r} is neither a file nor a folder")
            if info.flag_bits & 1:
                raise _refuse(archive, f"{info.filename!r} is encrypted")
            if info.is_dir():
                yield Member(info.filename, None, read)
                continue
            with opened.open(info) as file:
                yield Member(info.filename, file, read)
            read += info.compress_size


class _Counted:
    """A file that knows how much of it was read."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.count = 0

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self.count += len(data)
        return data


def _tar_members(archive: Path, kind: str) -> Iterator[Member]:
    with archive.open("rb") as raw:
        counted: Any = _Counted(raw)
        # As a stream: going to and fro in a compressed file reads it anew each time.
        with tarfile.open(fileobj=counted, mode=_TAR_MODES[kind], bufsize=_PIECE_BYTES) as opened:  # type: ignore[call-overload]
            for info in opened:
                if info.isdir():
                    yield Member(info.name, None, counted.count)
                elif info.isreg():
                    yield Member(info.name, opened.extractfile(info), counted.count)
                else:
                    raise _refuse(archive, f"{info.name!r} is neither a file nor a folder")


def unpack(
    archive: Path,
    kind: str,
    folder: Path,
    most_bytes: int,
    progress: Callable[[float, str], None],
) -> tuple[int, int]:
    """Unpacks into an empty folder; gives (files, bytes). Throws download-invalid."""
    size = max(1, archive.stat().st_size)
    files = written = 0
    try:
        members = _zip_members(archive) if kind == "zip" else _tar_members(archive, kind)
        for count, (name, file, read) in enumerate(members, start=1):
            if count > _MOST_MEMBERS:
                raise _refuse(archive, f"it contains more than {_MOST_MEMBERS} entries")
            parts = _plain_parts(archive, name)
            path = folder.joinpath(*parts)
            if file is None:
                path.mkdir(parents=True, exist_ok=True)
                continue
            if not parts:
                raise _refuse(archive, "a file in it has no name")
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as output:
                while piece := file.read(_PIECE_BYTES):
                    written += len(piece)
                    if written > most_bytes:
                        raise _refuse(archive, f"it contains more than the expected {most_bytes} bytes")
                    output.write(piece)
            files += 1
            progress(min(1.0, read / size), f"Unpacking, {files} files")
    except (FileExistsError, NotADirectoryError) as error:
        raise _refuse(archive, f"it contains a name twice ({error.filename})") from error
    except _DAMAGED as error:
        raise _refuse(archive, f"it is damaged ({error})") from error
    except OSError as error:
        # Decompressors say so of damaged data; errors of the system have a number.
        if error.errno is None:
            raise _refuse(archive, f"it is damaged ({error})") from error
        raise
    if files == 0:
        raise _refuse(archive, "it contains no file")
    return files, written
