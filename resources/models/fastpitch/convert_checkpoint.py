"""Published FastPitch checkpoints to the names of model.py: `config` with the constructor's arguments, `state_dict`.

Release 1.0 has no energy: its embedding and the projection of its predictor are zero then, and OUTPUT__4 with it. The
aligner of release 1.1 belongs to training only.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from toolkit.published import Weights, read_checkpoint, refuse, state_of

from .model import PITCH_MEAN, PITCH_STD, get_model
from .speech import MELS
from .text import SYMBOLS

_ATTENTION = {
    "dec_attn.qkv_net.weight": "attention.qkv.weight",
    "dec_attn.qkv_net.bias": "attention.qkv.bias",
    "dec_attn.o_net.weight": "attention.out.weight",
    "dec_attn.layer_norm.weight": "attention.norm.weight",
    "dec_attn.layer_norm.bias": "attention.norm.bias",
    "pos_ff.CoreNet.0.weight": "conv1.weight",
    "pos_ff.CoreNet.0.bias": "conv1.bias",
    "pos_ff.CoreNet.2.weight": "conv2.weight",
    "pos_ff.CoreNet.2.bias": "conv2.bias",
    "pos_ff.layer_norm.weight": "norm.weight",
    "pos_ff.layer_norm.bias": "norm.bias",
}
_STACKS = ("encoder", "decoder")
_PREDICTORS = ("duration_predictor", "pitch_predictor", "energy_predictor")
_EMBEDDINGS = {"pitch_emb": "pitch_embedding", "energy_emb": "energy_embedding"}


def _listed(values: list[int]) -> str:
    return ",".join(str(value) for value in values)


def _arguments(weights: Weights, config: Mapping[str, Any]) -> dict[str, Any]:
    """Sizes, from the shapes; the number of heads is in the configuration alone."""
    if int(config.get("padding_idx", 0)) != 0:
        raise refuse(weights.path, f"its padding is the symbol {config['padding_idx']}, not 0")
    symbols, channels = weights.shape("encoder.word_emb.weight")
    layers, heads, head_sizes, filters, kernels = [], [], [], [], []
    for stack, prefix in zip(_STACKS, ("in", "out")):
        layers.append(weights.count(f"{stack}.layers.{{}}.dec_attn.qkv_net.weight"))
        rows = weights.shape(f"{stack}.layers.0.dec_attn.qkv_net.weight")[0]
        heads.append(int(config.get(f"{prefix}_fft_n_heads", 1)))
        head_sizes.append(rows // (3 * heads[-1]))
        conv = weights.shape(f"{stack}.layers.0.pos_ff.CoreNet.0.weight")
        filters.append(conv[0])
        kernels.append(conv[2])
    pattern = "{}.layers.{{}}.conv.weight"
    # Without energy its predictor is as that of the pitch.
    predictors = [name if f"{name}.fc.weight" in weights else "pitch_predictor" for name in _PREDICTORS]
    convs = [weights.shape(f"{name}.layers.0.conv.weight") for name in predictors]
    pitch = weights.shape("pitch_emb.weight")
    energy = weights.shape("energy_emb.weight") if "energy_emb.weight" in weights else pitch
    return {
        "symbols": symbols,
        "channels": channels,
        "mels": weights.shape("proj.weight")[0],
        "encoder_layers": layers[0],
        "decoder_layers": layers[1],
        "heads": _listed(heads),
        "head_size": _listed(head_sizes),
        "filters": _listed(filters),
        "kernel": _listed(kernels),
        "predictor_layers": _listed([weights.count(pattern.format(name)) for name in predictors]),
        "predictor_filters": _listed([shape[0] for shape in convs]),
        "predictor_kernel": _listed([shape[2] for shape in convs]),
        "embedding_kernel": _listed([pitch[2], energy[2]]),
        "formants": pitch[1],
    }


def _state(weights: Weights, config: Mapping[str, Any], wanted: Mapping[str, torch.Tensor]) -> dict[str, Any]:
    """`wanted`: of a model of these sizes."""
    state: dict[str, Any] = {}

    def move(theirs: str, ours: str) -> None:
        state[ours] = weights.take(theirs, *wanted[ours].shape)

    weights.drop("attention.", "encoder.pos_emb.", "decoder.pos_emb.")
    move("encoder.word_emb.weight", "embedding.weight")
    if "speaker_emb.weight" in weights:
        # Requests name no speaker: the first one speaks, as published. It is added to every token.
        first = weights.take("speaker_emb.weight")[0] * float(config.get("speaker_emb_weight", 1.0))
        state["embedding.weight"] = state["embedding.weight"] + first
    for stack in _STACKS:
        for index in range(weights.count(f"{stack}.layers.{{}}.dec_attn.qkv_net.weight")):
            for theirs, ours in _ATTENTION.items():
                move(f"{stack}.layers.{index}.{theirs}", f"{stack}.blocks.{index}.{ours}")
    for name in _PREDICTORS:
        if f"{name}.fc.weight" not in weights:
            state.update({key: value for key, value in wanted.items() if key.startswith(f"{name}.")})
            for kind in ("weight", "bias"):
                state[f"{name}.fc.{kind}"] = torch.zeros_like(wanted[f"{name}.fc.{kind}"])
            continue
        for index in range(weights.count(f"{name}.layers.{{}}.conv.weight")):
            for part in ("conv", "norm"):
                for kind in ("weight", "bias"):
                    move(f"{name}.layers.{index}.{part}.{kind}", f"{name}.{part}s.{index}.{kind}")
        move(f"{name}.fc.weight", f"{name}.fc.weight")
        move(f"{name}.fc.bias", f"{name}.fc.bias")
    for theirs, ours in _EMBEDDINGS.items():
        for kind in ("weight", "bias"):
            if theirs == "energy_emb" and f"{theirs}.{kind}" not in weights:
                state[f"{ours}.{kind}"] = torch.zeros_like(wanted[f"{ours}.{kind}"])
            else:
                move(f"{theirs}.{kind}", f"{ours}.{kind}")
    move("proj.weight", "projection.weight")
    move("proj.bias", "projection.bias")
    for name in ("pitch_mean", "pitch_std"):
        # Zero where the training never set them.
        value = weights.take(name).reshape(1) if name in weights else None
        state[name] = wanted[name] if value is None or float(value[0]) == 0 else value
    weights.done()
    return state


def _model(arguments: Mapping[str, Any], max_frames: int) -> torch.nn.Module:
    sizes: dict[str, Any] = {
        name: [int(part) for part in value.split(",")] if isinstance(value, str) else value
        for name, value in arguments.items()
    }
    model, _ = get_model(**sizes, max_frames=max_frames)
    return model


def build_published(
    tensors: Mapping[str, Any], constructor: Mapping[str, Any], path: Path
) -> torch.nn.Module:
    """The network of the publisher's constructor arguments, with these tensors; in evaluation mode."""
    weights = Weights(tensors, path)
    model = _model(_arguments(weights, constructor), 4096)
    model.load_state_dict(_state(weights, constructor, model.state_dict()))
    return model.eval()


def convert_checkpoint(checkpoint: str) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """Arguments that the file decides, and the state by the names of model.py."""
    path = Path(checkpoint)
    value = read_checkpoint(path)
    tensors = state_of(value, path)
    if "embedding.weight" in tensors:
        # Earlier versions of the preset kept no pitch.
        pitch = {"pitch_mean": torch.tensor([PITCH_MEAN]), "pitch_std": torch.tensor([PITCH_STD])}
        return {}, {**pitch, **tensors}
    given = value.get("config") if isinstance(value, Mapping) else None
    config = given if isinstance(given, Mapping) else {}
    weights = Weights(tensors, path)
    arguments = _arguments(weights, config)
    for name, what, expected in (
        ("symbols", "symbols; the tokenizer", len(SYMBOLS)),
        ("mels", "bands; the data", MELS),
    ):
        if arguments[name] != expected:
            raise refuse(path, f"the network has {arguments[name]} {what} of this preset has {expected}")
    return arguments, _state(weights, config, _model(arguments, 1).state_dict())
