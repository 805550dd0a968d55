"""Outputs of NVIDIA's networks against those of the presets with the same weights; a JSON line for each comparison.

A folder has config.json (network, constructor arguments), weights.npz (NVIDIA's names), inputs.npz and outputs.npz;
an entry `case.NAME` belongs to the case, an entry without a point to the only one. Run by scripts/vectors.mjs.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from toolkit.errors import as_toolkit_error
from toolkit.model_folder import ModelFolder

Array = npt.NDArray[Any]
Tensors = dict[str, Array]
Cases = dict[str, Tensors]

_MODELS = Path(__file__).resolve().parents[2] / "resources" / "models"
_FILES = ("config.json", "weights.npz", "inputs.npz", "outputs.npz")

#: Beginning of the network's name in config.json: model folder, framework.
_NETWORKS = {
    "Temporal Fusion Transformer": ("tft", "pyt"),
    "FastPitch": ("fastpitch", "pyt"),
    "nnU-Net": ("nnunet", "pyt"),
    "ResNet-50": ("resnet50", "pyt"),
    "Wide & Deep": ("wide_and_deep", "tf"),
}
#: Outputs that are scores of classes, by model folder, with their axis.
_SCORES = {"resnet50": "OUTPUT__0", "nnunet": "logits"}
_CLASS_AXIS = 1


class Difference(NamedTuple):
    """`largest`: absolute; `classes`: best classes that differ, where the runner-up is not within the limit."""

    output: str
    largest: float
    classes: Optional[int] = None
    note: str = ""


def _cases(path: Path) -> Cases:
    found: Cases = {}
    with np.load(path, allow_pickle=False) as file:
        for key in file.files:
            case, _, name = key.rpartition(".")
            found.setdefault(case, {})[name] = file[key]
    return found


def _largest(found: Array, wanted: Array) -> float:
    """Infinite for another number of values, or where only one is a number."""
    if found.size != wanted.size:
        return float("inf")
    # Release 1.0 of FastPitch gives the pitch without an axis of one.
    gap = np.abs(found.reshape(wanted.shape).astype(np.float64) - wanted.astype(np.float64))
    return float(np.where(np.isnan(gap), np.inf, gap).max(initial=0.0))


def _other_classes(found: Array, wanted: Array, limit: float) -> int:
    best, second = np.sort(wanted, axis=_CLASS_AXIS).take([-1, -2], axis=_CLASS_AXIS).swapaxes(0, _CLASS_AXIS)
    differs = found.argmax(axis=_CLASS_AXIS) != wanted.argmax(axis=_CLASS_AXIS)
    return int((differs & (best - second > limit)).sum())


def _torch_outputs(model: Any, folder: str, x: Tensors, names: list[str]) -> Tensors:
    import torch

    order = names if len(names) > 1 else list(x)
    with torch.inference_mode():
        arguments = [torch.from_numpy(x[name]) for name in order]
        if folder == "nnunet":
            logits = model.logits(*arguments)[0]
            return {"logits": logits.numpy(), "OUTPUT__0": model(*arguments).numpy()}
        value = model(*arguments)
    values = list(value) if isinstance(value, tuple) else [value]
    keys = ["target__0"] if folder == "tft" else [f"OUTPUT__{index}" for index in range(len(values))]
    return {key: tensor.numpy() for key, tensor in zip(keys, values)}


def _keras_outputs(model: Any, x: Tensors) -> Tensors:
    import keras

    inner = keras.Model(
        model.inputs, [model.output, model.get_layer("logit").output, model.get_layer("deep_logit").output]
    )
    click, logit, deep = (np.asarray(value) for value in inner(x, training=False))
    return {"wide_deep_model": click, "deep": deep, "linear": logit - deep}


def _alone(inputs: Cases, outputs: Cases, sentence: Array) -> Optional[Tensors]:
    """The published outputs of a sentence that is in no batch."""
    for case, x in inputs.items():
        if case in outputs and np.array_equal(x["INPUT__0"], sentence[None]):
            return outputs[case]
    return None


def _mixes(constructor: Mapping[str, Any]) -> bool:
    """Before release 1.1 of FastPitch, more than one head mixes up the sentences of a batch."""
    heads = [int(constructor.get(f"{stack}_fft_n_heads", 1)) for stack in ("in", "out")]
    return "energy_conditioning" not in constructor and max(heads) > 1


def _speech(model: Any, inputs: Cases, outputs: Cases, case: str, mixes: bool) -> Iterator[Difference]:
    """Of a batch with padding, of tokens or of frames: a sentence's published result depends on the batch, that of the
    preset is the one it has alone. Both are compared: the network with the published padding, and as it is served.
    """
    wanted = outputs[case]
    tokens, lengths = inputs[case]["INPUT__0"], wanted["OUTPUT__1"]
    mixes = mixes and len(tokens) > 1
    if not mixes and bool((tokens != 0).all()) and bool((lengths == lengths.max()).all()):
        for name, array in _torch_outputs(model, "fastpitch", inputs[case], []).items():
            if name in wanted:
                yield Difference(f"{case}.{name}", _largest(array, wanted[name]))
        return
    parts = [part for part in model.modules() if hasattr(part, "isolate")]
    for part in parts:
        part.isolate = False
    published = _torch_outputs(model, "fastpitch", inputs[case], [])
    for part in parts:
        part.isolate = True
    if mixes:
        yield Difference(case, 0.0, note="not compared: several heads mix the sentences of a batch")
    else:
        for name, array in wanted.items():
            gap = _largest(published[name], array)
            yield Difference(f"{case}.{name}", gap, note="with the published padding")
    served = _torch_outputs(model, "fastpitch", inputs[case], [])
    largest: dict[str, float] = {}
    compared = 0
    for row, padded in enumerate(tokens):
        sentence = padded[: int((padded != 0).sum())]
        alone = _alone(inputs, outputs, sentence)
        if alone is None:
            continue
        compared += 1
        for name, array in alone.items():
            valid = int(alone["OUTPUT__1"][0]) if name == "OUTPUT__0" else len(sentence)
            own = served[name][row : row + 1]
            own, array = (own, array) if own.ndim == 1 else (own[..., :valid], array[..., :valid])
            largest[name] = max(largest.get(name, 0.0), _largest(own, array))
    for name, value in largest.items():
        yield Difference(
            f"{case}.{name}", value, note=f"{compared} sentences against their own unbatched results"
        )


def compare(folder: Path, limit: float) -> Iterator[Difference]:
    """Raises ToolkitError or ValueError for a folder that is none of these."""
    missing = [name for name in _FILES if not (folder / name).is_file()]
    if missing:
        raise ValueError(f"{folder} has no file {missing[0]}")
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    name, framework = network_of(config)
    ModelFolder(_MODELS / name, {}, {})
    converter = importlib.import_module("_model_folder.convert_checkpoint")
    with np.load(folder / "weights.npz", allow_pickle=False) as file:
        weights: dict[str, Any] = {key: file[key] for key in file.files}
    if framework == "pyt":
        import torch

        weights = {key: torch.from_numpy(array) for key, array in weights.items()}
    model = converter.build_published(weights, config.get("constructor", {}), folder / "weights.npz")
    order = importlib.import_module("_model_folder.model").INPUTS if name == "tft" else []
    inputs, outputs = _cases(folder / "inputs.npz"), _cases(folder / "outputs.npz")
    for case, wanted in outputs.items():
        x = inputs[case]
        if name == "fastpitch":
            yield from _speech(model, inputs, outputs, case, _mixes(config.get("constructor", {})))
            continue
        found = _keras_outputs(model, x) if framework == "tf" else _torch_outputs(model, name, x, order)
        absent = [key for key in wanted if key not in found]
        if absent:
            raise ValueError(f"{folder}: the preset has no output {absent[0]}")
        for key, array in wanted.items():
            shown = f"{case}.{key}" if case else key
            if name == "nnunet" and key == "OUTPUT__0":
                classes = _other_classes(found["logits"], wanted["logits"], limit)
                different = int((found[key] != array).sum())
                yield Difference(shown, 0.0, classes, f"{different} of {array.size} class numbers differ")
                continue
            classes_of = _SCORES.get(name)
            scores = _other_classes(found[key], array, limit) if key == classes_of else None
            yield Difference(shown, _largest(found[key], array), scores)


def network_of(config: Mapping[str, Any]) -> tuple[str, str]:
    """Model folder and framework. Raises ValueError for a network that no preset has."""
    name = str(config.get("network", ""))
    for beginning, found in _NETWORKS.items():
        if name.startswith(beginning):
            return found
    raise ValueError(f'no preset has the network "{name}"')


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--limit", type=float, required=True)
    options = parser.parse_args()
    failed = 0
    for folder in options.folders:
        try:
            for one in compare(folder, options.limit):
                passed = one.largest <= options.limit and not one.classes
                failed += not passed
                line = {"folder": folder.name, **one._asdict(), "passed": passed}
                # JSON has no infinity.
                line["largest"] = one.largest if np.isfinite(one.largest) else None
                sys.stdout.write(json.dumps(line) + "\n")
        except Exception as error:
            failed += 1
            message = as_toolkit_error(error).message
            sys.stdout.write(json.dumps({"folder": folder.name, "error": message, "passed": False}) + "\n")
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
