"""The files of a model on the Hugging Face hub, and its configuration; no weight is downloaded."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Optional

from ..errors import ToolkitError
from ..hub import endpoint, files_of, hub_errors, is_cached, library, require_commit
from ..report import Report

_CONFIG = "config.json"
_MOST_FILES = 10_000
_MOST_CONFIG_BYTES = 16 * 1024 * 1024
_TIMEOUT_S = 30


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--id", required=True, help="ORG/NAME")
    parser.add_argument("--revision", default="main", help="branch, tag or commit")


def _license(info: Any) -> Optional[str]:
    """As the card states it."""
    found = getattr(info.card_data, "license", None) if info.card_data is not None else None
    names = found if isinstance(found, list) else [found]
    texts = [name for name in names if isinstance(name, str)]
    return ", ".join(texts) or None


def run(options: argparse.Namespace, report: Report) -> dict[str, Any]:
    hub = library()
    report.progress(None, f"Asking {endpoint()}")
    with hub_errors(options.id, options.revision):
        info = hub.HfApi().model_info(
            options.id, revision=options.revision, files_metadata=True, timeout=_TIMEOUT_S
        )
    commit = require_commit(options.id, info.sha)
    # The hub has moved some models to another name.
    name = str(info.id or options.id)
    files = files_of(info)
    if len(files) > _MOST_FILES:
        raise ToolkitError("input-invalid", f"{name} has more than {_MOST_FILES} files", where=endpoint())
    config = next((file for file in files if file.path == _CONFIG), None)
    folder = None
    if config is not None and config.bytes <= _MOST_CONFIG_BYTES:
        with hub_errors(name, options.revision):
            folder = str(Path(hub.hf_hub_download(name, _CONFIG, revision=commit)).parent)
    return {
        "id": name,
        "revision": commit,
        "endpoint": endpoint(),
        "license": _license(info),
        "folder": folder,
        "files": [{**file._asdict(), "cached": is_cached(name, commit, file)} for file in files],
    }
