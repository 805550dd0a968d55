"""A model folder: model.py, dataloader.py; optional metrics.py, train.py, make_dataset.py, prepare_dataset.py,
convert_checkpoint.py, input_ranges.py.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.machinery
import importlib.util
import inspect
import json
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Callable, Optional

from .errors import ToolkitError

_PACKAGE = "_model_folder"

#: The functions that a folder may offer, and whether the folder must have them.
ENTRY_POINTS = {
    "model": ("get_model", True),
    "dataloader": ("get_dataloader_fn", True),
    # The workbench asks for it where the preset has metrics, and refuses the folder of a person without it.
    "metrics": ("MetricsCalculator", False),
    "train": ("train", False),
    "make_dataset": ("make_dataset", False),
    "prepare_dataset": ("prepare_dataset", False),
    "convert_checkpoint": ("convert_checkpoint", False),
    "input_ranges": ("input_ranges", False),
}
_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


@contextmanager
def own_code(folder: Path, function: str) -> Iterator[None]:
    """
    Runs a part of the folder's code. Throws input-invalid where that code itself says that a value or a file is wrong
    (it raises ValueError), model-folder-invalid for any other fault; errors of the system and of the toolkit pass.
    """
    try:
        yield
    except (ToolkitError, OSError, MemoryError):
        raise
    except Exception as error:
        root = str(folder.resolve())
        trace = traceback.extract_tb(error.__traceback__)
        frames = [frame for frame in trace if frame.filename.startswith(root)]
        where = f"{frames[-1].filename}, line {frames[-1].lineno}" if frames else str(folder)
        text = (str(error).strip() or type(error).__name__).splitlines()[0]
        if isinstance(error, ValueError) and frames and trace[-1].filename.startswith(root):
            raise ToolkitError(
                "input-invalid",
                text,
                where=f"{where} ({function})",
                remedy="Correct what the message names: the file, the argument, or the line.",
            ) from error
        raise ToolkitError(
            "model-folder-invalid",
            f"{function} failed: {type(error).__name__}: {text}",
            where=where,
            remedy="Correct the line that is named; the whole trace is below.",
            details="".join(traceback.format_exception(type(error), error, error.__traceback__)),
        ) from error


def _convert(name: str, text: str, default: object) -> object:
    """Text to the type of the parameter's default; a list takes comma-separated values."""
    try:
        if isinstance(default, bool):
            if text.lower() not in _TRUE + _FALSE:
                raise ValueError("not true or false")
            return text.lower() in _TRUE
        if isinstance(default, (int, float)):
            return type(default)(text)
        if isinstance(default, (list, tuple)):
            inner = default[0] if default else ""
            return [_convert(name, part.strip(), inner) for part in text.split(",") if part.strip() != ""]
    except ValueError:
        kind = type(default).__name__
        raise ToolkitError("input-invalid", f'--arg {name}: "{text}" is not a value of type {kind}') from None
    return text


