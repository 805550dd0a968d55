"""The text that a speech model of a Hugging Face folder writes, by transformers in fp32: the best token each time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional

from .generation_reference import LEAST_LEAD
from .labeled_texts import Truth
from .media_pipeline import MOST_LOAD, raw_bytes, write_json
from .media_reference import load_part
from .media_samples import Item, longest_sound, sounds
from .model import load_folder
from .own_media import OwnItem, OwnSamples, Wanted, read_folder

#: Of so many recordings one is also sent with its language.
NAMED = 4


class Heard(NamedTuple):
    text: str
    #: Of the best token before the next one, the smallest over the text; of a chosen language, too.
    lead: float


class Leads:
    """Behind all that transformers does with the scores of the next token: notes the smallest lead of the best one."""

    def __init__(self) -> None:
        self.least = math.inf

    def __call__(self, _tokens: Any, scores: Any) -> Any:
        self.note(scores[0])
        return scores

    def note(self, scores: Any) -> None:
        best = scores.topk(2).values
        # Of a token that is forced, the other ones have no score.
        self.least = min(self.least, float(best[0] - best[1]))


def lengths_of(model: Any) -> dict[str, int]:
    """Of a text, where the folder says none: transformers would end it behind 20 tokens."""
    said = model.generation_config
    if said.max_length is not None or said.max_new_tokens is not None:
        return {}
    return {"max_length": int(model.config.max_target_positions)}


def languages_of(said: Any) -> list[str]:
    """Codes of a generation configuration; none for a model of one language."""
    if not getattr(said, "is_multilingual", True):
        return []
    return [token.strip("<|>") for token in getattr(said, "lang_to_id", None) or {}]


class SpeechReference:
    """Asks the framework for one recording at a time."""

    def __init__(self, folder: str, model: Any) -> None:
        self._model = model
        self._extractor = load_part("AutoFeatureExtractor", folder)
        self._tokenizer = load_part("AutoTokenizer", folder)
        self.rate = int(self._extractor.sampling_rate)
        self.most_samples = int(self._extractor.n_samples)
        self.lengths = lengths_of(model)
        self.languages = languages_of(model.generation_config)

    def __call__(self, item: Item, language: str = "") -> Heard:
        import torch
        import transformers

        leads = Leads()
        features = self._extractor(item.given, sampling_rate=self.rate, return_tensors="pt")["input_features"]
        with torch.inference_mode():
            if language == "" and self.languages:
                leads.note(self._language_scores(features))
            tokens = self._model.generate(
                features,
                language=language or None,
                num_beams=1,
                do_sample=False,
                logits_processor=transformers.LogitsProcessorList([leads]),
                **self.lengths,
            )
        text = self._tokenizer.decode(
            tokens[0].tolist(), skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        return Heard(text, leads.least)

    def _language_scores(self, features: Any) -> Any:
        """Of the languages: without one in the folder or the request the model chooses it before the first token."""
        import torch

        said = self._model.generation_config
        first = torch.tensor([[said.decoder_start_token_id]])
        logits = self._model(input_features=features, decoder_input_ids=first)["logits"][0, -1]
        ids = list(said.lang_to_id.values())
        return torch.cat([logits[ids], torch.tensor([-math.inf])])


def _tensor(name: str, **content: Any) -> dict[str, Any]:
    return {"name": name, "datatype": "BYTES", "shape": [1], **content}


def sample(item: Item, heard: Heard, language: str = "", truth: Optional[Truth] = None) -> dict[str, Any]:
    """A request, and the text that has to come. `truth`: what is said; a tie has nothing else."""
    named = [_tensor("LANGUAGE", data=[language])] if language else []
    made = {
        "id": f"{item.name}, {language}" if language else item.name,
        "inputs": [_tensor("AUDIO", b64=raw_bytes([item.encoded])), *named],
    }
    text = [_tensor("TEXT", data=[heard.text])]
    if truth is None:
        return {**made, "outputs": text}
    if heard.lead < LEAST_LEAD:
        return {**made, "outputs": [], "notCompared": text, "truth": dict(truth)}
    return {**made, "outputs": text, "truth": dict(truth)}


def load_entries(answered: Sequence[tuple[Item, Heard]]) -> dict[str, Any]:
    """The recordings as load tools send them, with their texts, as many as the file of a load has room for."""
    data: list[dict[str, Any]] = []
    size = 0
    for item, _ in answered:
        encoded = raw_bytes([item.encoded])
        size += len(encoded)
        if data and size > MOST_LOAD:
            break
        data.append({"AUDIO": {"b64": encoded, "shape": [1]}})
    sent = answered[: len(data)]
    return {"data": data, "validation_data": [{"TEXT": [heard.text]} for _, heard in sent]}


def recordings(rate: int, most_samples: int) -> list[Item]:
    """Those that the model takes, and one of its whole length."""
    shorter = [item for item in sounds(rate) if len(item.given) < most_samples]
    return [*shorter, longest_sound(rate, most_samples)]


def samples_from(own: Optional[Path], rate: int, most_samples: int) -> OwnSamples:
    """Of the folder, or made. Throws as `read_folder`."""
    if own is None:
        return OwnSamples([OwnItem(item, None) for item in recordings(rate, most_samples)], 0)
    return read_folder(own, Wanted("automatic-speech-recognition", (), rate, 1, most_samples))


def write_speech(
    *,
    folder: str,
    auto_class: str,
    name: str,
    output: Path,
    progress: Callable[[float, str], None],
    samples: Optional[Path] = None,
) -> dict[str, Any]:
    """Writes the settings of the model below `output`/models, and golden.json and load.json. `samples`: folder with
    recordings. Raises ValueError where the folder has no usable tokenizer or processor, and where no text is decided.
    Throws as `read_folder`.
    """
    progress(0.0, "Loading the model")
    model: Any = load_folder(folder, auto_class)
    import transformers

    version = transformers.__version__
    reference = SpeechReference(folder, model)
    settings = {"transformers": version, "lengths": reference.lengths}
    write_json(output / "models" / name / "1" / "speech.json", settings)
    given = samples_from(samples, reference.rate, reference.most_samples)
    items = [one.item for one in given.items]
    asked = [(one.item, "", one.truth) for one in given.items]
    if reference.languages:
        asked += [
            (item, reference.languages[place % len(reference.languages)], None)
            for place, item in enumerate(items[::NAMED])
        ]
    answers = []
    for done, (item, language, _) in enumerate(asked):
        progress(0.1 + 0.9 * done / len(asked), "Asking transformers for the samples")
        answers.append(reference(item, language))
    decided = [heard.lead >= LEAST_LEAD for heard in answers]
    loaded = [
        (item, heard)
        for (item, language, _), heard, is_decided in zip(asked, answers, decided)
        if is_decided and language == ""
    ]
    if loaded == []:
        raise ValueError("The texts of all recordings are ties: the model decides none of them")
    requests = [
        sample(item, heard, language, truth)
        for (item, language, truth), heard, is_decided in zip(asked, answers, decided)
        if is_decided or truth is not None
    ]
    golden = {
        "kind": "triton-workbench-golden",
        "version": 1,
        "model": name,
        "recordedFrom": f"transformers {version}, fp32, one recording at a time, the best token each time",
        "outputs": {},
        "samples": requests,
    }
    write_json(output / "golden.json", golden)
    write_json(output / "load.json", load_entries(loaded))
    progress(1.0, "Written")
    return {
        "items": len(items),
        "samples": len(requests),
        "ties": decided.count(False),
        "empty": sum(heard.text == "" for _, heard in loaded),
        "languages": len(reference.languages),
        "transformers": version,
        "labeled": sum(truth is not None for _, _, truth in asked),
        "left_out": given.left_out,
    }
