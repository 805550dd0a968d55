"""A downloaded archive to a folder."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..archives import KINDS, unpack
from ..errors import ToolkitError
from ..files import new_directory
from ..options import at_least
from ..report import Report, bytes_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--archive", type=Path, required=True)
    parser.add_argument("--kind", choices=KINDS, required=True)
    parser.add_argument("--most-bytes", type=at_least(1), required=True, help="that it may hold unpacked")
    parser.add_argument("--output", type=Path, required=True, help="new or empty folder")


def run(options: argparse.Namespace, report: Report) -> dict[str, Any]:
    if not options.archive.is_file():
        raise ToolkitError("input-invalid", f"{options.archive} does not exist", where="--archive")
    with new_directory(options.output) as folder:
        files, written = unpack(options.archive, options.kind, folder, options.most_bytes, report.progress)
    report.progress(1.0, f"Unpacked, {files} files of {bytes_text(written)}")
    return {"files": files, "bytes": written, "path": str(options.output)}
