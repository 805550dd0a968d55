"""What a pipeline of a Hugging Face folder has beside the exported model, and samples of what it has to answer.

The samples are of the framework itself in fp32, each text without padding; the pipeline gets them one by one and in
batches of mixed lengths.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional

from .model import load_folder, pooled

Output = dict[str, Any]

#: Scores may differ by this much, absolute and relative to the score.
TOLERANCE = 1e-4
#: Elements of vectors, as those of a model that is served as tensors.
VECTOR_TOLERANCE = {"by": "numbers", "atol": 2e-4, "rtol": 1e-3}
#: A best label that leads by less may be another one within the tolerance: the text is a tie.
LEAST_LEAD = 4 * TOLERANCE
#: Longer texts are not made for the sample that has to be cut.
MOST_CUT_TOKENS = 2048
#: Texts of the smaller batch.
FEW = 3
#: More would only take longer.
MOST_TEXTS = 256


class Answer(NamedTuple):
    """Of one text. `tied`: its labels are not compared."""

    outputs: dict[str, list[Any]]
    tied: bool


#: Datatypes of the outputs of the pipeline, and what their values may differ by; None: not at all.
OUTPUTS: dict[str, tuple[str, Optional[dict[str, Any]]]] = {
    "LABEL": ("BYTES", None),
    "SCORE": ("FP32", {"by": "numbers", "atol": TOLERANCE, "rtol": TOLERANCE}),
    "START": ("INT32", None),
    "END": ("INT32", None),
    "EMBEDDING": ("FP32", VECTOR_TOLERANCE),
    "TRUNCATED": ("BOOL", None),
}


def serving_tokenizer(tokenizer: Any, most: int) -> Any:
    """As tokenizer.json of the step: it cuts at `most` tokens, and pads to the longest text that it gets at once."""
    from tokenizers import Tokenizer

    if tokenizer.pad_token is None:
        raise ValueError(
            "The tokenizer has no padding token, so that texts of different lengths have no batch"
        )
    served = Tokenizer.from_str(tokenizer.backend_tokenizer.to_str())
    served.enable_truncation(most, direction=tokenizer.truncation_side)
    served.enable_padding(
        direction=tokenizer.padding_side,
        pad_id=tokenizer.pad_token_id,
        pad_type_id=tokenizer.pad_token_type_id,
        pad_token=tokenizer.pad_token,
    )
    return served


def copy_library(target: Path) -> str:
    """The tokenizers library with its license texts, as it lies in this environment. Returns its version."""
    found = metadata.distribution("tokenizers")
    for file in found.files or []:
        if (file.suffix in (".pyc", "") and file.name not in ("METADATA", "LICENSE")) or ".." in file.parts:
            continue
        to = target / file
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(str(found.locate_file(file)), to)
    return found.version


def score_function(config: Any) -> str:
    """What the text classification of transformers makes of logits."""
    if config.problem_type == "regression":
        return "none"
    return (
        "sigmoid"
        if config.problem_type == "multi_label_classification" or config.num_labels == 1
        else "softmax"
    )


def lead(scores: Any) -> float:
    """Of the best score before the next one."""
    first, second = (
        sorted((float(score) for score in scores), reverse=True)[:2] if len(scores) > 1 else (1.0, 0.0)
    )
    return first - second


class Reference:
    """Asks the framework for one text at a time, cut as the pipeline cuts it."""

    def __init__(
        self, task: str, model: Any, tokenizer: Any, most: int, pooling: str, normalize: bool
    ) -> None:
        import transformers

        tokenizer.model_max_length = most
        self._tokenizer = tokenizer
        self._model = model
        self._most = most
        self._pooling, self._normalize = pooling, normalize
        self._answers: Callable[[str], Answer] = {
            "text-classification": self._labels,
            "token-classification": self._spans,
            "sentence-similarity": self._vector,
        }[task]
        name = "feature-extraction" if task == "sentence-similarity" else task
        self._pipeline = transformers.pipeline(name, model=model, tokenizer=tokenizer, device="cpu")

    def tokens(self, text: str) -> int:
        return len(self._tokenizer(text)["input_ids"])

    def __call__(self, text: str) -> Answer:
        answer = self._answers(text)
        return answer._replace(outputs={**answer.outputs, "TRUNCATED": [self.tokens(text) > self._most]})

    def _labels(self, text: str) -> Answer:
        found = self._pipeline(text, top_k=None, truncation=True, max_length=self._most)
        # A list of lists in some versions.
        found = found[0] if isinstance(found[0], list) else found
        ranked = sorted(found, key=lambda one: -one["score"])
        scores = [one["score"] for one in ranked]
        return Answer({"LABEL": [ranked[0]["label"]], "SCORE": scores[:1]}, lead(scores) < LEAST_LEAD)

    def _spans(self, text: str) -> Answer:
        found = self._pipeline(text, aggregation_strategy="simple")
        outputs: dict[str, list[Any]] = {
            "LABEL": [one["entity_group"] for one in found] or [""],
            "SCORE": [float(one["score"]) for one in found] or [0.0],
            "START": [int(one["start"]) for one in found] or [0],
            "END": [int(one["end"]) for one in found] or [0],
        }
        return Answer(outputs, self._least_lead(text) < LEAST_LEAD)

    def _least_lead(self, text: str) -> float:
        """Over the tokens of the text: one other label is another span."""
        import torch

        given = self._tokenizer(
            text, return_tensors="pt", truncation=True, max_length=self._most, return_special_tokens_mask=True
        )
        special = given.pop("special_tokens_mask")[0]
        with torch.inference_mode():
            scores = self._model(**given)["logits"][0].softmax(dim=-1)
        return min(
            (lead(row.tolist()) for row, left_out in zip(scores, special) if not left_out), default=1.0
        )

    def _vector(self, text: str) -> Answer:
        import torch

        how = {"truncation": True, "max_length": self._most}
        hidden = torch.as_tensor(self._pipeline(text, return_tensors=True, tokenize_kwargs=how))
        vector = pooled(hidden, torch.ones(hidden.shape[:2]), self._pooling)
        if self._normalize:
            vector = torch.nn.functional.normalize(vector, p=2.0, dim=1)
        return Answer({"EMBEDDING": [float(value) for value in vector[0]]}, False)


def tensor(name: str, datatype: str, rows: Sequence[Sequence[Any]]) -> Output:
    """Rows of one length in Triton's JSON form."""
    shape = [len(rows), len(rows[0])]
    return {
        "name": name,
        "datatype": datatype,
        "shape": shape,
        "data": [value for row in rows for value in row],
    }


