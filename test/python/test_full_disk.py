"""A disk of a few megabytes: each writer meets its end somewhere else, and all name it as the disk's."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from support import RESNET50, ToolkitCase, resnet_flags, toolkit_environment

#: Without rights of root, and gone with the process: the mount is seen by nobody else.
_ON_SMALL_DISK = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
_SCRIPT = 'mount -t tmpfs -o "size=$1" none "$2" && shift 2 && exec "$@"'


class FullDiskTest(ToolkitCase):
    def ends_on(self, size: str, verb: str, *flags: object) -> dict[str, str]:
        """The error line of a verb that writes to a disk of that size."""
        disk = self.dir / "disk"
        disk.mkdir(exist_ok=True)
        toolkit = [sys.executable, "-m", "toolkit", verb, *(str(flag) for flag in flags)]
        done = subprocess.run(
            [*_ON_SMALL_DISK, _SCRIPT, "sh", size, str(disk), *toolkit],
            capture_output=True,
            text=True,
            env={**toolkit_environment(), "TMPDIR": str(self.dir)},
            check=False,
        )
        self.assertEqual(done.returncode, 1, f"{done.stdout}\n{done.stderr}")
        error: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
        return error

    def assert_names_the_disk(self, error: dict[str, str]) -> None:
        self.assertEqual(error["code"], "disk-full", error)
        self.assertIn("disk", Path(error["where"]).parts, error)
        # The library's own words stay as evidence.
        self.assertIn("Error", error["details"])

    def untrained(self) -> list[str]:
        """The flags of a model of a few megabytes; its folder has no training, which would take minutes."""
        folder = self.dir / "folder"
        shutil.copytree(RESNET50, folder)
        (folder / "train.py").unlink()
        _, _, *rest = resnet_flags(width="48")
        return ["--model-dir", str(folder), *rest]

    def test_weights(self) -> None:
        flags = self.untrained()
        for size in ("100k", "1m", "3m"):
            with self.subTest(size):
                output = self.dir / "disk" / "weights.pt"
                self.assert_names_the_disk(self.ends_on(size, "train", *flags, "--output", output))

    def test_exported_models(self) -> None:
        flags = self.untrained()
        data = self.dir / "data"
        self.ok("make-dataset", *flags, "--output", data)
        for form, size in (("onnx", "100k"), ("onnx", "2m"), ("ts-trace", "2m")):
            with self.subTest(f"{form} {size}"):
                output = self.dir / "disk" / "model"
                given = [*flags, "--dataset", data, f"--format={form}", "--output", output]
                self.assert_names_the_disk(self.ends_on(size, "export", *given))

    def test_room_is_no_excuse(self) -> None:
        output = self.dir / "disk" / "weights.pt"
        error = self.ends_on("64m", "train", "--model-dir", self.dir / "nowhere", "--output", output)
        self.assertNotEqual(error["code"], "disk-full", error)
