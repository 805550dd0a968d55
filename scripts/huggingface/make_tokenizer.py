"""A small tokenizer beside a model of texts: WordPiece as of BERT, Unigram as of XLM-RoBERTa, bytes as of GPT-2."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple


class Kind(NamedTuple):
    """Special tokens in the order of their ids."""

    special: list[str]
    cls: str
    sep: str
    pad: str
    unk: str
    mask: str
    #: How two texts are one row.
    pair: str


_WORDPIECE = Kind(
    ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
    *("[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]"),
    "[CLS] $A [SEP] $B:1 [SEP]:1",
)
#: As of RoBERTa, whose padding has the id 1.
_UNIGRAM = Kind(
    ["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
    *("<s>", "</s>", "<pad>", "<unk>", "<mask>"),
    "<s> $A </s> </s> $B </s>",
)

#: Of models that continue a text: a token may be a part of a character, and the text has no end.
_BYTES = {"pad_token": "<pad>", "bos_token": "<s>", "eos_token": "</s>"}
#: Words of such a model: each byte is one, and some more.
BYTES_VOCABULARY = 320


def _bytes(vocabulary: int, texts: list[str]) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer: Any = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=list(_BYTES.values()),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", tokenizer.token_to_id("<s>"))]
    )
    return tokenizer


def _learned(kind: Kind, vocabulary: int, texts: list[str]) -> Any:
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

    if kind is _WORDPIECE:
        tokenizer = Tokenizer(models.WordPiece(unk_token=kind.unk))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.decoder = decoders.WordPiece()
        # A quarter of the words for letters: others are unknown.
        trainer: Any = trainers.WordPieceTrainer(
            vocab_size=vocabulary,
            special_tokens=kind.special,
            limit_alphabet=vocabulary // 4,
            show_progress=False,
        )
    else:
        tokenizer = Tokenizer(models.Unigram())
        tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
        # Each letter that occurs needs a row of the vocabulary: the others are unknown.
        texts = [re.sub("[^a-z ,.]", "", text.lower()) for text in texts]
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        tokenizer.decoder = decoders.Metaspace()
        trainer = trainers.UnigramTrainer(
            vocab_size=vocabulary,
            special_tokens=kind.special,
            unk_token=kind.unk,
            shrinking_factor=0.5,
            show_progress=False,
        )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{kind.cls} $A {kind.sep}",
        pair=kind.pair,
        special_tokens=[(token, tokenizer.token_to_id(token)) for token in (kind.cls, kind.sep)],
    )
    return tokenizer


def write_tokenizer(folder: Path, config: Any, texts: Path, given: Mapping[str, Any]) -> None:
    """Beside a model of this configuration; `given`: further values of tokenizer_config.json."""
    import transformers

    lines = texts.read_text(encoding="utf-8").splitlines()
    if config.vocab_size == BYTES_VOCABULARY:
        transformers.PreTrainedTokenizerFast(
            tokenizer_object=_bytes(config.vocab_size, lines),
            **_BYTES,
            model_input_names=["input_ids", "attention_mask"],
            **given,
        ).save_pretrained(folder)
        return
    kind = _UNIGRAM if config.pad_token_id == 1 else _WORDPIECE
    tokenizer = _learned(kind, config.vocab_size, lines)
    assert tokenizer.get_vocab_size() <= config.vocab_size, tokenizer.get_vocab_size()
    segments = config.model_type in ("bert", "electra", "albert", "deberta", "deberta-v2")
    rows = ["input_ids", *(["token_type_ids"] if segments else []), "attention_mask"]
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        cls_token=kind.cls,
        sep_token=kind.sep,
        pad_token=kind.pad,
        unk_token=kind.unk,
        mask_token=kind.mask,
        model_input_names=rows,
        **given,
    ).save_pretrained(folder)
