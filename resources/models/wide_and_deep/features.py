"""Names, tables and sizes of the features of the Outbrain click data, as the published deployment names them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

#: The model's output, and the label's name beside it.
OUTPUT = "wide_deep_model"
#: Groups the ads that were shown together; the id of a sample.
DISPLAY_ID = "display_id"
#: 1 for the ad of a display that was clicked.
LABEL = "clicked"
#: Ids of a multi-hot feature; fewer are padded.
HOTNESS = 3
PADDING = -1


class Table(NamedTuple):
    """`rows`: ids 0 to rows - 1; `dim`: values of an id's embedding in the deep part."""

    rows: int
    dim: int


# Rows and dimensions as in data/outbrain/features.py of NVIDIA's Wide & Deep for TensorFlow 2; its description says 16
# for the platform and 64 for the campaign instead. The order is ours: the published one is that of a dictionary.
ONE_HOT: dict[str, Table] = {
    "ad_id": Table(250_000, 128),
    "document_id": Table(300_000, 128),
    "platform": Table(4, 19),
    "document_id_promo": Table(100_000, 128),
    "campaign_id": Table(5_000, 128),
    "advertiser_id": Table(2_500, 64),
    "source_id": Table(4_000, 64),
    "geo_location": Table(2_500, 64),
    "geo_location_country": Table(300, 64),
    "geo_location_state": Table(2_000, 64),
    "publisher_id": Table(1_000, 64),
    "source_id_promo": Table(4_000, 64),
    "publisher_id_promo": Table(1_000, 64),
}

MULTI_HOT: dict[str, Table] = {
    "topic_id_list": Table(350, 64),
    "entity_id_list": Table(10_000, 64),
    "category_id_list": Table(100, 64),
}

NUMERIC: tuple[str, ...] = (
    "document_id_document_id_promo_sim_categories",
    "document_id_document_id_promo_sim_topics",
    "document_id_document_id_promo_sim_entities",
    "document_id_promo_ctr",
    "publisher_id_promo_ctr",
    "source_id_promo_ctr",
    "document_id_promo_count",
    "publish_time_days_since_published",
    "ad_id_ctr",
    "advertiser_id_ctr",
    "campaign_id_ctr",
    "ad_id_count",
    "publish_time_promo_days_since_published",
)

INPUTS: tuple[str, ...] = (*ONE_HOT, *MULTI_HOT, *NUMERIC)


def table_sizes(max_rows: int, max_dim: int, tables: Sequence[str] = ()) -> dict[str, Table]:
    """The tables of all features, cut to a smaller model's limits; 0 = no limit.

    `tables`: sizes of single features in place of these, as "ad_id:250000:128", rows and dimension. Raises ValueError.
    """
    sizes = {
        name: Table(
            min(table.rows, max_rows) if max_rows > 0 else table.rows,
            min(table.dim, max_dim) if max_dim > 0 else table.dim,
        )
        for name, table in {**ONE_HOT, **MULTI_HOT}.items()
    }
    for text in tables:
        name, *numbers = text.split(":")
        if name not in sizes or len(numbers) != 2 or not all(number.isdigit() for number in numbers):
            raise ValueError(f'tables must have entries as "ad_id:250000:128", not "{text}"')
        sizes[name] = Table(int(numbers[0]), int(numbers[1]))
    return sizes
