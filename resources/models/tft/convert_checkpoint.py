"""The published checkpoint to the names of model.py: a pickle with `args`, `config` and the state under `model`.

The classes before 31 March 2023 have no part `TFTpart2`, those after have; both are accepted.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from toolkit.published import StandIn, Weights, read_checkpoint, refuse, state_of

from .layout import ENCODER_LENGTH, EXAMPLE_LENGTH, LAYOUTS, QUANTILES, layout_of
from .model import TemporalFusionTransformer, Variables

#: Of the published files beside tensors.
_CLASSES = ("argparse.Namespace", "configuration.", "data_utils.")
_PART = "TFTpart2."

#: The publisher's names of the groups of variables, and ours.
_GROUPS = {"s": "static", "k": "known", "o": "observed"}
_CATEGORIES = {"s": "s_cat_embed", "k": "t_cat_k_embed", "o": "t_cat_o_embed"}
_REALS = {"s": "s_cont_embedding", "k": "t_cont_k_embedding", "o": "t_cont_o_embedding"}
_GRN = {
    "lin_a.weight": "first.weight",
    "lin_a.bias": "first.bias",
    "lin_c.weight": "context.weight",
    "lin_i.weight": "second.weight",
    "lin_i.bias": "second.bias",
    "glu.lin.weight": "gate.gate.both.weight",
    "glu.lin.bias": "gate.gate.both.bias",
    "layer_norm.ln.weight": "gate.norm.weight",
    "layer_norm.ln.bias": "gate.norm.bias",
    "out_proj.weight": "skip.weight",
    "out_proj.bias": "skip.bias",
}
_GRNS = {
    "static_encoder.context_grns.0": "selection_context",
    "static_encoder.context_grns.1": "enrichment_context",
    "static_encoder.context_grns.2": "hidden_context",
    "static_encoder.context_grns.3": "cell_context",
    "enrichment_grn": "enrichment",
    "positionwise_grn": "feed_forward",
}
_SELECTIONS = {
    "static_encoder.vsn": "select_static",
    "history_vsn": "select_past",
    "future_vsn": "select_future",
}
_GATES = {
    "lstm_gate": ("input_gate", "input_gate_ln"),
    "attention_gate": ("attention_gate", "attention_ln"),
    "feed_forward_gate": ("decoder_gate", "decoder_ln"),
}


class _Sizes:
    """Of the network, from the shapes of its tensors."""

    def __init__(self, weights: Weights) -> None:
        def variables(group: str) -> Variables:
            pattern = f"embedding.{_CATEGORIES[group]}.{{}}.weight"
            tables = [weights.shape(pattern.format(index))[0] for index in range(weights.count(pattern))]
            reals = f"embedding.{_REALS[group]}_vectors"
            return Variables(tables, weights.shape(reals)[0] if reals in weights else 0)

        self.static, self.known, self.observed = (variables(group) for group in _GROUPS)
        self.targets, self.hidden = weights.shape("embedding.t_tgt_embedding_vectors")
        # Queries and keys of all heads, and one value.
        rows = weights.shape("attention.qkv_linears.weight")[0]
        head = rows - 2 * self.hidden
        if head < 1 or self.hidden % head != 0:
            raise refuse(
                weights.path, f"attention.qkv_linears.weight has {rows} rows, which fit no number of heads"
            )
        self.heads = self.hidden // head
        self.quantiles = weights.shape("quantile_proj.weight")[0]
        mask = "attention._mask"
        self.hours = weights.shape(mask)[-1] if mask in weights else EXAMPLE_LENGTH


def _count(state: Mapping[str, torch.Tensor], pattern: str) -> int:
    number = 0
    while pattern.format(number) in state:
        number += 1
    return number


def _model(sizes: _Sizes, past: int) -> torch.nn.Module:
    return TemporalFusionTransformer(
        sizes.static,
        sizes.known,
        sizes.observed,
        sizes.hidden,
        sizes.heads,
        0.0,
        0.0,
        sizes.quantiles,
        sizes.targets,
        sizes.hours,
        past,
    )


def _state(weights: Weights, sizes: _Sizes, wanted: Mapping[str, torch.Tensor]) -> dict[str, Any]:
    """`wanted`: of a model of these sizes."""
    state: dict[str, Any] = {}

    def move(theirs: str, ours: str) -> None:
        state[ours] = weights.take(theirs, *wanted[ours].shape)

    def grn(theirs: str, ours: str) -> None:
        for old, new in _GRN.items():
            # A context, a residual of another size and a normalisation are not everywhere.
            if f"{ours}.{new}" in wanted:
                move(f"{theirs}.{old}", f"{ours}.{new}")

    # A context that is never given.
    weights.drop("static_encoder.vsn.joint_grn.lin_c", "attention._mask")
    for group, name in _GROUPS.items():
        variables: Variables = getattr(sizes, name)
        for index in range(len(variables.categories)):
            move(f"embedding.{_CATEGORIES[group]}.{index}.weight", f"embed_{name}.tables.{index}.weight")
        if variables.reals > 0:
            move(f"embedding.{_REALS[group]}_vectors", f"embed_{name}.weight")
            move(f"embedding.{_REALS[group]}_bias", f"embed_{name}.bias")
        elif variables.total > 0 or group != "o":
            state[f"embed_{name}.weight"] = state[f"embed_{name}.bias"] = torch.zeros(0, sizes.hidden)
    move("embedding.t_tgt_embedding_vectors", "embed_target.weight")
    move("embedding.t_tgt_embedding_bias", "embed_target.bias")
    for theirs, ours in _SELECTIONS.items():
        grn(f"{theirs}.joint_grn", f"{ours}.weights")
        for index in range(_count(wanted, f"{ours}.each.{{}}.first.weight")):
            grn(f"{theirs}.var_grns.{index}", f"{ours}.each.{index}")
    for theirs, ours in _GRNS.items():
        grn(theirs, ours)
    for theirs, ours in (("history_encoder", "encoder"), ("future_encoder", "decoder")):
        for name in ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"):
            move(f"{theirs}.{name}", f"{ours}.{name}")
    for ours, (gate, norm) in _GATES.items():
        for kind in ("weight", "bias"):
            move(f"{gate}.lin.{kind}", f"{ours}.gate.both.{kind}")
            move(f"{norm}.{kind}", f"{ours}.norm.{kind}")
    size = sizes.hidden
    joined = weights.take("attention.qkv_linears.weight")
    for name, part in zip(("queries", "keys", "values"), joined.split([size, size, size // sizes.heads])):
        state[f"attention.{name}.weight"] = part.clone()
    move("attention.out_proj.weight", "attention.project.weight")
    move("quantile_proj.weight", "quantiles.weight")
    move("quantile_proj.bias", "quantiles.bias")
    weights.done()
    return state


def _weights(tensors: Mapping[str, Any], path: Path) -> Weights:
    plain = {key[len(_PART) :] if key.startswith(_PART) else key: value for key, value in tensors.items()}
    return Weights(plain, path)


def build_published(
    tensors: Mapping[str, Any], constructor: Mapping[str, Any], path: Path
) -> torch.nn.Module:
    """The network of the publisher's constructor arguments, with these tensors; in evaluation mode."""
    weights = _weights(tensors, path)
    sizes = _Sizes(weights)
    sizes.hours = int(constructor["example_length"])
    model = _model(sizes, int(constructor["encoder_length"]))
    model.load_state_dict(_state(weights, sizes, model.state_dict()))
    return model.eval()


