"""A Hugging Face folder as a module with inputs by position. Weights come from safetensors; no code of it runs."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

import torch
from torch import nn

from .samples import MASK, Input, parse_inputs

DECODER = "decoder_input_ids"
#: Their first dimension behind the batch counts the tokens of the text.
_BY_TOKEN = {
    "token-classification": ["logits"],
    "fill-mask": ["logits"],
    "text-generation": ["logits"],
    "question-answering": ["start_logits", "end_logits"],
    "feature-extraction": ["last_hidden_state"],
}
#: Weights of the encoder that its own outputs do not use.
_UNUSED = ("pooler.",)


def pooled(hidden: torch.Tensor, mask: torch.Tensor, pooling: str) -> torch.Tensor:
    """One vector of those of the tokens, as sentence-transformers makes it."""
    if pooling == "cls":
        return hidden[:, 0]
    weights = mask.unsqueeze(-1).to(hidden.dtype)
    if pooling == "max":
        return hidden.masked_fill(weights == 0, torch.finfo(hidden.dtype).min).max(dim=1).values
    if pooling == "lasttoken":
        # Whichever side the padding is on.
        last = (mask.long().cumsum(dim=1) * mask.long()).argmax(dim=1)
        return hidden[torch.arange(hidden.shape[0], device=hidden.device), last]
    return (hidden * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1e-9)


class Sentence(nn.Module):
    """What sentence-transformers has behind the encoder: one vector of those of the tokens."""

    def __init__(self, folder: str, pooling: str, dense: Sequence[str], normalize: bool) -> None:
        super().__init__()
        self._pooling = pooling
        self._normalize = normalize
        self.dense = nn.Sequential(*(layer for path in dense for layer in _dense_layers(Path(folder) / path)))

    def forward(self, hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        vector: torch.Tensor = self.dense(pooled(hidden, mask, self._pooling))
        return nn.functional.normalize(vector, p=2.0, dim=1) if self._normalize else vector


def _dense_layers(place: Path) -> list[nn.Module]:
    """Of a folder of the module Dense."""
    from safetensors.torch import load_file

    config = json.loads((place / "config.json").read_text(encoding="utf-8"))
    weights = {
        name.removeprefix("linear."): value.float()
        for name, value in load_file(place / "model.safetensors").items()
    }
    linear = nn.Linear(config["in_features"], config["out_features"], bias="bias" in weights)
    linear.load_state_dict(weights)
    is_plain = str(config.get("activation_function", "")).endswith(".Identity")
    return [linear] if is_plain else [linear, nn.Tanh()]


class Served(nn.Module):
    """Tensors in, tensors out, in the order of their names."""

    def __init__(
        self,
        model: nn.Module,
        inputs: Sequence[str],
        outputs: Sequence[str],
        options: Mapping[str, Any],
        sentence: Optional[Sentence],
    ) -> None:
        super().__init__()
        self.model = model
        self._inputs = list(inputs)
        self._outputs = list(outputs)
        self._options = dict(options)
        self.sentence = sentence

    def forward(self, *tensors: torch.Tensor) -> Any:
        given = dict(zip(self._inputs, tensors))
        if DECODER in given:
            # All of it counts. Without a mask the library looks for several texts in one row, which is not exported.
            given["decoder_attention_mask"] = torch.ones_like(given[DECODER])
        result = self.model(**given, **self._options, return_dict=True)
        if self.sentence is not None:
            return self.sentence(result["last_hidden_state"], given[MASK])
        values = tuple(result[name] for name in self._outputs)
        return values[0] if len(values) == 1 else values


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def load_folder(folder: str, auto_class: str) -> nn.Module:
    """The class that config.json names, in fp32. Raises ValueError where weights are missing: they would be random."""
    # Before the import, which reads them.
    os.environ.update({"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"})
    import transformers

    # What a trace takes for a constant is found by the accuracy gate, which sends other lengths and batches.
    warnings.filterwarnings("ignore", category=torch.jit._trace.TracerWarning)
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    try:
        loaded: Any = getattr(transformers, auto_class).from_pretrained(
            folder,
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=True,
            # Exporters and the reference take the same plain products and softmax.
            attn_implementation="eager",
            dtype=torch.float32,
            output_loading_info=True,
        )
    except (KeyError, OSError, RuntimeError, ImportError) as error:
        text = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ValueError(f"transformers cannot load the folder: {text}") from error
    model, info = loaded
    missing = sorted(str(key) for key in info["missing_keys"] if not str(key).startswith(_UNUSED))
    if missing:
        raise ValueError(
            f"The weights lack {_some(missing)}, which would be random numbers: the folder was saved without the part "
            f"that {type(model).__name__} has"
        )
    module: nn.Module = model
    # A cache of keys and values is of a generation, which has many passes.
    if hasattr(model.config, "use_cache"):
        model.config.use_cache = False
    return module.eval()


def sentence_of(folder: str, pooling: str, dense: str, normalize: bool) -> Optional[Sentence]:
    """`dense`: folders, with commas; None for a model that is served as it is."""
    if pooling == "":
        return None
    return Sentence(folder, pooling, [path for path in dense.split(",") if path], normalize).eval()


def _masks(inputs: Sequence[Input], task: str, pooling: str) -> dict[str, list[str]]:
    """What a mask covers: inputs of text, and outputs that have a value for each of its tokens."""
    if not any(item.name == MASK for item in inputs):
        return {}
    covered = [item.name for item in inputs if item.is_text]
    return {MASK: [*covered, *([] if pooling else _BY_TOKEN.get(task, []))]}


def get_model(
    folder: str,
    auto_class: str,
    task: str,
    inputs: str,
    outputs: Sequence[str] = (),
    pooling: str = "",
    dense: str = "",
    normalize: bool = False,
) -> tuple[nn.Module, dict[str, Any]]:
    """`inputs`: see `parse_inputs`; `outputs`: attributes of the library's result, or the name of the pooled vector."""
    parsed = parse_inputs(inputs)
    names = [item.name for item in parsed]
    model = load_folder(folder, auto_class)
    # A cache of keys and values is of a generation, which has many passes.
    generates = task == "text-generation" or DECODER in names
    options = {"use_cache": False} if generates else {}
    served = Served(model, names, outputs, options, sentence_of(folder, pooling, dense, normalize)).eval()
    return served, {"inputs": names, "outputs": list(outputs), "masks": _masks(parsed, task, pooling)}
