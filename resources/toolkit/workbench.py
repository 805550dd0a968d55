"""The workbench that started this process."""

from __future__ import annotations

import ctypes
import os
import signal
from pathlib import Path

_CHILD_OF = "TRITON_WORKBENCH_CHILD_OF"
_PR_SET_PDEATHSIG = 1


def end_with_workbench() -> None:
    """Has the kernel end this process when the workbench that started it is gone, however that ended."""
    workbench = os.environ.get(_CHILD_OF, "").split(".")[0]
    if not workbench.isdigit():
        return
    if os.getppid() == int(workbench):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    # It may have ended before this.
    if os.getppid() != int(workbench) and not Path("/proc", workbench).exists():
        os._exit(1)
