"""What a pipeline of a Hugging Face folder has beside the exported model, and samples of what it has to answer.

The samples are of the framework itself in fp32, each text without padding; the pipeline gets them one by one and in
batches of mixed lengths.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional, Union

from .model import Sentence, load_folder, sentence_of
from .texts_file import read_texts
from .tokenizer_step import copy_library, serving_tokenizer

Output = dict[str, Any]
#: What a caller sends: a TEXT, or several texts by the names of the inputs.
Given = Union[str, Mapping[str, str]]

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
    "ANSWER": ("BYTES", None),
    "TOKEN": ("BYTES", None),
    "TRUNCATED": ("BOOL", None),
}
#: Of one word of thousands, or of one span of many: the scores are small.
SMALL_SCORES = {"by": "numbers", "atol": 1e-6, "rtol": 1e-3}


def rule_of(task: str, output: str) -> Optional[dict[str, Any]]:
    """How the output is compared; None: exactly."""
    is_small = output == "SCORE" and task in ("question-answering", "fill-mask")
    return SMALL_SCORES if is_small else OUTPUTS[output][1]


def named(given: Given) -> Mapping[str, str]:
    """By the names of the inputs."""
    return {"TEXT": given} if isinstance(given, str) else given


def size(given: Given) -> int:
    """Characters of all texts."""
    return sum(map(len, named(given).values()))


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

    #: Which text of a pair is cut.
    cut = "longest_first"

    def __init__(
        self, task: str, model: Any, tokenizer: Any, most: int, sentence: Optional[Sentence]
    ) -> None:
        import transformers

        tokenizer.model_max_length = most
        self._tokenizer = tokenizer
        self._model = model
        self._most = most
        self._sentence = sentence
        self._answers: Callable[[Any], Answer] = {
            "text-classification": self._labels,
            "token-classification": self._spans,
            "sentence-similarity": self._vector,
        }[task]
        name = "feature-extraction" if task == "sentence-similarity" else task
        self._pipeline = transformers.pipeline(name, model=model, tokenizer=tokenizer, device="cpu")

    def read(self, path: Path) -> list[Given]:
        """What to ask. Raises ValueError for a file that has something else."""
        return list(read_texts(path))

    def lengthened(self, texts: Sequence[Given], filler: str) -> Given:
        """A text that is too long, of many words."""
        del texts
        return filler

    def neighbors(self, texts: Sequence[Given]) -> list[Given]:
        """Further requests of the accuracy gate, of the same texts."""
        del texts
        return []

    def write_last(self, output: Path, name: str) -> None:
        """What the last step reads beside its code."""
        last = output / "models" / f"{name}-labels" / "1"
        if last.is_dir():
            config = self._model.config
            labels = [str(config.id2label[place]) for place in range(config.num_labels)]
            write_json(last / "labels.json", {"labels": labels, "scores": score_function(config)})

    def tokens(self, given: Given) -> int:
        return len(self._tokenizer(*named(given).values())["input_ids"])

    def __call__(self, given: Any) -> Answer:
        answer = self._answers(given)
        return answer._replace(outputs={**answer.outputs, "TRUNCATED": [self.tokens(given) > self._most]})

    def _labels(self, given: Given) -> Answer:
        asked = given if isinstance(given, str) else {name.lower(): text for name, text in given.items()}
        found = self._pipeline(asked, top_k=None, truncation=True, max_length=self._most)
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
        assert self._sentence is not None
        with torch.inference_mode():
            vector = self._sentence(hidden, torch.ones(hidden.shape[:2]))
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


def sample(name: str, texts: Sequence[Given], answers: Sequence[Answer]) -> dict[str, Any]:
    """A request of these texts, and what it has to be answered with."""
    tied = any(answer.tied for answer in answers)
    names = [one for one in answers[0].outputs if not tied or one == "TRUNCATED"]
    outputs = []
    for one in names:
        datatype, _ = OUTPUTS[one]
        outputs.append(tensor(one, datatype, _padded([answer.outputs[one] for answer in answers], datatype)))
    inputs = [tensor(one, "BYTES", [[named(text)[one]] for text in texts]) for one in named(texts[0])]
    return {"id": name, "inputs": inputs, "outputs": outputs}


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


def samples_of(
    texts: Sequence[Given], answers: Sequence[Answer], most_texts: int, noun: str = "text"
) -> list[dict[str, Any]]:
    """One by one, in full batches, and in a small one; the kinds in turns, as a reader may take the first ones only."""
    singles = [
        sample(f"{noun} {place}", [text], [answer])
        for place, (text, answer) in enumerate(zip(texts, answers))
    ]
    decided = [place for place, answer in enumerate(answers) if not answer.tied]
    by_length = sorted(decided, key=lambda place: size(texts[place]))

    def batch(places: Sequence[int]) -> dict[str, Any]:
        chosen = [by_length[place] for place in places]
        name = f"{noun}s {', '.join(map(str, chosen))}"
        return sample(name, [texts[place] for place in chosen], [answers[place] for place in chosen])

    full = batches_of(len(by_length), most_texts)
    few = [places for places in batches_of(len(by_length), min(FEW, most_texts))[:1] if places not in full]
    return [*singles[:2], *map(batch, [*full, *few]), *singles[2:]]


def _cut_text(texts: Sequence[Given], reference: Reference, most: int) -> list[Given]:
    """A text that is too long; none where making it would take long."""
    if most > MOST_CUT_TOKENS:
        return []
    filler = " ".join([text for given in texts for text in named(given).values()])
    while reference.tokens(filler) <= most:
        filler = f"{filler} {filler}"
    return [reference.lengthened(texts, filler)]


def load_entries(texts: Sequence[Given], answers: Sequence[Answer], fixed: bool) -> dict[str, Any]:
    """Texts as load tools send them, with what comes back, where all outputs have one size."""
    decided = [(text, answer) for text, answer in zip(texts, answers) if not answer.tied]
    data = {"data": [{name: [text] for name, text in named(given).items()} for given, _ in decided]}
    if not fixed:
        return data
    return {**data, "validation_data": [answer.outputs for _, answer in decided]}


def write_json(path: Path, content: Any, indent: Optional[int] = 1) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=indent), encoding="utf-8")


def reference_class(task: str, pairs: bool) -> type[Reference]:
    """Of tasks whose reference is more than a text for a pipeline of transformers: in files of their own."""
    if task == "question-answering":
        from .questions_reference import QuestionsReference

        return QuestionsReference
    if task == "fill-mask":
        from .mask_reference import MaskReference

        return MaskReference
    if pairs:
        from .pairs_reference import PairsReference

        return PairsReference
    return Reference


def in_turns(some: Sequence[Output], others: Sequence[Output]) -> list[Output]:
    """One of each as long as there are others."""
    both = [one for pair in zip(some, others) for one in pair]
    return [*both, *some[len(others) :], *others[len(some) :]]


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
    texts_file: Path,
    name: str,
    most: int,
    most_texts: int,
    pooling: str,
    dense: str,
    normalize: bool,
    pairs: bool,
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
    sentence = sentence_of(folder, pooling, dense, normalize)
    reference = reference_class(task, pairs)(task, model, tokenizer, most, sentence)
    texts = reference.read(texts_file)
    first = output / "models" / f"{name}-tokenizer" / "1"
    serving_tokenizer(tokenizer, most, reference.cut).save(str(first / "tokenizer.json"))
    library = copy_library(first / "packages")
    reference.write_last(output, name)
    progress(0.2, "Asking transformers for the samples")
    whole = [*texts, *_cut_text(texts, reference, most)]
    answers = [reference(text) for text in whole]
    ties = sum(answer.tied for answer in answers)
    if ties == len(answers):
        raise ValueError("The labels of all texts are ties: give texts that the model decides")
    # Of texts that a pipeline takes with and without a second one; their answers are not part of the load.
    more = reference.neighbors(texts)
    more_answers = [reference(pair) for pair in more]
    rules = {one: rule_of(task, one) for one in answers[0].outputs}
    samples = in_turns(
        samples_of(whole, answers, most_texts), samples_of(more, more_answers, most_texts, "pair")
    )
    golden = {
        "kind": "triton-workbench-golden",
        "version": 1,
        "model": name,
        "recordedFrom": f"transformers {transformers.__version__}, fp32, each text without padding",
        "outputs": {one: rule for one, rule in rules.items() if rule is not None},
        "samples": samples,
    }
    write_json(output / "golden.json", golden)
    # Not the text that was made to be cut.
    write_json(output / "load.json", load_entries(texts, answers, task != "token-classification"), None)
    progress(1.0, "Written")
    return {
        "texts": len(whole) + len(more),
        "samples": len(samples),
        "ties": ties + sum(answer.tied for answer in more_answers),
        "cut": sum(answer.outputs["TRUNCATED"][0] for answer in [*answers, *more_answers]),
        "tokenizers": library,
    }
