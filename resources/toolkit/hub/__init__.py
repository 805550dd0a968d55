"""The Hugging Face hub. Endpoint, token, cache and mirror are those of huggingface_hub, by its own variables."""

from __future__ import annotations

import hashlib
import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Optional

from ..errors import ToolkitError
from ..report import Report, bytes_text

_CHUNK = 8 * 1024 * 1024
_COMMIT = re.compile(r"[0-9a-f]{40}")
#: Left free on the disk of the cache.
_RESERVE_BYTES = 256 * 1024 * 1024


def library() -> Any:
    """huggingface_hub, which reads its variables when it is imported."""
    os.environ.update({"HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_UPDATE_CHECK": "1"})
    import huggingface_hub
    import huggingface_hub.constants
    import huggingface_hub.errors

    return huggingface_hub


def endpoint() -> str:
    """Of the hub or its mirror, without credentials."""
    address: str = library().constants.ENDPOINT
    return re.sub(r"//[^/@]*@", "//", address)


def _unreachable(error: BaseException) -> bool:
    """No answer: the HTTP client's own errors, and those of the system."""
    seen: Optional[BaseException] = error
    while seen is not None:
        if type(seen).__module__.split(".")[0].startswith("http"):
            return True
        if isinstance(seen, (ConnectionError, TimeoutError)):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def as_hub_error(error: Exception, name: str, revision: str) -> Optional[ToolkitError]:
    """What the hub refuses, in words; None for anything else."""
    known: Any = library().errors
    page = f"{endpoint()}/{name}"
    if isinstance(error, known.GatedRepoError):
        remedy = "Accept them on its page, and set HF_TOKEN to a token of your account."
        return ToolkitError(
            "input-invalid", f"{name} is gated: its terms must be accepted first", where=page, remedy=remedy
        )
    if isinstance(error, known.RepositoryNotFoundError):
        remedy = "Check the name. For a private model, set HF_TOKEN to a token that may read it."
        return ToolkitError(
            "input-invalid", f"The hub has no model {name} that you can read", where=page, remedy=remedy
        )
    if isinstance(error, known.RevisionNotFoundError):
        remedy = "Give a branch, a tag or a commit that its page lists."
        return ToolkitError("input-invalid", f"{name} has no revision {revision}", where=page, remedy=remedy)
    if isinstance(error, known.OfflineModeIsEnabled):
        remedy = "Unset it to download the model, or give a folder that is on this machine."
        return ToolkitError(
            "download-failed", f"HF_HUB_OFFLINE is set, so that {name} is not downloaded", remedy=remedy
        )
    if isinstance(error, known.HfHubHTTPError):
        status = getattr(getattr(error, "response", None), "status_code", None)
        if status in (401, 403):
            remedy = "Set HF_TOKEN to a token that may read the model."
            return ToolkitError(
                "input-invalid", f"The hub refuses access to {name} ({status})", where=page, remedy=remedy
            )
        return ToolkitError("download-failed", f"The hub answered with status {status}", where=page)
    if isinstance(error, known.FileMetadataError):
        remedy = "Check HF_ENDPOINT: the server there does not respond like the hub."
        return ToolkitError(
            "download-invalid", f"The response for {name} is not one of the hub", where=page, remedy=remedy
        )
    if _unreachable(error):
        text = (str(error).strip() or type(error).__name__).splitlines()[0]
        remedy = "Connect this machine, or name a mirror of the hub in HF_ENDPOINT."
        return ToolkitError(
            "download-failed", f"The hub cannot be reached: {text}", where=endpoint(), remedy=remedy
        )
    return None


@contextmanager
def hub_errors(name: str, revision: str) -> Iterator[None]:
    """Errors of the library as refusals."""
    try:
        yield
    except ToolkitError:
        raise
    except Exception as error:
        found = as_hub_error(error, name, revision)
        if found is None:
            raise
        raise found from error


class HubFile(NamedTuple):
    """A file of a commit. `sha256` where it is stored by its content, `blob` its id in Git."""

    path: str
    bytes: int
    sha256: Optional[str]
    blob: Optional[str]

    @property
    def etag(self) -> Optional[str]:
        """Name of the content in the cache."""
        return self.sha256 or self.blob