def _declared(path: Path, entry: str) -> Optional[set[str]]:
    """Parameter names of an entry point, read without importing the module; None when it takes any name."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    except SyntaxError as error:
        raise ToolkitError(
            "model-folder-invalid", f"{path.name}, line {error.lineno}: {error.msg}", where=str(path)
        ) from error
    nodes: Iterable[ast.stmt] = tree.body
    found = next((node for node in nodes if getattr(node, "name", None) == entry), None)
    if isinstance(found, ast.ClassDef):
        found = next((node for node in found.body if getattr(node, "name", None) == "__init__"), None)
        if found is None:
            return set()
    if not isinstance(found, ast.FunctionDef):
        raise ToolkitError("model-folder-invalid", f"{path.name} does not define {entry}", where=str(path))
    if found.args.kwarg is not None:
        return None
    return {argument.arg for argument in found.args.posonlyargs + found.args.args + found.args.kwonlyargs}


def _read_arguments(path: Path) -> dict[str, str]:
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
        return {str(name): str(value) for name, value in held.items()}
    except (OSError, ValueError, AttributeError) as error:
        raise ToolkitError(
            "input-invalid", f"{path.name} does not hold arguments: {error}", where="--arguments-from"
        ) from error


class ModelFolder:
    """Loads modules of the folder on demand and calls their functions with arguments by name."""

    def __init__(
        self, path: Path, given: Mapping[str, str], context: Mapping[str, object], samples_only: bool = False
    ) -> None:
        """`given`: the user's arguments; `context`: values that the toolkit itself provides, by parameter name."""
        self.path = path
        self._given = dict(given)
        self._context = dict(context)
        if not path.is_dir():
            raise ToolkitError("model-folder-invalid", "The model folder does not exist", where=str(path))
        wanted = [
            name
            for name, (_, needed) in ENTRY_POINTS.items()
            if needed and (name == "dataloader" or not samples_only)
        ]
        missing = [f"{name}.py" for name in wanted if not self.has(name)]
        if missing:
            raise ToolkitError(
                "model-folder-invalid", f"The model folder lacks {', '.join(missing)}", where=str(path)
            )
        self._check_names()
        # Modules of the folder import each other relatively; its folder name need not be a Python name.
        spec = importlib.machinery.ModuleSpec(_PACKAGE, None, is_package=True)
        spec.submodule_search_locations = [str(path.resolve())]
        for name in [name for name in sys.modules if name == _PACKAGE or name.startswith(f"{_PACKAGE}.")]:
            del sys.modules[name]
        sys.modules[_PACKAGE] = importlib.util.module_from_spec(spec)

    @classmethod
    def from_options(cls, options: argparse.Namespace) -> ModelFolder:
        """From the common flags. Throws model-folder-invalid or input-invalid."""
        dataset = None if options.dataset is None else str(options.dataset)
        present = Path.exists if options.samples_only or options.dataset_may_be_file else Path.is_dir
        if dataset is not None and not present(Path(dataset)):
            raise ToolkitError(
                "input-invalid", f"The data set folder {dataset} does not exist", where="--dataset"
            )
        context = {
            "data_dir": dataset,
            "dataset": dataset,
            "batch_size": options.batch_size,
            "precision": options.precision,
            "seed": options.seed,
            "profile": options.profile,
        }
        folder = cls(options.model_dir, dict(options.args), context, options.samples_only)
        if options.arguments_from is not None:
            folder.decide(_read_arguments(options.arguments_from))
        return folder

    def decide(self, arguments: Mapping[str, str]) -> None:
        """Arguments that win over the user's: those of a checkpoint, whose sizes are what they are."""
        self._given.update(arguments)
        self._check_names()

    def has(self, module: str) -> bool:
        return (self.path / f"{module}.py").is_file()

    def _check_names(self) -> None:
        known: set[str] = set()
        for module, (entry, _) in ENTRY_POINTS.items():
            if not self.has(module):
                continue
            names = _declared(self.path / f"{module}.py", entry)
            if names is None:
                return
            known |= names
        unknown = sorted(set(self._given) - known)
        if unknown:
            raise ToolkitError(
                "input-invalid",
                f"The model folder has no argument {', '.join(unknown)}",
                where="args of preset.yaml, or --set model.args",
                remedy=f"Its arguments are: {', '.join(sorted(known - {'self'}))}.",
            )

    def entry(self, module: str) -> Callable[..., Any]:
        """The entry point of a module, imported. Throws model-folder-invalid."""
        name, _ = ENTRY_POINTS[module]
        if not self.has(module):
            raise ToolkitError(
                "model-folder-invalid", f"The model folder lacks {module}.py", where=str(self.path)
            )
        with self.own_code(f"Importing {module}.py"):
            loaded = importlib.import_module(f"{_PACKAGE}.{module}")
        found: Callable[..., Any] = getattr(loaded, name)
        return found

    def own_code(self, function: str) -> AbstractContextManager[None]:
        """For what the folder's objects do later on: a failure is told by file, line and function."""
        return own_code(self.path, function)

    def call(self, module: str, *positional: object, **extra: object) -> Any:
        """Calls the entry point; `extra` is given only when the function has such a parameter."""
        function = self.entry(module)
        offered = {**self._context, **extra}
        values: dict[str, object] = {}
        parameters = list(inspect.signature(function).parameters.values())[len(positional) :]
        for parameter in parameters:
            if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
                continue
            required = parameter.default is parameter.empty
            if parameter.name in self._given:
                default = "" if required else parameter.default
                values[parameter.name] = _convert(parameter.name, self._given[parameter.name], default)
            elif offered.get(parameter.name) is not None:
                values[parameter.name] = offered[parameter.name]
            elif required:
                flag = (
                    "--dataset"
                    if parameter.name in ("data_dir", "dataset")
                    else f"--arg {parameter.name}=..."
                )
                raise ToolkitError("input-invalid", f"{module}.py needs {flag}", where=flag)
        with self.own_code(f"{ENTRY_POINTS[module][0]} of {module}.py"):
            return function(*positional, **values)
