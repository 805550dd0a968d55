"""Writes small Hugging Face folders with random weights: `make_folders.py [--texts FILE] DIR [NAME...]`, or their names
with `--list`. With texts each has a tokenizer that is learned from them.

Run with the environment of the component Transformers. The weights are random: only that they are the same matters.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Optional

#: Of text: two layers, 100 words.
_TEXT = {
    "vocab_size": 100,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 64,
}
_LABELS = {"num_labels": 5}
#: Of the tokens of five labels.
_SPANS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
_ROBERTA = {**_TEXT, "max_position_embeddings": 66, "pad_token_id": 1}
_LLAMA = {**_TEXT, "num_key_value_heads": 2, "pad_token_id": 0}
_BACKBONE = {
    "embedding_size": 8,
    "hidden_sizes": [8, 16, 16, 32],
    "depths": [1, 1, 1, 1],
    "layer_type": "basic",
}
_SPEECH = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "conv_dim": [16, 16, 16],
    "conv_kernel": [10, 3, 3],
    "conv_stride": [5, 4, 4],
    "num_conv_pos_embeddings": 16,
    "num_conv_pos_embedding_groups": 2,
    "vocab_size": 32,
}
_POOLING = [
    {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
]

#: By name of the folder: configuration class, its arguments, model class.
FOLDERS: dict[str, tuple[str, Mapping[str, Any], str]] = {
    "bert-text": ("BertConfig", {**_TEXT, **_LABELS}, "BertForSequenceClassification"),
    "bert-questions": ("BertConfig", _TEXT, "BertForQuestionAnswering"),
    "minilm-sentences": ("BertConfig", _TEXT, "BertModel"),
    "distilbert-tokens": (
        "DistilBertConfig",
        {
            "vocab_size": 100,
            "dim": 32,
            "n_layers": 2,
            "n_heads": 4,
            "hidden_dim": 64,
            "max_position_embeddings": 64,
            **_LABELS,
        },
        "DistilBertForTokenClassification",
    ),
    "roberta-text": ("RobertaConfig", {**_ROBERTA, **_LABELS}, "RobertaForSequenceClassification"),
    "xlm-roberta-tokens": ("XLMRobertaConfig", {**_ROBERTA, **_LABELS}, "XLMRobertaForTokenClassification"),
    "roberta-mask": ("RobertaConfig", _ROBERTA, "RobertaForMaskedLM"),
    "xlm-roberta-questions": ("XLMRobertaConfig", _ROBERTA, "XLMRobertaForQuestionAnswering"),
    "electra-text": ("ElectraConfig", {**_TEXT, "embedding_size": 16}, "ElectraForSequenceClassification"),
    "albert-text": ("AlbertConfig", {**_TEXT, "embedding_size": 16}, "AlbertForSequenceClassification"),
    "mpnet-features": ("MPNetConfig", _ROBERTA, "MPNetModel"),
    "deberta-tokens": (
        "DebertaConfig",
        {**_TEXT, **_LABELS, "relative_attention": True, "pos_att_type": ["c2p", "p2c"]},
        "DebertaForTokenClassification",
    ),
    "deberta-v3-text": (
        "DebertaV2Config",
        {
            **_TEXT,
            **_LABELS,
            "relative_attention": True,
            "pos_att_type": ["p2c", "c2p"],
            "position_buckets": 16,
            "norm_rel_ebd": "layer_norm",
            "share_att_key": True,
            "position_biased_input": False,
        },
        "DebertaV2ForSequenceClassification",
    ),
    "gpt2": (
        "GPT2Config",
        {
            "vocab_size": 100,
            "bos_token_id": 1,
            "eos_token_id": 2,
            "n_positions": 64,
            "n_embd": 32,
            "n_layer": 2,
            "n_head": 4,
        },
        "GPT2LMHeadModel",
    ),
    "llama": ("LlamaConfig", _LLAMA, "LlamaForCausalLM"),
    "mistral": ("MistralConfig", {**_LLAMA, "sliding_window": 16}, "MistralForCausalLM"),
    "qwen2": ("Qwen2Config", _LLAMA, "Qwen2ForCausalLM"),
    "t5": (
        "T5Config",
        {
            "vocab_size": 100,
            "d_model": 32,
            "d_kv": 8,
            "d_ff": 64,
            "num_layers": 2,
            "num_heads": 4,
            "decoder_start_token_id": 0,
        },
        "T5ForConditionalGeneration",
    ),
    "bart": (
        "BartConfig",
        {
            "vocab_size": 100,
            "d_model": 32,
            "encoder_layers": 2,
            "decoder_layers": 2,
            "max_position_embeddings": 64,
            "encoder_attention_heads": 4,
            "decoder_attention_heads": 4,
            "encoder_ffn_dim": 64,
            "decoder_ffn_dim": 64,
            "pad_token_id": 1,
            "bos_token_id": 0,
            "eos_token_id": 2,
            "decoder_start_token_id": 2,
        },
        "BartForConditionalGeneration",
    ),
    "vit": (
        "ViTConfig",
        {
            "hidden_size": 32,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "intermediate_size": 64,
            "image_size": 32,
            "patch_size": 8,
            **_LABELS,
        },
        "ViTForImageClassification",
    ),
    "convnext": (
        "ConvNextConfig",
        {"hidden_sizes": [8, 16, 16, 32], "depths": [1, 1, 1, 1], **_LABELS},
        "ConvNextForImageClassification",
    ),
    "resnet": ("ResNetConfig", {**_BACKBONE, **_LABELS}, "ResNetForImageClassification"),
    "detr": (
        "DetrConfig",
        {
            "use_timm_backbone": False,
            "use_pretrained_backbone": False,
            "backbone": None,
            "num_queries": 10,
            "d_model": 32,
            "encoder_layers": 2,
            "decoder_layers": 2,
            "encoder_ffn_dim": 64,
            "decoder_ffn_dim": 64,
            "encoder_attention_heads": 4,
            "decoder_attention_heads": 4,
            **_LABELS,
        },
        "DetrForObjectDetection",
    ),
    "yolos": (
        "YolosConfig",
        {
            "hidden_size": 32,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "intermediate_size": 64,
            "image_size": [64, 96],
            "patch_size": 16,
            "num_detection_tokens": 10,
            **_LABELS,
        },
        "YolosForObjectDetection",
    ),
    "segformer": (
        "SegformerConfig",
        {
            "num_encoder_blocks": 4,
            "depths": [1, 1, 1, 1],
            "hidden_sizes": [8, 16, 16, 32],
            "decoder_hidden_size": 32,
            "num_attention_heads": [1, 2, 2, 4],
            **_LABELS,
        },
        "SegformerForSemanticSegmentation",
    ),
    "wav2vec2-sounds": (
        "Wav2Vec2Config",
        {**_SPEECH, **_LABELS, "classifier_proj_size": 16},
        "Wav2Vec2ForSequenceClassification",
    ),
    "wav2vec2-ctc": ("Wav2Vec2Config", _SPEECH, "Wav2Vec2ForCTC"),
    "whisper": (
        "WhisperConfig",
        {
            "vocab_size": 100,
            "d_model": 32,
            "encoder_layers": 2,
            "decoder_layers": 2,
            "num_mel_bins": 16,
            "encoder_attention_heads": 4,
            "decoder_attention_heads": 4,
            "encoder_ffn_dim": 64,
            "decoder_ffn_dim": 64,
            "max_source_positions": 50,
            "max_target_positions": 32,
            "pad_token_id": 0,
            "bos_token_id": 1,
            "eos_token_id": 2,
            "decoder_start_token_id": 1,
            "suppress_tokens": None,
            "begin_suppress_tokens": None,
        },
        "WhisperForConditionalGeneration",
    ),
}

#: Sizes of images, as a processor states them.
_IMAGES = {
    "convnext": {"size": {"shortest_edge": 64}},
    "resnet": {"size": {"shortest_edge": 64}, "crop_size": {"height": 64, "width": 48}},
    "detr": {"size": {"shortest_edge": 64, "longest_edge": 96}},
    "segformer": {"size": {"height": 64, "width": 64}},
}


def _write_json(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def _beside(name: str, folder: Path) -> None:
    """What a tokenizer, a processor or sentence-transformers writes."""
    if name == "minilm-sentences":
        _write_json(folder / "modules.json", _POOLING)
        _write_json(folder / "1_Pooling" / "config.json", {"pooling_mode_mean_tokens": True})
        _write_json(folder / "sentence_bert_config.json", {"max_seq_length": 48})
    if name in _IMAGES:
        _write_json(folder / "preprocessor_config.json", _IMAGES[name])
    if name == "bert-text":
        _write_json(folder / "tokenizer_config.json", {"model_max_length": 48})


def make_folder(name: str, directory: Path, texts: Optional[Path] = None) -> None:
    """A folder with fresh weights from a seed, and with `texts` with a tokenizer that is learned from them."""
    import torch
    import transformers

    configuration, values, model_class = FOLDERS[name]
    arguments = dict(values)
    if name == "detr":
        arguments["backbone_config"] = transformers.ResNetConfig(**_BACKBONE, out_features=["stage4"])
    if texts is not None and model_class.endswith(("ForCausalLM", "LMHeadModel")):
        from make_tokenizer import BYTES_VOCABULARY

        arguments["vocab_size"] = BYTES_VOCABULARY
    if name.endswith("-tokens"):
        arguments["id2label"] = dict(enumerate(_SPANS))
        arguments["label2id"] = {label: place for place, label in enumerate(_SPANS)}
    torch.manual_seed(49)
    config = getattr(transformers, configuration)(**arguments)
    model = getattr(transformers, model_class)(config).eval()
    with torch.no_grad():
        # Fresh weights are so small that hardly anything depends on the input.
        for parameter in model.parameters():
            if parameter.dim() == 2 and parameter.std() < 0.1:
                parameter.mul_(4)
    folder = directory / name
    model.save_pretrained(folder)
    _beside(name, folder)
    if texts is not None:
        from make_tokenizer import write_tokenizer

        write_tokenizer(folder, config, texts, {"model_max_length": 48} if name == "bert-text" else {})


def main(arguments: list[str]) -> None:
    if arguments == ["--list"]:
        sys.stdout.write("\n".join(FOLDERS) + "\n")
        return
    texts = Path(arguments[1]) if arguments[:1] == ["--texts"] else None
    rest = arguments if texts is None else arguments[2:]
    directory, names = Path(rest[0]), rest[1:] or list(FOLDERS)
    for name in names:
        make_folder(name, directory, texts)
        sys.stdout.write(f"{name}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
