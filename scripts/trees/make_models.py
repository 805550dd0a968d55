"""Models of XGBoost, LightGBM and scikit-learn, trained on made rows: one of each objective and estimator that is
exported. Prints the names of the files.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Callable, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

ROWS, ROUNDS = 4000, 60
NUMBERS, SMALL, LARGE = 8, 12, 80
NAMES = [*(f"number_{index}" for index in range(NUMBERS)), "shop", "city"]


class Table(NamedTuple):
    """`rows`: numbers, then two categories; `margin`: what the answers follow."""

    rows: Array
    margin: Array


def make_table(missing: float, seed: int = 0) -> Table:
    generator = np.random.default_rng(seed)
    numbers = generator.normal(size=(ROWS, NUMBERS)) * np.linspace(0.5, 20, NUMBERS)
    shop, city = generator.integers(0, SMALL, ROWS), generator.integers(0, LARGE, ROWS)
    effect = generator.normal(size=LARGE)
    margin = np.sin(numbers[:, 0] * 2) + numbers[:, 1] * 0.2 + (shop % 3 == 1) - 0.5 + effect[city]
    margin += 0.2 * generator.normal(size=ROWS)
    # Zeros as counts have them.
    numbers[:, 2] = np.where(generator.random(ROWS) < 0.4, 0, numbers[:, 2])
    rows = np.column_stack([numbers, shop, city]).astype(np.float32)
    rows[:, :NUMBERS][generator.random((ROWS, NUMBERS)) < missing] = np.nan
    return Table(rows, margin)


def labels(margin: Array, classes: int) -> Array:
    edges = np.quantile(margin, np.linspace(0, 1, classes + 1)[1:-1])
    return np.digitize(margin, edges)


GROUPS = [40] * (ROWS // 40)

#: Labels by objective; of all others the margin itself.
_LABELS: Mapping[str, Callable[[Array], Array]] = {
    **{
        name: lambda margin: labels(margin, 2)
        for name in ("binary:logistic", "binary:logitraw", "rank:map", "binary")
    },
    **{
        name: lambda margin: labels(margin, 4)
        for name in (
            *("multi:softprob", "multi:softmax", "multiclass", "multiclassova"),
            *("rank:pairwise", "rank:ndcg", "lambdarank", "rank_xendcg"),
        )
    },
    **{
        name: lambda margin: 1 / (1 + np.exp(-margin))
        for name in ("reg:logistic", "cross_entropy", "cross_entropy_lambda")
    },
    **{
        name: lambda margin: np.exp(margin / 2)
        for name in (
            *(
                "count:poisson",
                "reg:gamma",
                "reg:tweedie",
                "survival:cox",
                "survival:aft",
                "reg:squaredlogerror",
            ),
            *("poisson", "gamma", "tweedie", "mape"),
        )
    },
}


def _answers(objective: str, margin: Array) -> Array:
    return _LABELS.get(objective, lambda same: same)(margin)


class XgboostCase(NamedTuple):
    objective: str
    more: Mapping[str, Any] = {}
    categorical: bool = False
    ending: str = "ubj"


XGBOOST: Mapping[str, XgboostCase] = {
    "xgb-binary": XgboostCase("binary:logistic", ending="json"),
    "xgb-binary-categories": XgboostCase("binary:logistic", categorical=True),
    "xgb-classes": XgboostCase("multi:softprob", {"num_class": 4}),
    "xgb-classes-categories": XgboostCase("multi:softmax", {"num_class": 4}, categorical=True, ending="json"),
    "xgb-squares": XgboostCase("reg:squarederror", categorical=True),
    "xgb-dart": XgboostCase("reg:squarederror", {"booster": "dart", "rate_drop": 0.2}),
    "xgb-forest": XgboostCase("reg:squarederror", {"num_parallel_tree": 5, "subsample": 0.7}),
    "xgb-lossguide": XgboostCase(
        "binary:logistic", {"grow_policy": "lossguide", "max_leaves": 64, "max_depth": 0}
    ),
    "xgb-quantiles": XgboostCase("reg:quantileerror", {"quantile_alpha": [0.1, 0.5, 0.9]}),
    "xgb-lower-bound": XgboostCase("survival:aft", {"aft_loss_distribution": "normal"}),
    **{
        f"xgb-{objective.replace(':', '-')}": XgboostCase(objective)
        for objective in (
            *("binary:logitraw", "reg:squaredlogerror", "reg:absoluteerror", "reg:pseudohubererror"),
            *("reg:logistic", "reg:gamma", "reg:tweedie", "count:poisson", "survival:cox"),
            *("rank:pairwise", "rank:ndcg", "rank:map"),
        )
    },
}


def make_xgboost(directory: Path, name: str, case: XgboostCase) -> str:
    import xgboost

    table = make_table(missing=0.1)
    types = ["float"] * NUMBERS + (["c", "c"] if case.categorical else ["float", "float"])
    answers = _answers(case.objective, table.margin)
    data = xgboost.DMatrix(
        table.rows, answers, missing=np.nan, feature_names=NAMES, feature_types=types, enable_categorical=True
    )
    if case.objective.startswith("rank:"):
        data.set_group(GROUPS)
    if case.objective == "survival:aft":
        data.set_float_info("label_lower_bound", answers)
        data.set_float_info("label_upper_bound", np.where(answers > 2, np.inf, answers))
    parameters = {"objective": case.objective, "max_depth": 6, "eta": 0.2, "seed": 1, **case.more}
    path = directory / f"{name}.{case.ending}"
    xgboost.train(parameters, data, ROUNDS).save_model(path)
    return path.name


class LightgbmCase(NamedTuple):
    objective: str
    more: Mapping[str, Any] = {}
    categorical: bool = False
    missing: float = 0.1


LIGHTGBM: Mapping[str, LightgbmCase] = {
    "lgb-binary": LightgbmCase("binary"),
    "lgb-binary-sigmoid": LightgbmCase("binary", {"sigmoid": 0.7}, categorical=True),
    "lgb-no-missing": LightgbmCase("binary", missing=0),
    "lgb-classes": LightgbmCase("multiclass", {"num_class": 4}, categorical=True),
    "lgb-classes-ova": LightgbmCase("multiclassova", {"num_class": 4}),
    "lgb-regression": LightgbmCase("regression", categorical=True),
    "lgb-regression-sqrt": LightgbmCase("regression", {"reg_sqrt": True}),
    "lgb-zero-missing": LightgbmCase("regression", {"zero_as_missing": True}),
    "lgb-forest": LightgbmCase(
        "regression", {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.7, "feature_fraction": 0.7}
    ),
    "lgb-dart": LightgbmCase("binary", {"boosting": "dart"}),
    **{
        f"lgb-{objective.replace('_', '-')}": LightgbmCase(objective)
        for objective in (
            *("regression_l1", "huber", "fair", "quantile", "mape", "poisson", "gamma", "tweedie"),
            *("cross_entropy", "cross_entropy_lambda", "lambdarank", "rank_xendcg"),
        )
    },
}


def make_lightgbm(directory: Path, name: str, case: LightgbmCase) -> str:
    import lightgbm

    table = make_table(case.missing)
    data = lightgbm.Dataset(
        table.rows,
        _answers(case.objective, table.margin),
        group=GROUPS if case.objective in ("lambdarank", "rank_xendcg") else None,
        feature_name=NAMES,
        categorical_feature=["shop", "city"] if case.categorical else [],
    )
    parameters = {"objective": case.objective, "verbosity": -1, "seed": 1, "num_threads": 2, **case.more}
    path = directory / f"{name}.txt"
    lightgbm.train(parameters, data, ROUNDS).save_model(path)
    return path.name


def _named(model: Any) -> Any:
    """As one that was trained on a table with names: the steps have them, and columns are chosen by name."""
    from sklearn.compose import ColumnTransformer

    first = model.steps[0][1] if hasattr(model, "steps") else model
    first.feature_names_in_ = np.array(NAMES, dtype=object)
    if isinstance(first, ColumnTransformer):
        first.transformers_ = [
            (name, part, [NAMES[column] for column in np.arange(len(NAMES))[columns]])
            for name, part, columns in first.transformers_
        ]
    return model


def sklearn_cases() -> Iterator[tuple[str, Any, int, float]]:
    """Name, estimator, classes (0: a regression), and the share of missing values."""
    from sklearn import ensemble, linear_model, naive_bayes, neural_network, tree
    from sklearn.compose import ColumnTransformer
    from sklearn.decomposition import PCA
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import (
        MaxAbsScaler,
        MinMaxScaler,
        Normalizer,
        OneHotEncoder,
        PolynomialFeatures,
        RobustScaler,
        StandardScaler,
    )

    numbers, categories = slice(0, NUMBERS), [NUMBERS, NUMBERS + 1]
    mixed = ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), numbers),
            ("categories", OneHotEncoder(handle_unknown="ignore"), categories),
        ]
    )
    passing = ColumnTransformer([("numbers", RobustScaler(), numbers)], remainder="passthrough")
    yield "skl-logistic", make_pipeline(StandardScaler(), linear_model.LogisticRegression(max_iter=500)), 2, 0
    yield "skl-columns", make_pipeline(mixed, linear_model.LogisticRegression(max_iter=500)), 3, 0.1
    yield (
        "skl-columns-forest",
        make_pipeline(passing, ensemble.RandomForestClassifier(60, max_depth=12)),
        4,
        0,
    )
    yield "skl-tree", tree.DecisionTreeClassifier(max_depth=10), 3, 0
    yield "skl-tree-missing", tree.DecisionTreeClassifier(max_depth=10), 3, 0.1
    yield "skl-forest", ensemble.RandomForestClassifier(100, max_depth=12), 2, 0
    yield "skl-extra", ensemble.ExtraTreesClassifier(100, max_depth=12), 4, 0
    yield "skl-boosting", ensemble.GradientBoostingClassifier(n_estimators=60), 3, 0
    yield "skl-hist", ensemble.HistGradientBoostingClassifier(max_iter=60), 2, 0.1
    yield "skl-hist-classes", ensemble.HistGradientBoostingClassifier(max_iter=40), 4, 0.1
    yield "skl-bayes", make_pipeline(MinMaxScaler(), naive_bayes.GaussianNB()), 3, 0
    yield (
        "skl-network",
        make_pipeline(MaxAbsScaler(), neural_network.MLPClassifier(hidden_layer_sizes=(16,), max_iter=60)),
        3,
        0,
    )
    yield "skl-tree-value", tree.DecisionTreeRegressor(max_depth=10), 0, 0
    yield "skl-forest-value", ensemble.RandomForestRegressor(100, max_depth=12), 0, 0
    yield "skl-extra-value", ensemble.ExtraTreesRegressor(100, max_depth=12), 0, 0
    yield "skl-boosting-value", ensemble.GradientBoostingRegressor(n_estimators=60), 0, 0
    yield "skl-hist-value", ensemble.HistGradientBoostingRegressor(max_iter=60), 0, 0.1
    yield "skl-linear", make_pipeline(SimpleImputer(), linear_model.LinearRegression()), 0, 0.1
    yield "skl-ridge", make_pipeline(PolynomialFeatures(2), StandardScaler(), linear_model.Ridge()), 0, 0
    yield "skl-lasso", make_pipeline(Normalizer(), linear_model.Lasso(alpha=1e-4)), 0, 0
    yield "skl-elastic", make_pipeline(StandardScaler(), PCA(6), linear_model.ElasticNet(alpha=1e-3)), 0, 0
    yield (
        "skl-network-value",
        make_pipeline(StandardScaler(), neural_network.MLPRegressor(hidden_layer_sizes=(16,), max_iter=60)),
        0,
        0,
    )


def make_sklearn(directory: Path, wanted: list[str]) -> Iterator[str]:
    import skops.io

    for name, model, classes, missing in sklearn_cases():
        if wanted and name not in wanted:
            continue
        table = make_table(missing)
        answers = table.margin
        if classes > 0:
            # Names as classes, for every second one.
            numbers = labels(table.margin, classes)
            answers = np.array([f"class {one}" for one in numbers]) if classes == 3 else numbers
        model.set_params(
            **{key: 1 for key in model.get_params() if key.rpartition("__")[2] == "random_state"}
        )
        model.fit(table.rows, answers)
        path = directory / f"{name}.skops"
        skops.io.dump(_named(model), path)
        yield path.name


def make(directory: Path, wanted: list[str]) -> Iterator[str]:
    for name, case in XGBOOST.items():
        if not wanted or name in wanted:
            yield make_xgboost(directory, name, case)
    for name, other in LIGHTGBM.items():
        if not wanted or name in wanted:
            yield make_lightgbm(directory, name, other)
    yield from make_sklearn(directory, wanted)


def main() -> None:
    directory, *wanted = sys.argv[1:]
    warnings.simplefilter("ignore")
    for file in make(Path(directory), wanted):
        sys.stdout.write(f"{file}\n")


if __name__ == "__main__":
    main()
