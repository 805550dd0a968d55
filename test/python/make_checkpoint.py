"""Checkpoints in the containers that NVIDIA publishes, from the weights of the vectors.

As a program: make_checkpoint.py NETWORK PATH.
"""

from __future__ import annotations

import argparse
import enum
import json
import sys
import types
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from vectors import VECTORS, arrays


@contextmanager
def classes(**modules: dict[str, type]) -> Iterator[None]:
    """Modules of the publisher, there only while a file is written; a dot in a name is written as __."""
    names: dict[str, dict[str, type]] = {}
    for name, members in modules.items():
        parts = name.split("__")
        names.update({".".join(parts[:count]): {} for count in range(1, len(parts))})
        names[".".join(parts)] = members
    for name, members in names.items():
        module = types.ModuleType(name)
        for plain, member in members.items():
            member.__module__, member.__qualname__ = name, plain
            setattr(module, plain, member)
        sys.modules[name] = module
    try:
        yield
    finally:
        for name in names:
            del sys.modules[name]


def tensors(network: str) -> dict[str, Any]:
    import torch

    return {key: torch.from_numpy(array) for key, array in arrays(network).items()}


def write_tft(state: dict[str, Any], path: Path, config: str = "ElectricityConfig") -> None:
    """Arguments, a configuration of classes of its own, the state."""
    import torch

    class DataTypes(enum.IntEnum):
        CONTINUOUS = 0
        CATEGORICAL = 1

    class FeatureSpec(NamedTuple):
        name: str
        kind: DataTypes

    kind = type(config, (), {})
    with classes(
        configuration={config: kind}, data_utils={"DataTypes": DataTypes, "FeatureSpec": FeatureSpec}
    ):
        made = kind()
        made.__dict__.update(
            features=[FeatureSpec("id", DataTypes.CATEGORICAL)], quantiles=[0.1, 0.5, 0.9], n_head=2
        )
        torch.save({"args": argparse.Namespace(seed=1), "config": made, "model": state}, path)


def write_fastpitch(state: dict[str, Any], path: Path) -> None:
    """Of a training on several GPUs in 2020, in the format of torch.save of that time."""
    import torch

    config = json.loads((VECTORS / "fastpitch" / "config.json").read_text())["constructor"]
    value = {
        "epoch": 1,
        "config": config,
        "state_dict": {f"module.{key}": tensor for key, tensor in state.items()},
        "ema_state_dict": None,
        "optimizer": {},
        "amp": {"loss_scaler0": {}},
    }
    torch.save(value, path, _use_new_zipfile_serialization=False)


def write_nnunet(state: dict[str, Any], path: Path) -> None:
    """Of PyTorch Lightning, whose classes are keys of the callbacks."""
    import torch

    callback = type("ModelCheckpoint", (), {})
    with classes(pytorch_lightning__callbacks__model_checkpoint={"ModelCheckpoint": callback}):
        value = {
            "epoch": 1,
            "pytorch-lightning_version": "1.0.0",
            "callbacks": {callback: {"best_model_score": torch.tensor(0.7), "best": np.float64(0.7)}},
            "state_dict": {f"model.{key}": tensor for key, tensor in state.items()},
            "hyper_parameters": {"args": argparse.Namespace(fold=2, results=Path("results"))},
        }
        torch.save(value, path)


def write_resnet50(state: dict[str, Any], path: Path) -> None:
    """A state dictionary of a training on several GPUs, with the names of 2020."""
    import torch

    def published(key: str) -> str:
        for stage in range(4):
            key = key.replace(f"layers.{stage}.", f"layer{stage + 1}.")
        return f"module.{key}"

    torch.save({published(key): tensor for key, tensor in state.items()}, path)


def write_wide_and_deep(path: Path, tables: str = "") -> None:
    """The folder of a TensorFlow checkpoint. `tables` "embedding_tables": named as by an older Keras."""
    import tensorflow as tf

    root, model = (tf.train.Checkpoint() for _ in range(2))
    parts: dict[str, Any] = {name: tf.train.Checkpoint() for name in ("linear_model", "dnn_model")}
    layers: dict[str, Any] = {}
    for key, array in arrays("wide_and_deep").items():
        first, *rest = key.split("/")
        part = "linear_model" if first == "wide_linear" else "dnn_model"
        number = int(first.removeprefix("dense_")) + 1 if first.startswith("dense_") else 0
        name = f"{part}/layer_with_weights-{number}"
        if name not in layers:
            layers[name] = tf.train.Checkpoint()
            parts[part]._track_trackable(layers[name], name.split("/")[1])
        place = layers[name]
        if len(rest) == 2 and tables != "":
            if place._lookup_dependency(tables) is None:
                place._track_trackable(tf.train.Checkpoint(), tables)
            place, rest = place._lookup_dependency(tables), rest[:1]
        place._track_trackable(tf.Variable(array), "/".join(rest))
    for name, held in parts.items():
        model._track_trackable(held, name)
    root._track_trackable(model, "model")
    root._track_trackable(tf.Variable(7), "current_step")
    tf.train.CheckpointManager(root, str(path), max_to_keep=1, checkpoint_name="ckpt").save()


def write_archive(weights: Path, archive: Path) -> None:
    """As NGC packs it."""
    with zipfile.ZipFile(archive, "w") as file:
        file.write(weights, f"folder/{weights.name}")
        file.writestr("README.md", "nothing")


def main(network: str, path: Path) -> None:
    if network == "wide_and_deep":
        write_wide_and_deep(path)
        return
    write = {"tft": write_tft, "fastpitch": write_fastpitch, "nnunet": write_nnunet}.get(
        network, write_resnet50
    )
    write(tensors(network), path)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
