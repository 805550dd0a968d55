"""Writes model.txt and rows.json: a LightGBM model of seven columns of a customer, one of them a category.

Run it with a Python that has numpy and lightgbm. The one of the workbench is
~/.local/share/triton-workbench/trees/bin/python
after `triton-workbench setup trees`.
"""

from __future__ import annotations

import json
from pathlib import Path

import lightgbm
import numpy as np

COLUMNS = ["age", "income", "months", "calls", "visits", "discount", "city"]
CITIES = 20


def main() -> None:
    folder = Path(__file__).parent
    generator = np.random.default_rng(7)
    rows = generator.normal(0, 1, (3000, len(COLUMNS))) * [12, 900, 20, 4, 6, 3, 1] + [
        40,
        2500,
        30,
        5,
        8,
        4,
        0,
    ]
    rows[:, -1] = generator.integers(0, CITIES, len(rows))
    # Not every customer tells the income.
    rows[generator.random(len(rows)) < 0.1, 1] = np.nan
    leaves = (rows[:, 3] > 7) | ((rows[:, 2] < 12) & (rows[:, -1] % 3 == 1))
    data = lightgbm.Dataset(
        rows.astype(np.float32), leaves.astype(int), feature_name=COLUMNS, categorical_feature=["city"]
    )
    parameters = {"objective": "binary", "num_leaves": 8, "verbosity": -1, "seed": 1, "num_threads": 1}
    lightgbm.train(parameters, data, 12).save_model(folder / "model.txt")
    # By column, with null for a missing value.
    shown = {
        name: [None if np.isnan(value) else round(float(value), 2) for value in rows[:64, index]]
        for index, name in enumerate(COLUMNS)
    }
    (folder / "rows.json").write_text(json.dumps(shown) + "\n")


if __name__ == "__main__":
    main()
