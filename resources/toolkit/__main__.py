"""`python -m toolkit VERB ...`: runs one verb; exit 0 with a result, 1 with an error line, 130 when told to stop.

`--ahead PACKAGE ...`: imports these first and takes the verb from stdin.
"""

from __future__ import annotations

import importlib
import os
import shutil
import signal
import sys
import tempfile
from types import FrameType
from typing import Any, NoReturn, Optional

from .errors import ToolkitError, as_toolkit_error
from .options import Parser
from .report import Report
from .workbench import end_with_workbench, wait_for_verb

VERBS = {
    "make-dataset": "write a generated data set",
    "unpack": "a downloaded archive to a folder",
    "hub-files": "the files of a model on the Hugging Face hub",
    "hub-fetch": "files of a commit of the Hugging Face hub to its cache",
    "prepare-dataset": "a published data set to the layout that the loader reads",
    "load-checkpoint": "a published checkpoint or a state dictionary, to weights and arguments",
    "train": "train the model, or save its initial weights",
    "export": "model code to ONNX or TorchScript",
    "convert": "an exported model to a precision",
    "build-plan": "an exported ONNX model to a TensorRT plan, on a GPU",
    "infer-framework": "dump the outputs of a model run in this process",
    "infer-triton": "dump the outputs of a model served by Triton",
    "verify": "compare two dumps, output by output",
    "keep-samples": "some samples with their expected outputs, to check a deployment by",
    "metrics": "metrics of a dump as CSV",
    "profile-data": "request payloads for the load tools",
    "write-pipeline": "the steps around the exported model of a Hugging Face folder",
    "write-media-pipeline": "the same of a folder of images or audio",
    "inspect": "inputs and outputs of a TorchScript file",
    "versions": "versions of the packages",
}

_interrupted = False
_temporary: Optional[str] = None


def _stop(_signal: int, _frame: Optional[FrameType]) -> None:
    global _interrupted
    _interrupted = True
    # Clean-up runs once, undisturbed.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise KeyboardInterrupt


def _run(arguments: list[str], report: Report) -> None:
    verb = arguments[0] if arguments else ""
    if verb in ("-h", "--help"):
        lines = [f"  {name:<16} {text}" for name, text in VERBS.items()]
        print("usage: python -m toolkit VERB ...\n" + "\n".join(lines), file=sys.stderr)
        report.result({"verbs": list(VERBS)})
        return
    if verb not in VERBS:
        raise ToolkitError("input-invalid", f'There is no verb "{verb}"; the verbs are: {", ".join(VERBS)}')
    module: Any = importlib.import_module(f"toolkit.verbs.{verb.replace('-', '_')}")
    parser = Parser(prog=f"toolkit {verb}", description=VERBS[verb], allow_abbrev=False)
    module.add_arguments(parser)
    report.result(module.run(parser.parse_args(arguments[1:]), report))


def _take_temporary_folder() -> None:
    """What libraries leave among the temporary files, TensorFlow its generated code, goes at the end of the verb."""
    global _temporary
    try:
        _temporary = tempfile.mkdtemp(prefix="workbench-toolkit-")
    except OSError:
        # What needs temporary files says so itself.
        return
    tempfile.tempdir = os.environ["TMPDIR"] = _temporary


def _end(code: int) -> NoReturn:
    """Ends at once: threads of runtimes and clients may not hold a finished or cancelled verb up."""
    if _temporary is not None:
        shutil.rmtree(_temporary, ignore_errors=True)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def main() -> None:
    end_with_workbench()
    signal.signal(signal.SIGINT, _stop)
    signal.signal(signal.SIGTERM, _stop)
    report = Report.take_stdout()
    try:
        arguments = sys.argv[1:]
        if arguments[:1] == ["--ahead"]:
            waited = wait_for_verb(arguments[1:])
            if waited is None:
                _end(0)
            arguments = waited
            sys.argv[1:] = arguments
        _take_temporary_folder()
        _run(arguments, report)
    except SystemExit as done:
        # argparse after --help.
        _end(done.code if isinstance(done.code, int) else 1)
    except BaseException as error:
        # A library may turn the interruption into an exception of its own.
        if _interrupted:
            _end(130)
        known = as_toolkit_error(error)
        if known.details is not None:
            print(known.details, file=sys.stderr)
        report.error(known)
        _end(1)
    _end(0)


if __name__ == "__main__":
    main()
