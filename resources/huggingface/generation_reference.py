"""What a generating model of a Hugging Face folder answers, by transformers in fp32: the best token each time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable, NamedTuple

from .model import load_folder

#: Of an answer of the reference.
NEW_TOKENS = 24
#: Of an answer under load, always so many.
LOAD_TOKENS = 16
#: Two logits that are closer to each other may change places within the tolerance: the text is a tie.
LEAST_LEAD = 1e-3
#: Longer prompts are not made for the sample without room for a whole answer.
MOST_LONG_TOKENS = 2048
#: Of so many texts one is also asked for in pieces.
STREAMED = 4


class Answer(NamedTuple):
    text: str
    #: It does not end before its length, as under load.
    is_full: bool
    #: Of the best token before the next one, the smallest over the text.
    lead: float


class Reference:
    """Asks the framework for one prompt at a time."""

    def __init__(self, model: Any, tokenizer: Any, most: int) -> None:
        self._model, self._tokenizer = model, tokenizer
        self.most_tokens = most
        self._has_encoder = bool(model.config.is_encoder_decoder)
        # The decoder has a token of its own before the first one of the answer.
        positions = getattr(model.config, "max_position_embeddings", None) or most + 1
        self.most_answer_tokens = positions - 1 if self._has_encoder else None

    @property
    def most_prompt_tokens(self) -> int:
        return self.most_tokens if self._has_encoder else self.most_tokens - 1

    def tokens(self, text: str) -> int:
        return len(self._tokenizer(text)["input_ids"])

    def shortened(self, text: str, most: int) -> str:
        """Its first words, so many that the model takes them; empty where it takes none."""
        words = text.split(" ")
        while words and self.tokens(" ".join(words)) > most:
            # Many at once, where far too much is left; few words have more than eight tokens.
            too_many = self.tokens(" ".join(words)) - most
            del words[-max(1, min(too_many // 8, len(words) // 2)) :]
        return " ".join(words)

    def longest(self, texts: Sequence[str]) -> list[str]:
        """A prompt that leaves no room, or hardly any, for the answer; none where asking would take long."""
        most = self.most_prompt_tokens
        if most > MOST_LONG_TOKENS:
            return []
        text = " ".join(texts)
        while self.tokens(text) <= most:
            text = f"{text} {text}"
        return [self.shortened(text, most)]

    def __call__(self, text: str, is_full: bool) -> Answer:
        import torch

        given = self._tokenizer(text, return_tensors="pt")
        prompt = {name: given[name] for name in ("input_ids", "attention_mask")}
        before = [] if self._has_encoder else prompt["input_ids"][0].tolist()
        new = min(NEW_TOKENS, self.most_answer_tokens or self.most_tokens - len(before))
        with torch.inference_mode():
            found = self._model.generate(
                **prompt,
                max_new_tokens=new,
                min_new_tokens=new if is_full else None,
                num_beams=1,
                do_sample=False,
                return_dict_in_generate=True,
                output_scores=True,
            )
        best = torch.stack([scores[0] for scores in found.scores]).topk(2, dim=-1).values
        # Of a token that is forced, the other ones have no score.
        lead = float((best[:, 0] - best[:, 1]).min())
        answered = found.sequences[0, len(before) :].tolist()
        whole, known = self._decoded([*before, *answered]), self._decoded(before)
        return Answer(whole[len(known) :], is_full, lead)

    def _decoded(self, tokens: list[int]) -> str:
        text: str = self._tokenizer.decode(
            tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        return text


def _tensor(name: str, datatype: str, value: Any) -> dict[str, Any]:
    return {"name": name, "datatype": datatype, "shape": [1], "data": [value]}


def sample(name: str, text: str, answer: Answer, is_streamed: bool) -> dict[str, Any]:
    """A request, and the text that has to come, in one piece or in several."""
    least = {"min_tokens": NEW_TOKENS} if answer.is_full else {}
    asked = json.dumps({"temperature": 0, "max_tokens": NEW_TOKENS, **least})
    return {
        "id": f"{name}, streamed" if is_streamed else name,
        "inputs": [
            _tensor("text_input", "BYTES", text),
            _tensor("stream", "BOOL", is_streamed),
            _tensor("sampling_parameters", "BYTES", asked),
            _tensor("exclude_input_in_output", "BOOL", True),
        ],
        "outputs": [_tensor("text_output", "BYTES", answer.text)],
    }


def samples_of(texts: Sequence[str], answers: Sequence[Answer]) -> list[dict[str, Any]]:
    """Of the texts that are not ties: each whole, and some in pieces, these first."""
    decided = [
        (f"text {place}", text, answer)
        for place, (text, answer) in enumerate(zip(texts, answers))
        if answer.lead >= LEAST_LEAD
    ]
    streamed = [sample(*one, is_streamed=True) for one in decided[::STREAMED]]
    return [*streamed, *(sample(*one, is_streamed=False) for one in decided)]


def load_entries(texts: Sequence[str]) -> dict[str, Any]:
    """Prompts as load tools send them, each with an answer of the same length, in pieces."""
    asked = json.dumps({"temperature": 0, "max_tokens": LOAD_TOKENS, "ignore_eos": True})
    return {
        "data": [{"text_input": [text], "stream": [True], "sampling_parameters": [asked]} for text in texts]
    }


def write_generation(
    *,
    folder: str,
    auto_class: str,
    texts: Sequence[str],
    name: str,
    most_tokens: int,
    output: Path,
    progress: Callable[[float, str], None],
) -> dict[str, Any]:
    """Writes the settings of the model below `output`/models, and golden.json and load.json. `most_tokens`:
    that the model takes. Raises ValueError where the folder has no usable tokenizer, and where no text is decided.
    """
    progress(0.0, "Loading the model")
    model: Any = load_folder(folder, auto_class)
    import transformers

    from .pipeline import load_tokenizer

    reference = Reference(model, load_tokenizer(folder), most_tokens)
    version = transformers.__version__
    settings = {
        "class": auto_class,
        "transformers": version,
        "most_tokens": most_tokens,
        "most_answer_tokens": reference.most_answer_tokens,
    }
    place = output / "models" / name / "1"
    (place / "generation.json").write_text(json.dumps(settings, indent=1), encoding="utf-8")
    most_prompt = reference.most_prompt_tokens
    asked = [reference.shortened(text, max(most_prompt // 2, most_prompt - NEW_TOKENS)) for text in texts]
    asked = [text for text in [*asked, *reference.longest(texts)] if text != ""]
    if asked == []:
        raise ValueError("The model takes no word of any text: give shorter texts")
    answers = []
    for done, text in enumerate(asked):
        progress(0.1 + 0.9 * done / len(asked), "Asking transformers for the samples")
        # Every second one to its full length, as some models end at once.
        answers.append(reference(text, is_full=done % 2 == 1))
    samples = samples_of(asked, answers)
    if samples == []:
        raise ValueError("The answers to all texts are ties: give texts that the model decides")
    golden = {
        "kind": "triton-workbench-golden",
        "version": 1,
        "model": name,
        "recordedFrom": f"transformers {version}, fp32, each text by itself, the best token each time",
        "outputs": {"text_output": {"by": "text"}},
        "samples": samples,
    }
    (output / "golden.json").write_text(json.dumps(golden, ensure_ascii=False, indent=1), encoding="utf-8")
    loaded = [reference.shortened(text, max(most_prompt // 2, most_prompt - LOAD_TOKENS)) for text in texts]
    load = load_entries([text for text in loaded if text != ""] or asked)
    (output / "load.json").write_text(json.dumps(load, ensure_ascii=False), encoding="utf-8")
    progress(1.0, "Written")
    return {
        "texts": len(asked),
        "samples": len(samples),
        "ties": sum(answer.lead < LEAST_LEAD for answer in answers),
        "shortened": sum(text not in asked for text in texts),
        "transformers": version,
    }
