"""What the steps of a pipeline of images or audio need of the folder, and what transformers answers to a sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from .media_samples import Item
from .pipeline import LEAST_LEAD, lead, score_function
from .text_samples import TOLERANCE

Array = npt.NDArray[Any]

#: Objects that the model is less sure of are left out, as by the pipeline of transformers.
THRESHOLD = 0.5
#: Two logits of a frame that are closer may change places.
LEAST_LOGIT_LEAD = 2 * 2e-4
#: Sides of a box, in pixels.
BOX_TOLERANCE = {"by": "numbers", "atol": 0.05, "rtol": 1e-3}
#: On the border of two areas a pixel may belong to either.
CLASS_TOLERANCE = {"by": "numbers", "atol": 0, "rtol": 0, "maxMismatch": 1e-3}

#: Datatypes of the outputs, and what their values may differ by; None: not at all.
OUTPUTS: dict[str, tuple[str, Optional[dict[str, Any]]]] = {
    "LABEL": ("BYTES", None),
    "SCORE": ("FP32", {"by": "numbers", "atol": TOLERANCE, "rtol": TOLERANCE}),
    "BOX": ("FP32", BOX_TOLERANCE),
    "TEXT": ("BYTES", None),
    "CLASS": ("INT32", CLASS_TOLERANCE),
}


class MediaAnswer(NamedTuple):
    """Arrays of one sample, by output. `shape`: of what the model gets, which a batch shares. `tied`: not compared."""

    outputs: dict[str, Array]
    tied: bool
    shape: tuple[int, ...]


def load_part(kind: str, folder: str) -> Any:
    """Of a class of transformers, from the folder. Raises ValueError."""
    import transformers

    try:
        return getattr(transformers, kind).from_pretrained(
            folder, local_files_only=True, trust_remote_code=False
        )
    except (KeyError, OSError, ValueError, TypeError, ImportError) as error:
        text = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ValueError(f"transformers cannot load the {kind[4:]} of the folder: {text}") from error


def _sides(size: Any) -> dict[str, int]:
    return {name: int(value) for name, value in dict(size).items() if value is not None}


def image_numbers(processor: Any) -> dict[str, Any]:
    """processor.json of the first step, with what the class has where the folder says nothing. Raises ValueError."""
    size, crop = _sides(processor.size), None
    kind = type(processor).__name__
    if kind.startswith("ConvNext"):
        edge = size["shortest_edge"]
        if edge < 384:
            # Resized to more, of which the middle is kept; a larger one is drawn to a square.
            size, crop = {"shortest_edge": int(edge / processor.crop_pct)}, {"height": edge, "width": edge}
        else:
            size = {"height": edge, "width": edge}
    elif processor.do_center_crop and not kind.startswith("Segformer"):
        crop = _sides(processor.crop_size)
    if kind.startswith("Yolos") and "longest_edge" in size:
        size["multiple_of"] = 16
    if not {"height", "shortest_edge"} & set(size):
        raise ValueError(f"The size {size} of preprocessor_config.json is not implemented by the pipeline")
    mean, deviation = processor.image_mean, processor.image_std
    if isinstance(mean, (int, float)):
        mean, deviation = [mean] * 3, [deviation] * 3
    return {
        "size": size,
        "resample": int(processor.resample),
        "crop_size": crop,
        "rescale_factor": float(processor.rescale_factor) if processor.do_rescale else None,
        "image_mean": [float(value) for value in mean] if processor.do_normalize else None,
        "image_std": [float(value) for value in deviation] if processor.do_normalize else None,
    }


def audio_numbers(extractor: Any, config: Any) -> dict[str, Any]:
    """processor.json of the first step."""
    least = 1
    for kernel, stride in zip(reversed(config.conv_kernel), reversed(config.conv_stride)):
        least = (least - 1) * stride + kernel
    return {
        "sampling_rate": int(extractor.sampling_rate),
        "least_samples": least,
        "do_normalize": bool(extractor.do_normalize),
    }


def vocabulary(tokenizer: Any, config: Any) -> dict[str, Any]:
    """vocabulary.json of the last step. Raises ValueError for a tokenizer that it does not know."""
    if type(tokenizer).__name__ != "Wav2Vec2CTCTokenizer":
        raise ValueError(f"{type(tokenizer).__name__} is not a tokenizer that the pipeline implements")
    if tokenizer.clean_up_tokenization_spaces:
        raise ValueError("clean_up_tokenization_spaces of the tokenizer is not implemented by the pipeline")
    return {
        "tokens": tokenizer.convert_ids_to_tokens(list(range(config.vocab_size))),
        "blank": tokenizer.pad_token,
        "space": {"from": tokenizer.word_delimiter_token, "to": tokenizer.replace_word_delimiter_char},
        "lower": bool(tokenizer.do_lower_case),
    }


def _names(config: Any) -> list[str]:
    return [str(config.id2label[place]) for place in range(config.num_labels)]


def _text(value: str) -> Array:
    return np.array([value], object)


class MediaReference:
    """Asks the framework for one sample at a time. `first` and `last`: files of the steps by name, as JSON."""

    def __init__(self, folder: str, task: str, model: Any) -> None:
        import transformers

        self._model = model
        self.labels = _names(model.config)
        self.first: dict[str, Mapping[str, Any]]
        self.last: dict[str, Mapping[str, Any]] = {}
        self.is_sound = task in ("audio-classification", "automatic-speech-recognition")
        parts: dict[str, Any] = {}
        if self.is_sound:
            processor = parts["feature_extractor"] = load_part("AutoFeatureExtractor", folder)
            self.rate = int(processor.sampling_rate)
            self.first = {"processor.json": audio_numbers(processor, model.config)}
        else:
            processor = parts["image_processor"] = load_part("AutoImageProcessor", folder)
            self.first = {"processor.json": image_numbers(processor)}
        self._processor = processor
        answers: dict[str, Callable[[Any, Any], tuple[dict[str, Array], bool]]] = {
            "image-classification": self._class,
            "audio-classification": self._class,
            "object-detection": self._objects,
            "automatic-speech-recognition": self._transcript,
            "image-segmentation": self._classes,
        }
        self._answer = answers[task]
        if task == "automatic-speech-recognition":
            tokenizer = parts["tokenizer"] = load_part("AutoTokenizer", folder)
            self.last = {"vocabulary.json": vocabulary(tokenizer, model.config)}
        elif task == "object-detection":
            self.last = {"labels.json": {"labels": _names(model.config), "threshold": THRESHOLD}}
        elif task != "image-segmentation":
            function = score_function(model.config)
            if self.is_sound and model.config.problem_type != "multi_label_classification":
                # The pipeline of audio takes the softmax of one label, too.
                function = "none" if function == "none" else "softmax"
            self.last = {"labels.json": {"labels": _names(model.config), "scores": function}}
        self._pipeline = transformers.pipeline(task, model=model, device="cpu", **parts)

    def __call__(self, item: Item) -> MediaAnswer:
        given = self._given(item)
        outputs, tied = self._answer(item, given)
        # A map of classes is as large as the image that was sent.
        shaped = outputs.get("CLASS", next(iter(given.values()))[0])
        return MediaAnswer(outputs, tied, tuple(shaped.shape))

    def _given(self, item: Item) -> Any:
        """What the model gets."""
        if self.is_sound:
            return self._processor(item.given, sampling_rate=self.rate, return_tensors="pt")
        from transformers.image_utils import load_image

        return {"pixel_values": self._processor(load_image(item.given), return_tensors="pt")["pixel_values"]}

    def _logits(self, given: Any) -> Any:
        import torch

        with torch.inference_mode():
            return self._model(**given)["logits"][0]

    def _class(self, item: Item, _given: Any) -> tuple[dict[str, Array], bool]:
        count = self._model.config.num_labels
        ranked = sorted(self._pipeline(item.given, top_k=count), key=lambda one: -one["score"])
        scores = [float(one["score"]) for one in ranked]
        outputs = {"LABEL": _text(ranked[0]["label"]), "SCORE": np.array(scores[:1], np.float32)}
        return outputs, lead(scores) < LEAST_LEAD

    def _objects(self, item: Item, given: Any) -> tuple[dict[str, Array], bool]:
        import torch
        from transformers.image_utils import load_image

        upright = load_image(item.given)
        with torch.inference_mode():
            answer = self._model(**given)
        size = [(upright.height, upright.width)]
        (found,) = self._processor.post_process_object_detection(answer, THRESHOLD, size)
        scores = answer["logits"][0].softmax(dim=-1)[:, :-1]
        best = scores.max(dim=-1).values
        is_near = bool(((best - THRESHOLD).abs() < LEAST_LEAD).any())
        leads = [lead(row.tolist()) for row, score in zip(scores, best) if score > THRESHOLD]
        names = self._model.config.id2label
        outputs = {
            "LABEL": np.array([names[int(label)] for label in found["labels"]] or [""], object),
            "SCORE": found["scores"].numpy() if len(leads) > 0 else np.zeros(1, np.float32),
            "BOX": found["boxes"].numpy() if len(leads) > 0 else np.zeros((1, 4), np.float32),
        }
        return outputs, is_near or min(leads, default=1.0) < LEAST_LEAD

    def _classes(self, item: Item, given: Any) -> tuple[dict[str, Array], bool]:
        import torch
        from transformers.image_utils import load_image

        upright = load_image(item.given)
        with torch.inference_mode():
            answer = self._model(**given)
        size = [(upright.height, upright.width)]
        (found,) = self._processor.post_process_semantic_segmentation(answer, size)
        return {"CLASS": found.numpy().astype(np.int32)}, False

    def _transcript(self, item: Item, given: Any) -> tuple[dict[str, Array], bool]:
        text = self._pipeline(item.given)["text"]
        two = self._logits(given).topk(2, dim=-1).values
        return {"TEXT": _text(text)}, bool(((two[:, 0] - two[:, 1]) < LEAST_LOGIT_LEAD).any())
