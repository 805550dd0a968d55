"""Files of the Hugging Face hub: hashes, sizes and progress; huggingface_hub itself is tried by a campaign."""

from __future__ import annotations

import hashlib
import json
import os
import unittest
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from support import ToolkitCase

from toolkit.errors import ToolkitError
from toolkit.hub import Downloaded, HubFile, files_of, verify
from toolkit.report import Report

CONTENT = b"content"
SHA256 = hashlib.sha256(CONTENT).hexdigest()
#: Of "git hash-object".
BLOB = "6b584e8ece562ebffc15d38808cd6b98fc3d97ea"


class HubTest(ToolkitCase):
    def entry(self) -> Path:
        """A link to its content, as the cache has it."""
        content = self.dir / f"content-{len(list(self.dir.iterdir()))}"
        content.write_bytes(CONTENT)
        link = self.dir / f"link-{content.name}"
        link.symlink_to(content)
        return link

    def test_files_have_the_hash_of_their_content_or_their_id_in_git(self) -> None:
        lfs = SimpleNamespace(rfilename="model.safetensors", size=None, blob_id="f00d")
        info = SimpleNamespace(
            siblings=[
                SimpleNamespace(rfilename="config.json", size=7, blob_id=BLOB, lfs=None),
                SimpleNamespace(**vars(lfs), lfs={"sha256": SHA256, "size": 9}),
            ]
        )
        small, large = files_of(info)
        self.assertEqual((small.bytes, small.sha256, small.etag), (7, None, BLOB))
        self.assertEqual((large.bytes, large.sha256, large.etag), (9, SHA256, SHA256))
        self.assertEqual(files_of(SimpleNamespace(siblings=None)), [])

    def test_a_file_is_compared_with_what_the_hub_publishes(self) -> None:
        for file in (
            HubFile("a", 7, SHA256, None),
            HubFile("a", 7, None, BLOB),
            HubFile("a", 7, None, None),
        ):
            path = self.entry()
            verify(path, file)
            self.assertTrue(path.exists())

    def test_another_content_is_refused_and_removed(self) -> None:
        for file in (
            HubFile("a", 7, SHA256[::-1], BLOB),
            HubFile("a", 7, None, BLOB[::-1]),
            HubFile("a", 8, None, None),
        ):
            path = self.entry()
            content = path.resolve()
            with self.assertRaises(ToolkitError) as refused:
                verify(path, file)
            self.assertEqual(refused.exception.code, "download-invalid")
            self.assertFalse(content.exists() or path.is_symlink())

    def test_progress_counts_bytes_over_all_files(self) -> None:
        reading, writing = os.pipe()
        downloaded = Downloaded(Report(writing), 10)
        bar: Any = downloaded.bar("a")
        with bar(total=6, unit="B", desc="a") as shown:
            shown.update(4)
            shown.update_transfer(4)
            shown.set_postfix_str("what the library also calls", refresh=False)
            shown.close()
        # A server that does not resume is asked for all of it again.
        shown.update(-4)
        with downloaded.bar("b")() as other:
            other.update(10)
        os.close(writing)
        with os.fdopen(reading) as stream:
            lines = [json.loads(line) for line in stream]
        self.assertEqual(lines[0], {"type": "progress", "fraction": 0.4, "text": "4 B of 10 B, a"})
        self.assertEqual(lines[-1], {"type": "progress", "fraction": 1.0, "text": "10 B of 10 B, b"})


if __name__ == "__main__":
    unittest.main()
