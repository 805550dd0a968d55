"""The error that becomes the `error` line; codes are those of main/contract/errors.ts."""

from __future__ import annotations

import errno
import traceback
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


_UNWRITABLE = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EISDIR, errno.ENOTEMPTY}


def as_toolkit_error(error: BaseException) -> ToolkitError:
    """Any exception as the error line's content; a full or read-only disk keeps its own code."""
    if isinstance(error, ToolkitError):
        return error
    details = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    where = None
    if isinstance(error, OSError):
        where = None if error.filename is None else str(error.filename)
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return ToolkitError(
                "disk-full", "There is no space left on the disk", where=where, details=details
            )
        if error.errno in _UNWRITABLE:
            return ToolkitError("file-unwritable", str(error), where=where, details=details)
        if isinstance(error, FileNotFoundError):
            return ToolkitError("input-invalid", str(error), where=where, details=details)
    if isinstance(error, MemoryError):
        return ToolkitError(
            "toolkit-failed", "Out of memory", remedy="Use a smaller batch size or limit.", details=details
        )
    text = str(error).strip() or type(error).__name__
    return ToolkitError("toolkit-failed", f"{type(error).__name__}: {text}", where=where, details=details)