def files_of(info: Any) -> list[HubFile]:
    """Of the library's model information with the metadata of files."""
    found = []
    for sibling in info.siblings or []:
        lfs = sibling.lfs
        sha256 = None if lfs is None else lfs["sha256"]
        size = sibling.size if sibling.size is not None or lfs is None else lfs["size"]
        found.append(HubFile(sibling.rfilename, int(size or 0), sha256, sibling.blob_id))
    return found


def require_commit(name: str, commit: object) -> str:
    """Raises download-invalid where the answer has none: everything is kept by it."""
    if isinstance(commit, str) and _COMMIT.fullmatch(commit):
        return commit
    raise ToolkitError(
        "download-invalid",
        f"The response of the hub for {name} has no commit",
        where=endpoint(),
        remedy="Check HF_ENDPOINT: the server there does not respond like the hub.",
    )


def is_cached(name: str, commit: str, file: HubFile) -> bool:
    """In the commit's snapshot, or as content of another one."""
    hub = library()
    if isinstance(hub.try_to_load_from_cache(name, file.path, revision=commit), str):
        return True
    folder = "--".join(["models", *name.split("/")])
    return (
        file.etag is not None and (Path(hub.constants.HF_HUB_CACHE) / folder / "blobs" / file.etag).is_file()
    )


def require_space(bytes_to_come: int) -> None:
    """Raises disk-full before anything is written."""
    folder = Path(library().constants.HF_HUB_CACHE)
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    room = os.statvfs(folder)
    free = room.f_bavail * room.f_frsize
    if bytes_to_come + _RESERVE_BYTES <= free:
        return
    raise ToolkitError(
        "disk-full",
        f"The download has {bytes_text(bytes_to_come)}, but only {bytes_text(free)} are free",
        where=str(folder),
        remedy="Free some space there, or name a cache on another disk in HF_HOME.",
    )


class Downloaded:
    """Counts bytes over all files, and is what the library shows progress with."""

    def __init__(self, report: Report, total: int) -> None:
        self._report = report
        self._total = total
        self._done = 0
        self._lock = threading.Lock()

    def add(self, count: float, name: str) -> None:
        with self._lock:
            self._done = max(0, self._done + int(count))
            fraction = None if self._total == 0 else self._done / self._total
            self._report.progress(fraction, f"{bytes_text(self._done)} of {bytes_text(self._total)}, {name}")

    def bar(self, name: str) -> type:
        """A class with the part of tqdm's that the library uses."""
        count = self.add

        class Bar:
            def __init__(self, *_given: Any, **_more: Any) -> None:
                self.n = 0
                self.total: Optional[int] = None

            def __enter__(self) -> Bar:
                return self

            def __exit__(self, *_error: object) -> None:
                pass

            def update(self, bytes_more: Optional[float] = 1) -> None:
                count(bytes_more or 0, name)

            def update_transfer(self, _bytes_more: Optional[float] = 1) -> None:
                """Bytes on the network, which differ where contents are stored in shared chunks."""

            def __getattr__(self, _name: str) -> Any:
                return lambda *_given, **_more: None

        return Bar


def _digest_matches(path: Path, file: HubFile) -> bool:
    if file.sha256 is None and file.blob is None:
        return path.stat().st_size == file.bytes
    if file.sha256 is not None:
        digest, wanted = hashlib.sha256(), file.sha256
    else:
        # An id of Git is of a header and the content.
        digest, wanted = hashlib.sha1(usedforsecurity=False), str(file.blob)
        digest.update(b"blob %d\0" % path.stat().st_size)
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest() == wanted


def verify(path: Path, file: HubFile) -> None:
    """Raises download-invalid, and removes the content, where it is not what the hub publishes."""
    if _digest_matches(path, file):
        return
    content = path.resolve()
    path.unlink(missing_ok=True)
    content.unlink(missing_ok=True)
    raise ToolkitError(
        "download-invalid",
        f"{file.path} does not have the hash that the hub publishes, and was removed",
        where=str(path),
        remedy="Start it again. If it happens again, check the mirror in HF_ENDPOINT.",
    )
