from __future__ import annotations

import re
import warnings
from pathlib import Path

import torch
from support import RESOURCES, ToolkitCase, failure, run_verb, spoken, write_toy

from toolkit.device_constants import device_constants
from toolkit.model_folder import ModelFolder

#: A forward that makes its positions itself; of the tensors, the device alone stays in a trace.
_COUNTING = """
import torch
from torch import nn


class Counting(nn.Module):
    def forward(self, values: torch.Tensor, flags: torch.Tensor):
        places = torch.arange(values.size(1), device=values.device)
        return values + places.to(values.dtype), flags


def get_model():
    return Counting(), {"inputs": ["VALUES__0", "FLAGS__1"], "outputs": ["SCALED__0", "SUM__1"]}
"""

#: A trace makes a tensor of the size, and clamp takes none of the CPU for values on a GPU (seen on an H200).
_CLAMPING = _COUNTING.replace(
    """        places = torch.arange(values.size(1), device=values.device)
        return values + places.to(values.dtype), flags
""",
    """        return torch.clamp(values, max=values.size(1)), flags
""",
).replace("Counting", "Clamping")

#: The presets as small as a test wants them, and an example for each.
_SMALL: dict[str, dict[str, str]] = {
    "resnet50": {"width": "4", "blocks": "1,1,1,1"},
    "fastpitch": {"channels": "16", "filters": "8", "encoder_layers": "1", "decoder_layers": "1"},
    "nnunet": {"features": "4,8,8"},
    "tft": {"hidden_size": "8", "heads": "2"},
}


def _example(preset: str) -> tuple[torch.Tensor, ...]:
    if preset == "resnet50":
        return (torch.randn(1, 3, 64, 64),)
    if preset == "nnunet":
        return (torch.randn(1, 4, 32, 32, 32),)
    if preset == "fastpitch":
        return (torch.randint(1, 148, (2, 6)),)
    ones, whole = torch.ones(2, 1), torch.ones(2, 1, dtype=torch.int64)
    numbers = torch.zeros(2, 192, 1, dtype=torch.int64)
    known, target = torch.randn(2, 192, 3), torch.randn(2, 192, 1)
    return (numbers, ones, whole, known, whole.clone(), ones.clone(), target, numbers.clone())


class DeviceConstantTest(ToolkitCase):
    def setUp(self) -> None:
        super().setUp()
        warnings.simplefilter("ignore")

    def test_no_preset_has_one_as_trace_or_script(self) -> None:
        for preset, arguments in _SMALL.items():
            module = ModelFolder(RESOURCES / "models" / preset, arguments, {}).call("model")[0].eval()
            with torch.no_grad():
                graphs = torch.jit.trace(module, _example(preset)), torch.jit.script(module)
            for graph in graphs:
                self.assertEqual(list(device_constants(graph)), [], preset)

    def test_every_preset_that_is_offered_as_torchscript_is_looked_at(self) -> None:
        texts = {path.parent.name: path.read_text() for path in (RESOURCES / "models").glob("*/preset.yaml")}
        offered = {name for name, text in texts.items() if re.search(r"^formats: .*\bts-", text, re.M)}
        self.assertEqual(offered, set(_SMALL))

    def test_a_traced_one_is_refused_with_its_line(self) -> None:
        folder = write_toy(self.dir / "own")
        (folder / "model.py").write_text(_COUNTING)
        flags = ["--model-dir", folder, "--dataset", self.dir, "--batch-size=2"]
        error = failure("export", *flags, "--format=ts-trace", "--output", self.dir / "trace.pt")
        self.assertEqual(error.code, "model-folder-invalid")
        self.assertEqual(error.where, f"{folder.resolve() / 'model.py'}, line 8")
        self.assertIn('aten::arange has the fixed device "cpu"', spoken(error))
        self.assertFalse((self.dir / "trace.pt").exists())
        # A script asks the input.
        run_verb("export", *flags, "--format=ts-script", "--output", self.dir / "script.pt")

    def test_a_size_that_a_trace_leaves_on_the_cpu_is_refused_with_its_line(self) -> None:
        folder = write_toy(self.dir / "own")
        (folder / "model.py").write_text(_CLAMPING)
        flags = ["--model-dir", folder, "--dataset", self.dir, "--batch-size=2"]
        error = failure("export", *flags, "--format=ts-trace", "--output", self.dir / "trace.pt")
        self.assertEqual(error.code, "model-folder-invalid")
        self.assertEqual(error.where, f"{folder.resolve() / 'model.py'}, line 8")
        self.assertIn('aten::clamp has the fixed device "cpu"', spoken(error))
        run_verb("export", *flags, "--format=ts-script", "--output", self.dir / "script.pt")

    def test_constants_among_themselves_are_no_fault(self) -> None:
        two, six = torch.tensor(2.0), torch.tensor(6.0)

        class Alone(torch.nn.Module):
            def forward(self, x: torch.Tensor) -> torch.Tensor:
                least = torch.clamp(six, max=two)
                return x * least

        class Constants(torch.nn.Module):
            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return torch.clamp(x, max=two)

        with torch.no_grad():
            self.assertEqual(list(device_constants(torch.jit.trace(Alone(), torch.ones(1, 3)))), [])
            found = list(device_constants(torch.jit.trace(Constants(), torch.ones(1, 3))))
        self.assertEqual([one.operation for one in found], ["aten::clamp"])

    def test_a_file_of_any_origin_is_refused_too(self) -> None:
        class Fixed(torch.nn.Module):
            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return x.to("cpu") * 2

        source = self.dir / "own.pt"
        torch.jit.script(Fixed()).save(str(source))
        found = list(device_constants(torch.jit.load(str(source))))
        self.assertEqual([one.device for one in found], ["cpu"])
        self.assertIn(f"{Path(__file__).name}, line ", found[0].place)
        inputs = '[{"name": "X", "datatype": "FP32", "shape": [3], "dims": [3]}]'
        tensor = '{"name": "%s", "datatype": "FP32", "shape": [-1, 3]}'
        signature = f'{{"inputs": [{tensor % "X"}], "outputs": [{tensor % "Y"}]}}'
        own = ["--model-dir", RESOURCES / "own", "--samples-only", f"--arg=inputs={inputs}"]
        run_verb("make-dataset", *own, "--arg=samples=2", "--output", self.dir / "samples")
        error = failure(
            "export", *own, "--dataset", self.dir / "samples", "--signature", signature,
            "--format=ts-trace", "--source", source, "--output", self.dir / "out.pt",
        )  # fmt: skip
        self.assertEqual(error.code, "model-file-invalid")
        self.assertIn(f"{Path(__file__).name}, line ", spoken(error))
