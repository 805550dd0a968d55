"""A training's TensorFlow checkpoint to the names of model.py's variables; an .npz file of these passes as it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import keras
import numpy as np
import numpy.typing as npt
import tensorflow as tf

from toolkit.published import Weights, refuse

from .features import MULTI_HOT, NUMERIC, ONE_HOT
from .model import get_model

Array = npt.NDArray[Any]

_SUFFIX = "/.ATTRIBUTES/VARIABLE_VALUE"
_FEATURE = re.compile(r"^(?:([a-z_]+)\.Sembedding_weights|embedding_tables/([a-z_]+))$")
_LAYER = re.compile(r"^layer_with_weights-(\d+)/(.+)$")


def _published_name(key: str) -> str:
    """`model/dnn_model/layer_with_weights-1/kernel` -> dense_0/kernel, and so on; the key itself for anything else."""
    for part, tables in (("model/linear_model/", "wide_linear"), ("model/dnn_model/", "deep_embedded")):
        match = _LAYER.match(key[len(part) :]) if key.startswith(part) else None
        if match is None:
            continue
        number, rest = int(match.group(1)), match.group(2)
        feature = _FEATURE.match(rest)
        if number == 0 and feature is not None:
            return f"{tables}/{feature.group(1) or feature.group(2)}/embedding_weights"
        if number == 0 and tables == "wide_linear":
            return f"{tables}/{rest}"
        if number > 0 and tables == "deep_embedded":
            return f"dense_{number - 1}/{rest}"
    return key


def _newest(folder: Path) -> str:
    """What the folder's own list calls the latest, else the one with the highest number. Throws checkpoint-invalid."""
    inner = folder / "checkpoint"
    place = inner if inner.is_dir() else folder
    numbered = sorted(
        (int(match.group(1)), path)
        for path in place.glob("*.index")
        if (match := re.search(r"-(\d+)\.index$", path.name)) is not None
    )
    listed = place / "checkpoint"
    if listed.is_file():
        match = re.search(r'^model_checkpoint_path: "([^"]+)"', listed.read_text(errors="replace"), re.M)
        # The path may be of another machine; the name is that of a file here.
        named = None if match is None else place / Path(match.group(1)).name
        if named is not None and named.with_name(f"{named.name}.index").is_file():
            return str(named)
    if not numbered:
        raise refuse(folder, "it has no TensorFlow checkpoint (ckpt-N.index)")
    return str(numbered[-1][1])[: -len(".index")]


def _read(path: Path) -> dict[str, Array]:
    """Variables of the model by published names; optimizers and counters are left out."""
    name = _newest(path)
    try:
        reader = tf.train.load_checkpoint(name)
        keys = [
            key
            for key in reader.get_variable_to_shape_map()
            if key.startswith("model/") and key.endswith(_SUFFIX) and ".OPTIMIZER_SLOT" not in key
        ]
        return {
            _published_name(key[: -len(_SUFFIX)]): np.asarray(reader.get_tensor(key)) for key in sorted(keys)
        }
    except Exception as error:
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise refuse(path, f"cannot be read as a TensorFlow checkpoint ({first})") from error


def _arguments(weights: Weights) -> dict[str, Any]:
    """Sizes, from the shapes."""
    features = [*ONE_HOT, *MULTI_HOT]
    tables = [weights.shape(f"deep_embedded/{name}/embedding_weights") for name in features]
    layers = weights.count("dense_{}/kernel")
    if layers < 2:
        raise refuse(weights.path, "dense_1/kernel is missing")
    return {
        "tables": ",".join(f"{name}:{rows}:{dim}" for name, (rows, dim) in zip(features, tables)),
        "deep_hidden_units": ",".join(
            str(weights.shape(f"dense_{index}/kernel")[1]) for index in range(layers - 1)
        ),
    }


def _state(weights: Weights, arguments: Mapping[str, Any]) -> dict[str, Array]:
    sizes = {}
    for text in arguments["tables"].split(","):
        name, rows, dim = text.split(":")
        sizes[name] = (int(rows), int(dim))
    layers = len(arguments["deep_hidden_units"].split(","))
    state: dict[str, Array] = {}
    for name, (rows, dim) in sizes.items():
        state[f"wide_{name}/embeddings"] = weights.take(f"wide_linear/{name}/embedding_weights", rows, 1)
        state[f"deep_{name}/embeddings"] = weights.take(f"deep_embedded/{name}/embedding_weights", rows, dim)
    # The published columns are sorted by name.
    numeric = weights.take("wide_linear/numeric/embedding_weights", len(NUMERIC), 1)
    state["wide_numeric/kernel"] = numeric[[sorted(NUMERIC).index(name) for name in NUMERIC]]
    state["wide_numeric/bias"] = weights.take("wide_linear/bias", 1)
    widths = {**dict.fromkeys(NUMERIC, 1), **{f"{name}_embedding": dim for name, (_, dim) in sizes.items()}}
    starts, start = {}, 0
    for column in sorted(widths):
        starts[column] = start
        start += widths[column]
    order = [starts[column] + place for column, width in widths.items() for place in range(width)]
    first = weights.take("dense_0/kernel")
    if first.shape[0] != start:
        raise refuse(
            weights.path, f"dense_0/kernel has {first.shape[0]} rows, the columns have {start} values"
        )
    state["deep_0/kernel"] = first[order]
    for index in range(layers + 1):
        ours = f"deep_{index}" if index < layers else "deep_logit"
        if index > 0:
            state[f"{ours}/kernel"] = weights.take(f"dense_{index}/kernel")
        state[f"{ours}/bias"] = weights.take(f"dense_{index}/bias")
    weights.done()
    return state


def build_published(tensors: Mapping[str, Any], constructor: Mapping[str, Any], path: Path) -> keras.Model:
    """The network of the publisher's constructor arguments, with these variables."""
    weights = Weights(tensors, path)
    arguments = _arguments(weights)
    model, _ = get_model(
        [int(part) for part in arguments["deep_hidden_units"].split(",")],
        combiner=constructor.get("combiner", "sum"),
        tables=arguments["tables"].split(","),
    )
    state = _state(weights, arguments)
    for variable in model.variables:
        if variable.path in state:
            variable.assign(state.pop(variable.path))
    if state:
        raise refuse(path, f"{next(iter(state))} does not fit the network")
    return model


def convert_checkpoint(checkpoint: str) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """Arguments that the checkpoint decides, and the arrays by the paths of model.py's variables."""
    path = Path(checkpoint)
    if path.is_file():
        try:
            with np.load(path, allow_pickle=False) as file:
                return {}, {name: file[name] for name in file.files}
        except Exception as error:
            raise refuse(
                path,
                f"cannot be read as weights ({error})",
                "Choose the folder of a TensorFlow checkpoint, or an .npz file with one array per variable.",
            ) from error
    if not path.exists():
        raise refuse(path, "it does not exist")
    weights = Weights(_read(path), path)
    arguments = _arguments(weights)
    return arguments, _state(weights, arguments)
