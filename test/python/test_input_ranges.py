from __future__ import annotations

import json
from typing import Any

import numpy as np
from support import REFUSAL, RESOURCES, ToolkitCase, run_verb

from toolkit.errors import ToolkitError
from toolkit.model_folder import ModelFolder

MODELS = RESOURCES / "models"


class InputRangesTest(ToolkitCase):
    def values(self, folder: Any, name: str, *flags: str) -> set[int]:
        """Random integers of the input, 500 in each of 8 samples."""
        signature = [{"name": name, "datatype": "INT64", "shape": [-1, 500]}]
        output = self.dir / f"data-{len(list(self.dir.iterdir()))}"
        given = ["--model-dir", folder, "--mode=random", "--signature", json.dumps(signature), *flags]
        run_verb("profile-data", *given, "--output-dir", output)
        files = json.loads((output / "input-data.json").read_text())["tensors"][0]["files"]
        return {int(value) for file in files for value in np.fromfile(output / file, dtype=np.int64)}

    def test_tokens_are_every_symbol_but_padding(self) -> None:
        self.assertEqual(self.values(MODELS / "fastpitch", "INPUT__0"), set(range(1, 148)))

    def test_series_are_every_row_of_the_table(self) -> None:
        self.assertEqual(self.values(MODELS / "tft", "s_cat__0"), set(range(369)))
        self.assertEqual(self.values(MODELS / "tft", "s_cat__0", "--arg=series=5"), set(range(5)))

    def test_the_rows_of_a_checkpoint_count(self) -> None:
        arguments = self.dir / "arguments.json"
        arguments.write_text('{"tables": "platform:9:16"}')
        flags = ["--framework=tf", "--arguments-from", str(arguments)]
        self.assertEqual(self.values(MODELS / "wide_and_deep", "platform", *flags), set(range(9)))
        self.assertEqual(self.values(MODELS / "wide_and_deep", "platform", "--framework=tf"), set(range(4)))

    def test_of_a_model_file_the_range_is_given(self) -> None:
        inputs = [{"name": "ids:0", "datatype": "INT64", "shape": [500], "dims": [-1]}]
        own = ["--samples-only", f"--arg=inputs={json.dumps(inputs)}"]
        self.assertEqual(self.values(RESOURCES / "own", "ids:0", *own), {0, 1})
        ranged = [*own, "--arg=ranges=ids:0:3:7"]
        self.assertEqual(self.values(RESOURCES / "own", "ids:0", *ranged), {3, 4, 5, 6})
        run_verb("make-dataset", "--model-dir", RESOURCES / "own", *ranged, "--output", self.dir / "samples")
        with np.load(self.dir / "samples" / "samples.npz") as file:
            self.assertEqual({int(value) for value in file["ids:0"].ravel()}, {3, 4, 5, 6})

    def test_a_range_that_is_none_is_refused(self) -> None:
        for text in ("ids", "ids:0", "ids:0:x", "ids:4:4", ":0:1"):
            folder = ModelFolder(RESOURCES / "own", {"ranges": text}, {}, True)
            with self.assertRaisesRegex(REFUSAL, f'not "{text}"'):
                folder.call("input_ranges")

    def test_an_argument_that_the_code_does_not_have_is_named_with_where_it_is_given(self) -> None:
        with self.assertRaises(ToolkitError) as refused:
            ModelFolder(MODELS / "tft", {"seris": "5"}, {})
        self.assertEqual(refused.exception.code, "input-invalid")
        self.assertIn("no argument seris", str(refused.exception))
        self.assertEqual(refused.exception.where, "args of preset.yaml, or --set model.args")
