"""What fails in the code of a model folder, told by file, line and function."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import ToolkitError


@contextmanager
def own_code(folder: Path, function: str) -> Iterator[None]:
    """Runs a part of the folder's code. Throws model-folder-invalid; errors of the system and of the toolkit pass."""
    try:
        yield
    except (ToolkitError, OSError, MemoryError):
        raise
    except Exception as error:
        root = str(folder.resolve())
        frames = [
            frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(root)
        ]
        where = f"{frames[-1].filename}, line {frames[-1].lineno}" if frames else str(folder)
        text = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ToolkitError(
            "model-folder-invalid",
            f"{function} failed: {type(error).__name__}: {text}",
            where=where,
            remedy="Correct the line that is named; the whole trace is below.",
            details="".join(traceback.format_exception(type(error), error, error.__traceback__)),
        ) from error
