"""The error that becomes the `error` line; codes are those of main/contract/errors.ts."""

from __future__ import annotations

import errno
import os
import re
import traceback
from pathlib import Path
from typing import Optional


class ToolkitError(Exception):
    """A refusal or failure that is explained to the person who runs the verb."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        where: Optional[str] = None,
        remedy: Optional[str] = None,
        details: Optional[str] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.where = where
        self.remedy = remedy
        self.details = details


_FULL = {errno.ENOSPC, errno.EDQUOT}
# Python libraries in C++ report a write that found no room in words of their own: "unexpected pos", "no bytes".
_NEARLY_NOTHING_BYTES = 1024 * 1024
_NEARLY_NOTHING_FILES = 8

_UNWRITABLE = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EISDIR, errno.ENOTEMPTY}


def _trace(error: BaseException) -> str:
    return "".join(traceback.format_exception(type(error), error, error.__traceback__))


def _disk_full(error: BaseException, where: Optional[str]) -> ToolkitError:
    return ToolkitError("disk-full", "There is no space left on the disk", where=where, details=_trace(error))


def _first_full(error: BaseException) -> Optional[OSError]:
    """The system's own refusal for want of space, in the error or in what it came from."""
    seen: set[int] = set()
    current: Optional[BaseException] = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        if isinstance(current, OSError) and current.errno in _FULL:
            return current
        current = current.__cause__ or current.__context__
    return None


def disk_full_at(folder: Path, error: Exception) -> Optional[ToolkitError]:
    """`error` as disk-full where the file system of `folder` has nearly nothing left; None otherwise.

    To be asked while what was half written is still there: removing it makes room.
    """
    if isinstance(error, ToolkitError) and error.code == "disk-full":
        return None
    try:
        room = os.statvfs(folder)
    except OSError:
        return None
    files_gone = room.f_files > 0 and room.f_favail < _NEARLY_NOTHING_FILES
    if room.f_bavail * room.f_frsize >= _NEARLY_NOTHING_BYTES and not files_gone:
        return None
    return _disk_full(error, str(folder))


def as_toolkit_error(error: BaseException) -> ToolkitError:
    """Any exception as the error line's content; a full or read-only disk keeps its own code."""
    full = _first_full(error)
    if full is not None and not (isinstance(error, ToolkitError) and error.code == "disk-full"):
        return _disk_full(error, None if full.filename is None else str(full.filename))
    if isinstance(error, ToolkitError):
        return error
    details = _trace(error)
    where = None
    if isinstance(error, OSError):
        where = None if error.filename is None else str(error.filename)
        if error.errno in _UNWRITABLE:
            return ToolkitError("file-unwritable", str(error), where=where, details=details)
        if isinstance(error, FileNotFoundError):
            return ToolkitError("input-invalid", str(error), where=where, details=details)
    if isinstance(error, MemoryError):
        return ToolkitError(
            "toolkit-failed", "Out of memory", remedy="Use a smaller batch size or limit.", details=details
        )
    text = str(error).strip() or type(error).__name__
    if type(error).__module__.startswith("onnxruntime"):
        return ToolkitError("toolkit-failed", f"ONNX Runtime: {runtime_reason(text)}", details=details)
    return ToolkitError("toolkit-failed", f"{type(error).__name__}: {text}", where=where, details=details)


_STATUS = re.compile(r"(?:\w+: )?\[ONNXRuntimeError\] : \d+ : \w+ : |onnx runtime error \d+: ")
_NODE = re.compile(r"Non-zero status code returned while running (\S+) node\. Name:'(.*?)' Status Message: ")
_PLACE = re.compile(r"(?:[\w./+-]*/)?[\w.+-]+\.(?:h|hpp|cc|cpp|cu|cuh):\d+ ")
_CONDITION = re.compile(r"\S.{0,300}? was false\. ?")


def _without_signature(text: str) -> str:
    """What follows a C++ function at the begin of a text: up to the end of its arguments."""
    start = text.find("(")
    if start == -1 or ("::" not in text[:start] and " " not in text[:start].strip()):
        return text
    depth = 0
    for index in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        # "operator()(...)" has two pairs.
        if depth == 0 and text[index + 1 : index + 2] != "(":
            rest = text[index + 1 :]
            return re.sub(r"^(?: const| noexcept| \[with [^\]]*\])*\s*", "", rest)
    return text


def runtime_reason(error: object) -> str:
    """The reason of an error of ONNX Runtime first and the operator behind it, without status codes and places in C++.

    Any other text as one line. `main/triton/runtime-message.ts` says the same of answers of Triton.
    """
    text = " ".join(str(error).split())
    bare = _STATUS.sub("", text)
    node = _NODE.search(bare)
    if node is None and bare == text and _PLACE.search(bare) is None:
        return text
    head, reason = ("", bare) if node is None else (bare[: node.start()], bare[node.end() :])
    place = _PLACE.search(reason)
    if place is not None:
        before, after = reason[: place.start()], _without_signature(reason[place.end() :])
        condition = _CONDITION.match(after)
        # A check without words of its own: the condition is all there is.
        if condition is not None:
            after = after[condition.end() :] or condition.group().strip()
        reason = f"{before} {after}" if before.strip() != "" else after
    reason = " ".join(reason.split()).rstrip(".")
    if node is None:
        return f"{head}{reason}"
    name = f' "{node.group(2)}"' if node.group(2) != "" else ""
    return f"{head}{reason} ({node.group(1)} node{name})"