def _require_layout(sizes: _Sizes, data_set: str, path: Path) -> None:
    """Throws checkpoint-invalid for variables that the preset's data sets do not have."""
    layout = layout_of(data_set)
    wanted = {
        "categorical static variables": (len(sizes.static.categories), len(layout.static_categories)),
        "real static variables": (sizes.static.reals, 0),
        "categorical known variables": (len(sizes.known.categories), 0),
        "real known variables": (sizes.known.reals, len(layout.known)),
        "observed variables": (sizes.observed.total, 0),
        "targets": (sizes.targets, 1),
        "quantiles": (sizes.quantiles, len(QUANTILES)),
        "hours per sample": (sizes.hours, EXAMPLE_LENGTH),
    }
    for name, (found, expected) in wanted.items():
        if found != expected:
            raise refuse(
                path,
                f"the network has {found} {name}, the data set {data_set} has {expected}",
                "Choose a checkpoint that was trained on electricity or traffic.",
            )


def convert_checkpoint(
    checkpoint: str, data_set: str = "electricity", dataset_series: int = 8
) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """Arguments that the file decides, and the state by the names of model.py.

    A generated data set has no more series than the network.
    """
    path = Path(checkpoint)
    value = read_checkpoint(path, _CLASSES)
    tensors = state_of(value, path)
    if "embed_target.weight" in tensors:
        return {}, tensors
    weights = _weights(tensors, path)
    sizes = _Sizes(weights)
    config = value.get("config") if isinstance(value, Mapping) else None
    series = sizes.static.categories[0] if len(sizes.static.categories) > 0 else 0
    if isinstance(config, StandIn):
        data_set = "traffic" if type(config).__name__ == "TrafficConfig" else "electricity"
        quantiles = config.fields.get("quantiles")
        if quantiles is not None and tuple(quantiles) != QUANTILES:
            raise refuse(path, f"it forecasts the quantiles {list(quantiles)}, not {list(QUANTILES)}")
    else:
        data_set = next((name for name, one in LAYOUTS.items() if one.series == series), data_set)
    _require_layout(sizes, data_set, path)
    arguments = {
        "data_set": data_set,
        "series": series,
        "hidden_size": sizes.hidden,
        "heads": sizes.heads,
        "dataset_series": min(dataset_series, series),
    }
    return arguments, _state(weights, sizes, _model(sizes, ENCODER_LENGTH).state_dict())
