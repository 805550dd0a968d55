"""Writes small Hugging Face folders with random weights: `make_folders.py [--texts FILE] DIR [NAME...]`, or their names
with `--list`. With texts each has a tokenizer that is learned from them. Two are made where they are named:
"bert-overflow", whose activations are too large for fp16, and "distilbert-classes", the larger model of a bench.

Run with the environment of the component Transformers. The weights are random: only that they are the same matters.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Optional

from folder_files import PROCESSORS, write_beside
from more_folders import LABELS, MORE_FOLDERS, TEXT
from speech_folder import ARGUMENTS as SPEECH
from speech_folder import hear, write_speech

#: Of the tokens of five labels.
_SPANS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
_ROBERTA = {**TEXT, "max_position_embeddings": 66, "pad_token_id": 1}
_LLAMA = {**TEXT, "num_key_value_heads": 2, "pad_token_id": 0}
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
#: Weights before an activation are so much larger than others; a layer that normalizes follows.
_OVERFLOW = ("bert-overflow", 1e5)
#: Made where they are named only.
_BENCH = "distilbert-classes"
_NAMED = (_OVERFLOW[0], _BENCH)

#: By name of the folder: configuration class, its arguments, model class.
FOLDERS: dict[str, tuple[str, Mapping[str, Any], str]] = {
    "bert-text": ("BertConfig", {**TEXT, **LABELS}, "BertForSequenceClassification"),
    _OVERFLOW[0]: ("BertConfig", {**TEXT, **LABELS}, "BertForSequenceClassification"),
    "bert-questions": ("BertConfig", TEXT, "BertForQuestionAnswering"),
    "minilm-sentences": ("BertConfig", TEXT, "BertModel"),
    "distilbert-tokens": (
        "DistilBertConfig",
        {
            "vocab_size": 100,
            "dim": 32,
            "n_layers": 2,
            "n_heads": 4,
            "hidden_dim": 64,
            "max_position_embeddings": 64,
            **LABELS,
        },
        "DistilBertForTokenClassification",
    ),
    # Of the bench huggingface-peers: large enough that the model takes most of the time of a request.
    _BENCH: (
        "DistilBertConfig",
        {
            "vocab_size": 8000,
            "dim": 256,
            "n_layers": 4,
            "n_heads": 4,
            "hidden_dim": 1024,
            "max_position_embeddings": 128,
            **LABELS,
        },
        "DistilBertForSequenceClassification",
    ),
    "roberta-text": ("RobertaConfig", {**_ROBERTA, **LABELS}, "RobertaForSequenceClassification"),
    "xlm-roberta-tokens": ("XLMRobertaConfig", {**_ROBERTA, **LABELS}, "XLMRobertaForTokenClassification"),
    "roberta-mask": ("RobertaConfig", _ROBERTA, "RobertaForMaskedLM"),
    "xlm-roberta-questions": ("XLMRobertaConfig", _ROBERTA, "XLMRobertaForQuestionAnswering"),
    "electra-text": ("ElectraConfig", {**TEXT, "embedding_size": 16}, "ElectraForSequenceClassification"),
    "albert-text": ("AlbertConfig", {**TEXT, "embedding_size": 16}, "AlbertForSequenceClassification"),
    "mpnet-features": ("MPNetConfig", _ROBERTA, "MPNetModel"),
    "deberta-tokens": (
        "DebertaConfig",
        {**TEXT, **LABELS, "relative_attention": True, "pos_att_type": ["c2p", "p2c"]},
        "DebertaForTokenClassification",
    ),
    "deberta-v3-text": (
        "DebertaV2Config",
        {
            **TEXT,
            **LABELS,
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
            **LABELS,
        },
        "ViTForImageClassification",
    ),
    "convnext": (
        "ConvNextConfig",
        {"hidden_sizes": [8, 16, 16, 32], "depths": [1, 1, 1, 1], **LABELS},
        "ConvNextForImageClassification",
    ),
    "resnet": ("ResNetConfig", {**_BACKBONE, **LABELS}, "ResNetForImageClassification"),
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
            **LABELS,
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
            **LABELS,
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
            **LABELS,
        },
        "SegformerForSemanticSegmentation",
    ),
    "wav2vec2-sounds": (
        "Wav2Vec2Config",
        {**_SPEECH, **LABELS, "classifier_proj_size": 16},
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

FOLDERS.update(MORE_FOLDERS)


def _see_images(model: Any) -> None:
    """Statistics of batch normalization as of random images: without, nothing arrives behind many layers."""
    import torch

    for module in model.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.momentum = 1.0
            torch.nn.init.ones_(module.weight)
    side = getattr(model.config, "image_size", 64)
    sides = side if isinstance(side, (list, tuple)) else (side, side)
    model.train()(torch.randn(4, 3, *sides))
    model.eval()


def _decide(model: Any) -> None:
    """Random weights are sure of nothing: the scores of the classes are drawn apart, so that some objects pass 0.5."""
    head = model.class_labels_classifier
    last = head.layers[-1] if hasattr(head, "layers") else head
    last.weight.mul_(8 if head is last else 100)
    if hasattr(model, "vit"):
        # Each looks for something else; fresh ones are zeros.
        model.vit.embeddings.detection_tokens.normal_()


def _spread_classes(model: Any, folder: Path, texts: Path) -> None:
    """Random weights give all texts one class: without their mean and at one spread, the logits of the texts differ."""
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    most = model.config.max_position_embeddings
    rows = [
        tokenizer(text, truncation=True, max_length=most, return_tensors="pt")
        for text in texts.read_text(encoding="utf-8").splitlines()
    ]
    with torch.no_grad():
        logits = torch.cat([model(row["input_ids"], row["attention_mask"]).logits for row in rows])
        mean, spread = logits.mean(dim=0), logits.std(dim=0)
        model.classifier.weight.div_(spread[:, None])
        model.classifier.bias.sub_(mean).div_(spread)
    model.save_pretrained(folder)


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
    is_speaking = texts is not None and name == "whisper"
    if is_speaking:
        arguments.update(SPEECH)
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
            elif parameter.dim() == 4 and name in MORE_FOLDERS:
                torch.nn.init.kaiming_normal_(parameter)
        if (
            name in MORE_FOLDERS
            and hasattr(model, "main_input_name")
            and model.main_input_name == "pixel_values"
        ):
            _see_images(model)
        if name == _OVERFLOW[0]:
            model.bert.encoder.layer[0].intermediate.dense.weight.mul_(_OVERFLOW[1])
        if name in ("detr", "yolos"):
            _decide(model)
        if is_speaking:
            hear(model)
    folder = directory / name
    model.save_pretrained(folder)
    write_beside(name, folder)
    if texts is not None and name == "whisper":
        write_speech(folder, config, texts)
    elif texts is not None and name not in PROCESSORS and hasattr(config, "vocab_size"):
        from make_tokenizer import write_tokenizer

        write_tokenizer(folder, config, texts, {"model_max_length": 48} if name == "bert-text" else {})
        if name == _BENCH:
            _spread_classes(model, folder, texts)


def main(arguments: list[str]) -> None:
    usual = [name for name in FOLDERS if name not in _NAMED]
    if arguments == ["--list"]:
        sys.stdout.write("\n".join(usual) + "\n")
        return
    texts = Path(arguments[1]) if arguments[:1] == ["--texts"] else None
    rest = arguments if texts is None else arguments[2:]
    directory, names = Path(rest[0]), rest[1:] or usual
    for name in names:
        make_folder(name, directory, texts)
        sys.stdout.write(f"{name}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
