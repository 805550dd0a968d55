"""What fails in the code of a model folder, told by file, line and function."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import ToolkitError


@contextmanager
def own_code(folder: Path, function: str) -> Iterator[None]:
    """
    Runs a part of the folder's code. Throws input-invalid where that code itself says that a value or a file is wrong
    (it raises ValueError), model-folder-invalid for any other fault; errors of the system and of the toolkit pass.
    """
    try:
        yield
    except (ToolkitError, OSError, MemoryError):
        raise
    except Exception as error:
        root = str(folder.resolve())
        trace = traceback.extract_tb(error.__traceback__)
        frames = [frame for frame in trace if frame.filename.startswith(root)]
        where = f"{frames[-1].filename}, line {frames[-1].lineno}" if frames else str(folder)
        text = (str(error).strip() or type(error).__name__).splitlines()[0]
        if isinstance(error, ValueError) and frames and trace[-1].filename.startswith(root):
            raise ToolkitError(
                "input-invalid",
                text,
                where=f"{where} ({function})",
                remedy="Correct what the message names: the file, the argument, or the line.",
            ) from error
        raise ToolkitError(
            "model-folder-invalid",
            f"{function} failed: {type(error).__name__}: {text}",
            where=where,
            remedy="Correct the line that is named; the whole trace is below.",
            details="".join(traceback.format_exception(type(error), error, error.__traceback__)),
        ) from error