_EMPTY = {"BYTES": "", "FP32": 0.0, "INT32": 0}


def _padded(rows: Sequence[list[Any]], datatype: str) -> list[list[Any]]:
    longest = max(len(row) for row in rows)
    return [[*row, *[_EMPTY[datatype]] * (longest - len(row))] if datatype in _EMPTY else row for row in rows]


def sample(name: str, texts: Sequence[str], answers: Sequence[Answer]) -> dict[str, Any]:
    """A request of these texts, and what it has to be answered with."""
    tied = any(answer.tied for answer in answers)
    names = [one for one in answers[0].outputs if not tied or one == "TRUNCATED"]
    outputs = []
    for one in names:
        datatype, _ = OUTPUTS[one]
        outputs.append(tensor(one, datatype, _padded([answer.outputs[one] for answer in answers], datatype)))
    return {"id": name, "inputs": [tensor("TEXT", "BYTES", [[text] for text in texts])], "outputs": outputs}


def batches_of(count: int, size: int) -> list[list[int]]:
    """Places in a list of texts by length, at most three times: each batch has the shortest and the longest texts."""
    batches = []
    for start in range(min(3, count // 2)):
        most = min(size, count - 2 * start)
        if most < 2:
            break
        step = (count - 1 - 2 * start) / (most - 1)
        batches.append([start + round(place * step) for place in range(most)])
        if most == count - 2 * start:
            break
    return batches


def samples_of(texts: Sequence[str], answers: Sequence[Answer], most_texts: int) -> list[dict[str, Any]]:
    """One by one, in full batches, and in a small one; the kinds in turns, as a reader may take the first ones only."""
    singles = [
        sample(f"text {place}", [text], [answer]) for place, (text, answer) in enumerate(zip(texts, answers))
    ]
    decided = [place for place, answer in enumerate(answers) if not answer.tied]
    by_length = sorted(decided, key=lambda place: len(texts[place]))

    def batch(places: Sequence[int]) -> dict[str, Any]:
        chosen = [by_length[place] for place in places]
        name = f"texts {', '.join(map(str, chosen))}"
        return sample(name, [texts[place] for place in chosen], [answers[place] for place in chosen])

    full = batches_of(len(by_length), most_texts)
    few = [places for places in batches_of(len(by_length), min(FEW, most_texts))[:1] if places not in full]
    return [*singles[:2], *map(batch, [*full, *few]), *singles[2:]]


def _cut_text(texts: Sequence[str], reference: Reference, most: int) -> list[str]:
    """A text that is too long; none where making it would take long."""
    if most > MOST_CUT_TOKENS:
        return []
    text = " ".join(texts)
    while reference.tokens(text) <= most:
        text = f"{text} {text}"
    return [text]


def load_entries(texts: Sequence[str], answers: Sequence[Answer], fixed: bool) -> dict[str, Any]:
    """Texts as load tools send them, with what comes back, where all outputs have one size."""
    decided = [(text, answer) for text, answer in zip(texts, answers) if not answer.tied]
    data = {"data": [{"TEXT": [text]} for text, _ in decided]}
    if not fixed:
        return data
    return {**data, "validation_data": [answer.outputs for _, answer in decided]}


def load_tokenizer(folder: str) -> Any:
    """Raises ValueError where transformers cannot load it."""
    import transformers

    try:
        return transformers.AutoTokenizer.from_pretrained(
            folder, local_files_only=True, trust_remote_code=False
        )
    except (KeyError, OSError, ValueError, ImportError) as error:
        text = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ValueError(f"transformers cannot load the tokenizer: {text}") from error


def write_pipeline(
    folder: str,
    auto_class: str,
    task: str,
    texts: Sequence[str],
    name: str,
    most: int,
    most_texts: int,
    pooling: str,
    normalize: bool,
    output: Path,
    progress: Callable[[float, str], None],
) -> dict[str, Any]:
    """Fills the steps below `output`/models, and writes golden.json and load.json. `most`: tokens that the model
    takes; `most_texts`: of a batch. Raises ValueError where the folder has no usable tokenizer.
    """
    progress(0.0, "Loading the model")
    model: Any = load_folder(folder, auto_class)
    import transformers

    tokenizer = load_tokenizer(folder)
    if not tokenizer.is_fast:
        raise ValueError("The tokenizer has no form of the tokenizers library, which the pipeline runs")
    first = output / "models" / f"{name}-tokenizer" / "1"
    serving_tokenizer(tokenizer, most).save(str(first / "tokenizer.json"))
    library = copy_library(first / "packages")
    last = output / "models" / f"{name}-labels" / "1"
    if last.is_dir():
        labels = [str(model.config.id2label[place]) for place in range(model.config.num_labels)]
        content = {"labels": labels, "scores": score_function(model.config)}
        (last / "labels.json").write_text(json.dumps(content, ensure_ascii=False, indent=1), encoding="utf-8")
    progress(0.2, "Asking transformers for the samples")
    reference = Reference(task, model, tokenizer, most, pooling, normalize)
    whole = [*texts, *_cut_text(texts, reference, most)]
    answers = [reference(text) for text in whole]
    ties = sum(answer.tied for answer in answers)
    if ties == len(answers):
        raise ValueError("The labels of all texts are ties: give texts that the model decides")
    used = answers[0].outputs
    samples = samples_of(whole, answers, most_texts)
    golden = {
        "kind": "triton-workbench-golden",
        "version": 1,
        "model": name,
        "recordedFrom": f"transformers {transformers.__version__}, fp32, each text without padding",
        "outputs": {one: OUTPUTS[one][1] for one in used if OUTPUTS[one][1] is not None},
        "samples": samples,
    }
    (output / "golden.json").write_text(json.dumps(golden, ensure_ascii=False, indent=1), encoding="utf-8")
    # Not the text that was made to be cut.
    load = load_entries(texts, answers, task != "token-classification")
    (output / "load.json").write_text(json.dumps(load, ensure_ascii=False), encoding="utf-8")
    progress(1.0, "Written")
    return {
        "texts": len(whole),
        "samples": len(samples),
        "ties": ties,
        "cut": sum(answer.outputs["TRUNCATED"][0] for answer in answers),
        "tokenizers": library,
    }


def read_texts(path: Path) -> list[str]:
    """One text per line. Raises ValueError for a file that is not a text, or has none."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not a text in UTF-8") from error
    texts = [line for line in lines if line.strip() != ""]
    if not texts:
        raise ValueError(f"{path} has no texts: write one per line")
    return texts[:MOST_TEXTS]
