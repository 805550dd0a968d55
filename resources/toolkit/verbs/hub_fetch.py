"""Files of a commit of the Hugging Face hub, to its cache; each is compared with the hash that the hub publishes."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from ..hub import Downloaded, HubFile, hub_errors, is_cached, library, require_commit, require_space, verify
from ..report import Report


def _hub_file(text: str) -> HubFile:
    """Of `{"path", "bytes", "sha256", "blob"}`."""
    try:
        given = json.loads(text)
        return HubFile(str(given["path"]), int(given["bytes"]), given.get("sha256"), given.get("blob"))
    except (ValueError, KeyError, TypeError) as error:
        raise argparse.ArgumentTypeError(f"not a file of the hub: {error}") from None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--id", required=True, help="ORG/NAME")
    parser.add_argument("--revision", required=True, help="commit")
    parser.add_argument("--file", dest="files", type=_hub_file, action="append", required=True)


def run(options: argparse.Namespace, report: Report) -> dict[str, Any]:
    hub = library()
    commit = require_commit(options.id, options.revision)
    files: list[HubFile] = options.files
    cached = {file.path for file in files if is_cached(options.id, commit, file)}
    require_space(sum(file.bytes for file in files if file.path not in cached))
    downloaded = Downloaded(report, sum(file.bytes for file in files))
    folder = Path()
    for file in files:
        before = file.path in cached
        with hub_errors(options.id, commit):
            path = Path(
                hub.hf_hub_download(
                    options.id, file.path, revision=commit, tqdm_class=downloaded.bar(file.path)
                )
            )
        if before:
            downloaded.add(file.bytes, file.path)
        verify(path, file)
        folder = path.parents[file.path.count("/")]
    report.progress(1.0, "Downloaded and compared with the published hashes")
    return {"folder": str(folder)}
