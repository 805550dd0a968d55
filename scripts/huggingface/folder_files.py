"""What lies beside the weights of the folders of `make_folders.py`: processors, modules of sentence-transformers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_POOLING = [
    {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
]

_DENSE = {"idx": 2, "name": "2", "path": "2_Dense", "type": "sentence_transformers.models.Dense"}

#: Numbers of a processor, by name of the folder, as save_pretrained writes them.
_IMAGENET = {"image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225]}
_SOUND = {"feature_extractor_type": "Wav2Vec2FeatureExtractor", "sampling_rate": 16000, "do_normalize": True}
PROCESSORS: dict[str, Mapping[str, Any]] = {
    "vit": {
        **_IMAGENET,
        "image_processor_type": "ViTImageProcessor",
        "size": {"height": 32, "width": 32},
        "resample": 2,
    },
    "convnext": {
        **_IMAGENET,
        "image_processor_type": "ConvNextImageProcessor",
        "size": {"shortest_edge": 64},
    },
    "resnet": {"size": {"shortest_edge": 64}, "crop_size": {"height": 64, "width": 48}},
    "detr": {"size": {"shortest_edge": 64, "longest_edge": 96}},
    "yolos": {
        "image_processor_type": "YolosImageProcessor",
        "size": {"shortest_edge": 64, "longest_edge": 96},
    },
    "segformer": {"size": {"height": 64, "width": 64}},
    "wav2vec2-sounds": _SOUND,
    "wav2vec2-ctc": _SOUND,
    # Two seconds are 100 frames.
    "whisper": {
        "feature_extractor_type": "WhisperFeatureExtractor",
        "feature_size": 16,
        "sampling_rate": 16000,
        "chunk_length": 2,
        "hop_length": 320,
        "n_fft": 400,
    },
}
#: Blank and space first, as in the vocabulary of wav2vec 2.0; each id of the 32 has a letter.
_LETTERS = ["<pad>", "<s>", "</s>", "<unk>", "|", *"EATONIHSRDLUMWCFGYPBVK'XJQZ"]


def _write_json(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def _write_dense(place: Path, size: int) -> None:
    """A layer behind the pooling of vectors of 32 values."""
    import torch
    from safetensors.torch import save_file

    activation = "torch.nn.modules.activation.Tanh"
    values = {"in_features": 32, "out_features": size, "bias": True, "activation_function": activation}
    _write_json(place / "config.json", values)
    save_file(
        {"linear.weight": torch.randn(size, 32), "linear.bias": torch.randn(size)},
        place / "model.safetensors",
    )


def write_beside(name: str, folder: Path) -> None:
    """What a tokenizer, a processor or sentence-transformers writes."""
    if name == "minilm-sentences":
        _write_json(folder / "modules.json", _POOLING)
        _write_json(folder / "1_Pooling" / "config.json", {"pooling_mode_mean_tokens": True})
        _write_json(folder / "sentence_bert_config.json", {"max_seq_length": 48})
    if name == "qwen3-sentences":
        _write_json(folder / "modules.json", _POOLING)
        _write_json(folder / "1_Pooling" / "config.json", {"pooling_mode_lasttoken": True})
    if name == "labse-sentences":
        _write_dense(folder / "2_Dense", 16)
        _write_json(folder / "modules.json", [*_POOLING[:2], _DENSE, {**_POOLING[2], "idx": 3}])
        _write_json(folder / "1_Pooling" / "config.json", {"pooling_mode_cls_token": True})
    if name in PROCESSORS:
        _write_json(folder / "preprocessor_config.json", PROCESSORS[name])
    if name == "wav2vec2-ctc":
        letters = {letter: place for place, letter in enumerate(_LETTERS)}
        _write_json(folder / "vocab.json", letters)
        _write_json(folder / "tokenizer_config.json", {"tokenizer_class": "Wav2Vec2CTCTokenizer"})
    if name == "bert-text":
        _write_json(folder / "tokenizer_config.json", {"model_max_length": 48})
