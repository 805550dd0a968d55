"""Generated displays in the published layout, with clicks that can be learnt.

A hidden taste decides: the ad's own appeal, a liking of each country for an advertiser, and how alike the two
documents are; Gumbel noise over it makes the click a draw from the softmax of the tastes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from .features import DISPLAY_ID, HOTNESS, LABEL, MULTI_HOT, NUMERIC, table_sizes

Array = npt.NDArray[Any]
Columns = dict[str, Any]

#: Ads of a display: fewest and most. Outbrain's displays have 2 to 12.
_FEWEST, _MOST = 3, 8
_FILE_ROWS = 20_000
#: Features of the ad and of its document; they follow from the ad's id.
_OF_AD = ("document_id_promo", "campaign_id", "advertiser_id", "source_id_promo", "publisher_id_promo")
#: Features of the visitor and of the page; one value a display.
_OF_DISPLAY = (
    "document_id", "platform", "source_id", "geo_location", "geo_location_country", "geo_location_state",
    "publisher_id",
)  # fmt: skip


class World(NamedTuple):
    """What holds for all displays. Arrays by ad, or by (country, advertiser)."""

    rows: dict[str, int]
    of_ad: dict[str, Array]
    appeal: Array
    liking: Array


def _world(rows: dict[str, int], rng: np.random.Generator) -> World:
    ads = rows["ad_id"]
    of_ad = {name: rng.integers(0, rows[name], ads) for name in _OF_AD}
    liking = rng.normal(0, 1.6, (rows["geo_location_country"], rows["advertiser_id"]))
    return World(rows, of_ad, rng.normal(0, 1.2, ads), liking)


def _lists(rows: int, count: int, rng: np.random.Generator) -> list[list[int]]:
    lengths = rng.integers(0, HOTNESS + 1, count)
    values = rng.integers(0, rows, (count, HOTNESS))
    return [values[i, : lengths[i]].tolist() for i in range(count)]


def _numbers(world: World, ads: Array, alike: Array, rng: np.random.Generator) -> Columns:
    """The ranges are those after the published preprocessing: rates 0 to 1, counts and days as scaled logarithms."""
    count = len(ads)
    rate = 1 / (1 + np.exp(-world.appeal[ads] + 1.5))
    columns: Columns = {}
    for name in NUMERIC:
        if name.startswith("document_id_document_id_promo_sim"):
            values = np.clip(alike + rng.normal(0, 0.1, count), 0, 1)
        elif name == "ad_id_ctr":
            values = np.clip(rate + rng.normal(0, 0.05, count), 0, 1)
        elif name.endswith("_ctr"):
            values = rng.beta(2, 8, count)
        elif name.endswith("_count"):
            values = rng.normal(0, 1, count)
        else:
            values = np.log1p(rng.exponential(200, count))
        columns[name] = values.astype(np.float32)
    return columns


def _columns(world: World, first: int, displays: int, rng: np.random.Generator) -> Columns:
    """Displays `first` to `first + displays`, one row an ad."""
    sizes = rng.integers(_FEWEST, _MOST + 1, displays)
    display = np.repeat(np.arange(displays), sizes)
    count = len(display)
    ads = rng.integers(0, world.rows["ad_id"], count)
    columns: Columns = {"ad_id": ads}
    columns.update({name: values[ads] for name, values in world.of_ad.items()})
    columns.update({name: rng.integers(0, world.rows[name], displays)[display] for name in _OF_DISPLAY})
    alike = rng.beta(1, 3, count)
    taste = world.appeal[ads] + 5 * alike
    taste += world.liking[columns["geo_location_country"], columns["advertiser_id"]]
    noisy = taste + rng.gumbel(0, 1, count)
    best = np.full(displays, -np.inf)
    np.maximum.at(best, display, noisy)
    columns = {name: values.astype(np.int32) for name, values in columns.items()}
    columns.update({name: _lists(world.rows[name], count, rng) for name in MULTI_HOT})
    columns.update(_numbers(world, ads, alike, rng))
    columns[DISPLAY_ID] = (first + display).astype(np.int32)
    columns[LABEL] = (noisy == best[display]).astype(np.int32)
    return columns


def _write(path: Path, columns: Columns) -> int:
    import pyarrow as pa
    from pyarrow import parquet

    lists = pa.list_(pa.int32())
    arrays = {
        name: pa.array(values, type=lists) if name in MULTI_HOT else pa.array(values)
        for name, values in columns.items()
    }
    parquet.write_table(pa.table(arrays), path)
    return len(columns[DISPLAY_ID])


def make_dataset(
    output: str,
    train_displays: int = 0,
    valid_displays: int = 400,
    max_rows: int = 0,
    tables: Sequence[str] = (),
    seed: int = 0,
    progress: Optional[Callable[[float, str], None]] = None,
) -> dict[str, int]:
    """Writes `train/part_N.parquet` and `valid/part_N.parquet`. `max_rows`: ids stay below it; 0 = published sizes.

    `tables`: sizes of single embedding tables, as the model has them.
    """
    if valid_displays < 1 or train_displays < 0:
        raise ValueError("valid_displays must be at least 1, and train_displays at least 0")
    rng = np.random.default_rng(seed)
    world = _world({name: table.rows for name, table in table_sizes(max_rows, 0, tables).items()}, rng)
    part_displays = _FILE_ROWS // _MOST
    total, done, samples = train_displays + valid_displays, 0, 0
    for split, count in (("train", train_displays), ("valid", valid_displays)):
        for index, start in enumerate(range(0, count, part_displays)):
            folder = Path(output) / split
            folder.mkdir(parents=True, exist_ok=True)
            displays = min(part_displays, count - start)
            columns = _columns(world, done + 1, displays, rng)
            samples += _write(folder / f"part_{index}.parquet", columns)
            done += displays
            if progress is not None:
                progress(done / total, f"{done} of {total} displays")
    return {"samples": samples, "classes": 2}
