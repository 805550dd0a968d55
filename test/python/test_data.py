"""Published data: archives that are not to be trusted, and raw data sets brought into the loader's layout."""

from __future__ import annotations

import csv
import io
import json
import shutil
import stat
import tarfile
import zipfile
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np
from support import TFT, ToolkitCase

from toolkit.archives import unpack
from toolkit.errors import ToolkitError
from toolkit.model_folder import ModelFolder


def add(tar: tarfile.TarFile, name: str, content: bytes = b"x", **changes: Any) -> None:
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for key, value in changes.items():
        setattr(info, key, value)
    tar.addfile(info, io.BytesIO(content) if info.isreg() else None)


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> Callable[[tarfile.TarFile], None]:
    return lambda tar: add(tar, name, b"", type=kind, linkname=target)


def plain(name: str, content: bytes = b"x") -> Callable[[tarfile.TarFile], None]:
    return lambda tar: add(tar, name, content)


class ArchiveTest(ToolkitCase):
    def tar(self, *steps: Callable[[tarfile.TarFile], None], kind: str = "tar") -> Path:
        path = self.dir / f"a.{kind}"
        with tarfile.open(path, {"tar": "w", "tar.gz": "w:gz", "tar.bz2": "w:bz2"}[kind]) as tar:  # type: ignore[call-overload]
            for step in steps:
                step(tar)
        return path

    def zip(self, **files: str) -> Path:
        path = self.dir / "a.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        return path

    def take(self, archive: Path, kind: str, most: int = 10_000) -> dict[str, Any]:
        output = self.dir / "out"
        flags = ["--kind", kind, "--most-bytes", most, "--output", output]
        return self.ok("unpack", "--archive", archive, *flags)

    def refuse(self, archive: Path, kind: str, text: str, most: int = 10_000) -> None:
        """Called in this process: the many hostile archives need no interpreter each."""
        folder = self.dir / "hostile"
        folder.mkdir()
        with self.assertRaises(ToolkitError) as caught:
            unpack(archive, kind, folder, most, lambda _fraction, _text: None)
        self.assertEqual(caught.exception.code, "download-invalid")
        self.assertIn(text, caught.exception.message)
        outside = [path for path in self.dir.iterdir() if path not in (folder, archive)]
        self.assertEqual(outside, [])
        shutil.rmtree(folder)

    def test_files_and_folders_come_out_of_every_kind(self) -> None:
        steps = [lambda tar: add(tar, "./top/deep/a.txt", b"hello"), lambda tar: add(tar, "top/b", b"")]
        for kind in ("tar", "tar.gz", "tar.bz2"):
            with self.subTest(kind=kind):
                result = self.take(self.tar(*steps, kind=kind), kind)
                self.assertEqual((result["files"], result["bytes"]), (2, 5))
                out = self.dir / "out"
                self.assertEqual((out / "top" / "deep" / "a.txt").read_text(), "hello")
                (out / "top" / "deep" / "a.txt").unlink()
                (out / "top" / "b").unlink()
                (out / "top" / "deep").rmdir()
                (out / "top").rmdir()
        result = self.take(self.zip(**{"top/a.txt": "hello"}), "zip")
        self.assertEqual(result["files"], 1)

    def test_no_name_leads_out(self) -> None:
        for name in ("../evil", "top/../../evil", "/evil", "..\\evil", "C:evil", "a\nb"):
            with self.subTest(name=name):
                self.refuse(self.tar(plain(name)), "tar", "leads out")
                (self.dir / "a.tar").unlink()
                if "\\" not in name:
                    self.refuse(self.zip(**{name: "x"}), "zip", "leads out")
                    (self.dir / "a.zip").unlink()

    def test_links_and_devices_are_refused(self) -> None:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
            archive = self.tar(link("way", "/etc", kind), lambda tar: add(tar, "way/passwd"))
            self.refuse(archive, "tar", "neither a file nor a folder")
        path = self.dir / "a.zip"
        (self.dir / "a.tar").unlink()
        with zipfile.ZipFile(path, "w") as archive_:
            info = zipfile.ZipInfo("way")
            info.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive_.writestr(info, "/etc")
        self.refuse(path, "zip", "neither a file nor a folder")

    def test_no_more_bytes_than_announced(self) -> None:
        archive = self.zip(bomb="0" * 5_000_000)
        self.assertLess(archive.stat().st_size, 10_000)
        self.refuse(archive, "zip", "more than the expected 1000 bytes", 1000)
        archive.unlink()
        self.refuse(
            self.tar(lambda tar: add(tar, "bomb", b"0" * 5_000_000), kind="tar.gz"),
            "tar.gz",
            "more than",
            1000,
        )

    def test_a_name_comes_once(self) -> None:
        twice = [lambda tar: add(tar, "a"), lambda tar: add(tar, "./a")]
        self.refuse(self.tar(*twice), "tar", "twice")
        inside = [lambda tar: add(tar, "b"), lambda tar: add(tar, "b/c")]
        self.refuse(self.tar(*inside), "tar", "twice")

    def test_damage_is_named_and_nothing_is_left(self) -> None:
        whole = self.tar(lambda tar: add(tar, "a", bytes(range(256)) * 200), kind="tar.bz2")
        data = whole.read_bytes()
        for kind, content in (
            ("tar.bz2", data[: len(data) // 2]),
            ("tar.gz", data),
            ("tar", b"<html>not found</html>"),
            ("zip", b"PK\x03\x04 cut"),
            ("tar.bz2", b""),
        ):
            with self.subTest(kind=kind, size=len(content)):
                whole.write_bytes(content)
                flags = ["--kind", kind, "--most-bytes", 10**6, "--output", self.dir / "out"]
                self.refused("download-invalid", "unpack", "--archive", whole, *flags)
                self.assertEqual([path.name for path in self.dir.iterdir()], [whole.name])


class PreparedTest(ToolkitCase):
    def prepare(self, data_set: str) -> dict[str, Any]:
        raw, output = self.dir / "raw", self.dir / "prepared"
        output.mkdir(exist_ok=True)
        counts: dict[str, Any] = ModelFolder(TFT, {"data_set": data_set}, {}).call(
            "prepare_dataset", str(raw), str(output)
        )
        return counts

    def rows(self, split: str) -> list[dict[str, str]]:
        with (self.dir / "prepared" / f"{split}.csv").open(newline="") as file:
            return list(csv.DictReader(file))

    def scales(self) -> dict[str, dict[str, float]]:
        value: dict[str, dict[str, float]] = json.loads((self.dir / "prepared/tgt_scalers.json").read_text())
        return value

    def windows(self, data_set: str) -> list[tuple[list[str], Any, Any]]:
        given = {"data_set": data_set, "window_stride": "24"}
        context = {"data_dir": str(self.dir / "prepared"), "batch_size": 64, "precision": "fp32"}
        return list(ModelFolder(TFT, given, context).call("dataloader")())

    def electricity(self, change: Optional[Callable[[list[str]], None]] = None) -> None:
        """Four meters: always on; on from day 1200 to 1340; never on; on from day 1320, after the training days."""
        (self.dir / "raw").mkdir(exist_ok=True)
        start = datetime(2011, 1, 1, 0, 15)
        lines = ['"";"MT_001";"MT_002";"MT_003";"MT_004"']
        for hour in range(1350 * 24):
            # Four values of an hour where they matter, one elsewhere.
            for quarter in range(4 if hour == 1333 * 24 else 1):
                time = start + timedelta(hours=hour, minutes=15 * quarter if quarter < 3 else -15)
                day = hour // 24
                second = 1.0 if 1200 <= day < 1340 else 0.0
                first = f"{hour % 24 + quarter},5"
                lines.append(f'"{time}";{first};{second};0;{7 if day >= 1320 else 0}')
        lines[1:] = sorted(lines[1:])
        if change is not None:
            change(lines)
        (self.dir / "raw" / "LD2011_2014.txt").write_text("\n".join(lines) + "\n")

    def test_electricity_becomes_the_published_hours(self) -> None:
        self.electricity()
        counts = self.prepare("electricity")
        self.assertEqual(counts["series"], 2)
        self.assertEqual(counts["rows"], 250 * 24 + 140 * 24)
        test = self.rows("test")
        first, second = ([row for row in test if row["id"] == name] for name in "01")
        self.assertEqual((len(first), len(second)), (14 * 24, 8 * 24))
        self.assertEqual(first[0]["days_from_start"], "1332")
        scale = self.scales()["0"]

        def load(row: dict[str, str]) -> float:
            return float(row["power_usage"]) * scale["std"] + scale["mean"]

        # 23.5 at 23 o'clock; the hour with four quarters is their mean.
        self.assertAlmostEqual(load(first[23]), 23.5, places=4)
        self.assertAlmostEqual(load(first[24]), (0.5 + 1.5 + 2.5 + 3.5) / 4, places=4)
        train = self.rows("train")
        self.assertEqual(sum(row["id"] == "1" for row in train), (1315 - 1200) * 24)
        # 1096 days after Saturday, 1 January 2011 is a Wednesday at 0 o'clock: below the means of both.
        self.assertLess(float(train[0]["hour"]), 0)
        days = sorted({float(row["day_of_week"]) for row in train if row["id"] == "0"})
        self.assertEqual(len(days), 7)
        self.assertAlmostEqual(float(train[0]["day_of_week"]), days[2], places=5)
        batches = self.windows("electricity")
        self.assertEqual(sum(len(ids) for ids, _, _ in batches), 7 + 1)

    def test_faults_of_the_raw_file_are_named_by_line(self) -> None:
        def spoil(index: int, line: str) -> Callable[[list[str]], None]:
            return lambda lines: lines.__setitem__(slice(index, None), [line])

        for change, text in (
            (spoil(4, "yesterday;1;2;3;4"), "line 5"),
            (spoil(4, '"2011-01-01 02:15:00";1;2;3'), "line 5: expected 4 numbers"),
            (spoil(4, '"2011-01-01 02:15:00";1;x;3;4'), "line 5: expected 4 numbers"),
            (spoil(4, '"2010-01-01 02:15:00";1;2;3;4'), "order of time"),
            (spoil(5, '"2011-01-01 04:15:00";1;2;3;4'), "no load from day 1096"),
            (spoil(1, ""), "line 2"),
        ):
            with self.subTest(text=text):
                self.electricity(change)
                with self.assertRaises(ToolkitError) as caught:
                    self.prepare("electricity")
                self.assertIn(text, caught.exception.message)
        flags = ["--arg=data_set=electricity", "--source", self.dir, "--output", self.dir / "new"]
        error = self.refused("input-invalid", "prepare-dataset", "--model-dir", TFT, *flags)
        self.assertIn("LD2011_2014.txt", error["message"])
        self.assertFalse((self.dir / "new").exists())

    def test_traffic_is_brought_into_the_order_of_days(self) -> None:
        raw = self.dir / "raw"
        raw.mkdir()
        days, stations = 175, (402, 400, 401)
        order = np.random.default_rng(3).permutation(days)
        numbers = (np.arange(_DAY) // 6).astype(float)
        lines, labels = [], []
        for day in order:
            matrix = [numbers / 100 + day + station / 10_000 for station in stations]
            lines.append("[" + ";".join(" ".join(f"{v:.6f}" for v in row) for row in matrix) + "]")
            labels.append(str(int(day) % 7 + 1))
        for part, rows in (("train", slice(0, 100)), ("test", slice(100, None))):
            (raw / f"PEMS_{part}").write_text("\n".join(lines[rows]) + "\n")
            (raw / f"PEMS_{part}labels").write_text(f"[{' '.join(labels[rows])}]\n")
        (raw / "randperm").write_text(f"[{' '.join(str(day + 1) for day in order)}]\n")
        (raw / "stations_list").write_text(f"[{' '.join(map(str, stations))}]\n")

        counts = self.prepare("traffic")
        self.assertEqual(counts, {"series": 3, "rows": 3 * (173 * 24 - 1)})
        scale = self.scales()[""]
        test = self.rows("test")
        self.assertEqual(len(test), 3 * 14 * 24)
        for place, station in enumerate(sorted(stations)):
            row = test[place * 14 * 24 + 5]
            self.assertEqual((row["id"], row["sensor_day"]), (str(place), "159"))
            value = float(row["values"]) * scale["std"] + scale["mean"]
            self.assertAlmostEqual(value, 5 / 100 + 159 + station / 10_000, places=3)
        days_of_week = sorted({float(row["day_of_week"]) for row in test})
        self.assertAlmostEqual(float(test[5]["day_of_week"]), days_of_week[159 % 7], places=5)
        # The very first hour is none of the table's.
        self.assertEqual(sum(row["sensor_day"] == "0" for row in self.rows("train")), 3 * 23)
        self.assertEqual(sum(len(ids) for ids, _, _ in self.windows("traffic")), 3 * 7)

        (raw / "randperm").write_text("[1 2 3]\n")
        with self.assertRaises(ToolkitError) as caught:
            self.prepare("traffic")
        self.assertIn("do not fit together", caught.exception.message)


_DAY = 144
