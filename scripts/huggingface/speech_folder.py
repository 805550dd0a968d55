"""What a small Whisper needs to write text: a tokenizer of its kind, and a generation configuration."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

#: Bytes, and some pieces of words.
_WORDS = 300
#: Behind them, as in the tokenizer of Whisper: what begins and ends a text, languages, tasks.
_CONTROL = [
    *("<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|de|>", "<|fr|>"),
    *("<|translate|>", "<|transcribe|>", "<|startoflm|>", "<|startofprev|>"),
    *("<|nospeech|>", "<|notimestamps|>"),
]
_IDS = {token: _WORDS + place for place, token in enumerate(_CONTROL)}
_END = _IDS["<|endoftext|>"]

#: Of the configuration. Tied to the tokens that went before, random weights would repeat the last one.
ARGUMENTS = {
    "vocab_size": _WORDS + len(_CONTROL),
    **{f"{name}_token_id": _END for name in ("pad", "bos", "eos")},
    "decoder_start_token_id": _IDS["<|startoftranscript|>"],
    "tie_word_embeddings": False,
}


def _generation(positions: int, blank: int) -> dict[str, Any]:
    """As of a model of several languages: it chooses one, and transcribes."""
    never = ("<|startoftranscript|>", "<|startoflm|>", "<|startofprev|>", "<|nospeech|>")
    return {
        **{f"{name}_token_id": _END for name in ("pad", "bos", "eos")},
        "decoder_start_token_id": _IDS["<|startoftranscript|>"],
        "no_timestamps_token_id": _IDS["<|notimestamps|>"],
        "prev_sot_token_id": _IDS["<|startofprev|>"],
        "forced_decoder_ids": [[1, None], [2, _IDS["<|transcribe|>"]]],
        "is_multilingual": True,
        "lang_to_id": {token: _IDS[token] for token in ("<|en|>", "<|de|>", "<|fr|>")},
        "task_to_id": {task: _IDS[f"<|{task}|>"] for task in ("translate", "transcribe")},
        "begin_suppress_tokens": [blank, _END],
        "suppress_tokens": [_IDS[token] for token in never],
        "max_length": positions,
        "return_timestamps": False,
    }


def hear(model: Any) -> None:
    """Fresh weights are so small that a recording changes nothing of the text, and that all tokens are near."""
    import torch

    for parameter in model.parameters():
        if parameter.dim() == 3:
            torch.nn.init.kaiming_normal_(parameter)
    for layer in model.model.decoder.layers:
        for part in (layer.encoder_attn.q_proj, layer.encoder_attn.k_proj, layer.encoder_attn.v_proj):
            torch.nn.init.kaiming_normal_(part.weight)
    model.proj_out.weight.mul_(8)


def write_speech(folder: Path, config: Any, texts: Path) -> None:
    """Tokenizer, learned from the texts, and generation_config.json beside a model with `ARGUMENTS`."""
    import transformers
    from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers, trainers

    learned = Tokenizer(models.BPE())
    learned.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer: Any = trainers.BpeTrainer(vocab_size=_WORDS, initial_alphabet=alphabet, show_progress=False)
    learned.train_from_iterator(texts.read_text(encoding="utf-8").splitlines(), trainer)
    words = json.loads(learned.to_str())["model"]
    merges = [tuple(pair) for pair in words["merges"]]
    tokenizer = transformers.WhisperTokenizer(vocab=words["vocab"], merges=merges)
    control = [AddedToken(token, special=True, normalized=False) for token in _CONTROL]
    tokenizer.add_tokens(control, special_tokens=True)
    tokenizer.set_prefix_tokens()
    found = tokenizer.convert_tokens_to_ids(_CONTROL)
    assert found == list(_IDS.values()), found
    tokenizer.save_pretrained(folder)
    generation = _generation(config.max_target_positions, words["vocab"]["Ġ"])
    (folder / "generation_config.json").write_text(json.dumps(generation), encoding="utf-8")
