from __future__ import annotations

import csv
import json
import pickle
import sys
import types
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import torch
from support import REFUSAL, TFT, ToolkitCase

from toolkit.dumps import read_all
from toolkit.model_folder import ModelFolder

SMALL = {"hidden_size": "8", "heads": "2", "series": "3", "dropout": "0"}
DATA = {"dataset_series": "3", "train_days": "8", "window_stride": "36"}


def folder(dataset: Path | None = None, /, **given: str) -> ModelFolder:
    context = {"data_dir": None if dataset is None else str(dataset), "batch_size": 4, "seed": 0}
    return ModelFolder(TFT, given, {**context, "precision": given.pop("precision", "fp32")})


def model(**given: str) -> torch.nn.Module:
    module: torch.nn.Module = folder(**given).call("model")[0]
    return module.eval()


def inputs(batch: int, series: int) -> list[torch.Tensor]:
    """As the loader gives them, of noise."""
    generator = torch.Generator().manual_seed(1)
    ones = torch.ones(batch, 1)
    whole = torch.ones(batch, 1, dtype=torch.int64)
    numbers = (torch.arange(batch) % series)[:, None, None].expand(batch, 192, 1).contiguous()
    known = torch.randn(batch, 192, 3, generator=generator)
    target = torch.randn(batch, 192, 1, generator=generator)
    return [numbers, ones, whole, known, whole.clone(), ones.clone(), target, numbers.clone()]


def grn(size_in: int, hidden: int, size_out: int, context: bool) -> int:
    """Parameters of a gated residual network, from the paper's equations 2 to 5."""
    dense = (size_in + 1) * hidden + (hidden + 1) * hidden + (hidden * hidden if context else 0)
    gate = 2 * (hidden + 1) * size_out
    # A single value is not normalised.
    norm = 2 * size_out if size_out > 1 else 0
    return dense + gate + norm + (0 if size_in == size_out else (size_in + 1) * size_out)


def parameters(categories: int, known: int, d: int, heads: int) -> int:
    """Parameters of the whole, part by part as the paper has them; an LSTM of torch has two biases a gate."""

    def selection(variables: int, context: bool) -> int:
        return grn(variables * d, d, variables, context) + variables * grn(d, d, d, False)

    embedding = categories * d + (known + 1) * 2 * d
    selections = selection(1, False) + selection(known + 1, True) + selection(known, True)
    lstms = 2 * 4 * (2 * d * d + 2 * d)
    gates = 3 * (2 * (d + 1) * d + 2 * d)
    attention = 2 * d * d + d * (d // heads) + (d // heads) * d
    contexts = 4 * grn(d, d, d, False)
    rest = grn(d, d, d, True) + grn(d, d, d, False) + (d + 1) * 3
    return embedding + selections + lstms + gates + attention + contexts + rest


class ModelTest(ToolkitCase):
    def test_full_size_has_the_parameters_of_the_paper(self) -> None:
        for data_set, categories, count in (("electricity", 369, 1_617_449), ("traffic", 963, 1_693_481)):
            module = model(data_set=data_set)
            self.assertEqual(sum(parameter.numel() for parameter in module.parameters()), count)
            self.assertEqual(parameters(categories, 3, 128, 4), count)
        # The code published with the deployment gives the static selection a context that it never uses.
        self.assertEqual(parameters(369, 3, 128, 4) + 128 * 128, 1_633_833)
        with torch.inference_mode():
            result = module(*inputs(2, 963))
        self.assertEqual(list(result.shape), [2, 24, 3])
        self.assertTrue(bool(torch.isfinite(result).all()))
        self.assertLess(float(result.abs().max()), 100)

    def test_names_are_the_published_ones(self) -> None:
        names = folder(**SMALL).call("model")[1]
        groups = [
            "s_cat__0",
            "s_cont__1",
            "k_cat__2",
            "k_cont__3",
            "o_cat__4",
            "o_cont__5",
            "target__6",
            "id__7",
        ]
        self.assertEqual(names, {"inputs": groups, "outputs": ["target__0"]})

    def test_reads_what_it_may_know_and_nothing_else(self) -> None:
        module = model(**SMALL)
        given = inputs(2, 3)
        with torch.inference_mode():
            plain = module(*given)

            def changed(index: int, hours: slice, value: float) -> bool:
                other = [tensor.clone() for tensor in given]
                other[index][:, hours] = value
                return not torch.equal(module(*other), plain)

            whole = slice(None)
            # The series, known values of the past and of the future, the target's past.
            self.assertTrue(changed(0, whole, 2))
            self.assertTrue(changed(3, slice(0, 1), 5.0))
            self.assertTrue(changed(3, slice(191, 192), 5.0))
            self.assertTrue(changed(6, slice(167, 168), 5.0))
            # Not the target's future, nor what stands for absent features, nor the series' number.
            self.assertFalse(changed(6, slice(168, None), 5.0))
            for index in (1, 2, 4, 5, 7):
                self.assertFalse(changed(index, whole, 7))

    def test_every_group_of_features_has_its_part(self) -> None:
        code = sys.modules[folder().entry("model").__module__]
        variables = code.Variables
        torch.manual_seed(0)
        module = code.TemporalFusionTransformer(
            static=variables([3], 1),
            known=variables([4], 2),
            observed=variables([5], 2),
            hidden_size=8,
            heads=2,
            dropout=0.1,
            attention_dropout=0.1,
            quantiles=3,
        ).eval()
        generator = torch.Generator().manual_seed(2)
        given = [torch.ones(2, 192, 1, dtype=torch.int64) for _ in range(8)]
        for index, columns in ((1, 1), (3, 2), (5, 2), (6, 1)):
            given[index] = torch.randn(2, 192, columns, generator=generator)
        with torch.inference_mode():
            plain = module(*given)
            self.assertEqual(list(plain.shape), [2, 24, 3])
            for index in range(8):
                other = [tensor.clone() for tensor in given]
                other[index][:, :168] += 1
                self.assertEqual(torch.equal(module(*other), plain), index == 7, index)
            # What is observed is not known of the future.
            for index in (4, 5):
                other = [tensor.clone() for tensor in given]
                other[index][:, 168:] += 1
                self.assertTrue(torch.equal(module(*other), plain))

    def test_no_hour_sees_a_later_one(self) -> None:
        module = model(**SMALL)
        given = inputs(1, 3)
        known = given[3].requires_grad_(True)
        module(*given)[0, 10].sum().backward()
        gradient = known.grad
        assert gradient is not None
        moved = gradient[0].abs().sum(dim=-1)
        self.assertTrue(bool((moved[168 + 11 :] == 0).all()))
        self.assertTrue(bool((moved[: 168 + 11] > 0).all()))

    def test_samples_of_a_batch_do_not_mix(self) -> None:
        module = model(**SMALL)
        given = inputs(3, 3)
        with torch.inference_mode():
            together = module(*given)
            alone = module(*(tensor[1:2] for tensor in given))
        torch.testing.assert_close(together[1:2], alone, atol=1e-5, rtol=1e-5)

    def test_the_seed_decides_the_weights(self) -> None:
        first, again, other = (model(**SMALL, seed=seed).state_dict() for seed in ("3", "3", "4"))
        self.assertTrue(all(torch.equal(first[name], again[name]) for name in first))
        self.assertFalse(torch.equal(first["quantiles.weight"], other["quantiles.weight"]))

    def test_heads_must_divide_the_size(self) -> None:
        with self.assertRaisesRegex(REFUSAL, r"heads \(3\) must divide hidden_size \(8\)"):
            model(**{**SMALL, "heads": "3"})


class DataTest(ToolkitCase):
    def make(self, **given: str) -> Path:
        root = self.dir / "data"
        root.mkdir(exist_ok=True)
        self.counts = folder(**{**DATA, **given}).call("make_dataset", str(root))
        return root

    def test_columns_are_those_of_the_preprocessed_tables(self) -> None:
        columns = {
            "electricity": "categorical_id day_of_week days_from_start hour hours_from_start id power_usage",
            "traffic": "categorical_id day_of_week hours_from_start id sensor_day time_on_day values",
        }
        for data_set, names in columns.items():
            root = self.make(data_set=data_set)
            with (root / "test.csv").open(newline="") as file:
                rows = list(csv.reader(file))
            self.assertEqual(rows[0], ["", *names.split()])
            # 14 days of three series.
            self.assertEqual(len(rows) - 1, 14 * 24 * 3)
            scales = json.loads((root / "tgt_scalers.json").read_text())
            self.assertEqual(sorted(scales), ["0", "1", "2"] if data_set == "electricity" else [""])
            loader = folder(root, data_set=data_set, window_stride="72").call("dataloader")
            _, x, y = next(iter(loader()))
            with torch.inference_mode():
                arrays = [torch.from_numpy(x[name]) for name in folder(**SMALL).call("model")[1]["inputs"]]
                result = model(**SMALL, data_set=data_set)(*arrays)
            self.assertEqual(list(result.shape), [4, 24, 3])
            risks = (
                folder(root)
                .call("metrics")
                .calc(
                    ids=[],
                    y_pred={"target__0": y["target__0"][:, :, None].repeat(3, axis=2)},
                    x=None,
                    y_real=y,
                )
            )
            self.assertEqual(risks, {"test_p10": 0.0, "test_p50": 0.0, "test_p90": 0.0})

    def test_all_windows_come_the_last_partial_batch_too(self) -> None:
        root = self.make()
        loader = folder(root, window_stride="36").call("dataloader")
        batches = list(loader())
        # 336 hours: windows from hour 0, 36, 72, 108 and 144 of each of three series.
        self.assertEqual([len(ids) for ids, _, _ in batches], [4, 4, 4, 3])
        self.assertEqual((len(loader), self.counts), (15, {"samples": 15, "series": 3}))
        ids = [name for names, _, _ in batches for name in names]
        self.assertEqual(len(set(ids)), 15)
        self.assertEqual(ids[4:6], ["0/144", "1/0"])

    def test_tensors_are_the_rows_of_the_table(self) -> None:
        root = self.make()
        with (root / "test.csv").open(newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["id"] == "1"]
        part = rows[36 : 36 + 192]
        loader = folder(root, window_stride="36", precision="fp16").call("dataloader")
        for ids, x, y in loader():
            if "1/36" not in ids:
                continue
            at = ids.index("1/36")
            for name, values in (("k_cont__3", (4, 192, 3)), ("target__6", (4, 192, 1))):
                self.assertEqual((x[name].shape, x[name].dtype), (values, np.dtype(np.float16)))
            names = ("hour", "day_of_week", "hours_from_start")
            known = np.array([[float(row[name]) for name in names] for row in part])
            np.testing.assert_allclose(x["k_cont__3"][at], known, atol=1e-3, rtol=1e-3)
            target = np.array([float(row["power_usage"]) for row in part])
            np.testing.assert_allclose(x["target__6"][at, :168, 0], target[:168], atol=2e-3)
            self.assertTrue(bool((x["target__6"][at, 168:] == 0).all()))
            np.testing.assert_allclose(y["target__0"][at], target[168:], atol=1e-6)
            self.assertEqual(set(x["s_cat__0"][at].ravel()) | set(x["id__7"][at].ravel()), {1})
            for name, dtype in {"s_cont__1": np.float16, "k_cat__2": np.int64, "o_cat__4": np.int64}.items():
                self.assertEqual((x[name].shape, x[name].dtype), ((4, 1), np.dtype(dtype)))
                self.assertTrue(bool((x[name] == 1).all()))
            return
        self.fail("the window did not come")

    def test_faults_of_the_table_are_named(self) -> None:
        root = self.make()
        path = root / "test.csv"
        text = path.read_text()
        for broken, words in (
            (text.replace("power_usage", "power"), "lacks the columns power_usage; it has categorical_id"),
            (text.replace("\n", "\n0,1,2\n", 1), "line 2: list index out of range"),
            (
                "\n".join([*text.splitlines(), "9,0,0,0,0,0,0,nan"]),
                "row 1009 holds a value that is not a number",
            ),
        ):
            path.write_text(broken)
            with self.assertRaisesRegex(REFUSAL, words):
                folder(root).call("dataloader")
        path.unlink()
        with self.assertRaisesRegex(REFUSAL, "has no test.csv"):
            folder(root).call("dataloader")


class FileTest(ToolkitCase):
    def test_onnx_of_both_precisions_agrees_with_the_framework(self) -> None:
        root = self.dir / "data"
        root.mkdir()
        folder(**DATA).call("make_dataset", str(root))
        given = {**SMALL, "window_stride": "72"}
        flags = [
            "--model-dir",
            TFT,
            "--dataset",
            root,
            *(f"--arg={name}={value}" for name, value in given.items()),
        ]
        path, half, dumps = self.dir / "model.onnx", self.dir / "half.onnx", {}
        exported = self.ok("export", *flags, "--format=onnx", "--output", path)
        self.ok("convert", "--format=onnx", "--precision=fp16", "--input", path, "--output", half)
        self.assertEqual(len(exported["inputs"]), 8)
        for name, runtime, precision in (
            ("pyt", ["--runtime=pyt"], "fp32"),
            ("fp32", ["--runtime=onnx", "--path", path], "fp32"),
            # ONNX Runtime 1.31 crashed on this file when the transposes of the LSTMs stood before matrix products.
            ("fp16", ["--runtime=onnx", "--path", half], "fp16"),
        ):
            target = self.dir / name
            self.ok("infer-framework", *flags, *runtime, "--precision", precision, "--output-dir", target)
            dumps[name] = read_all(target, "outputs")["target__0"]
        self.assertEqual(dumps["pyt"].shape, (9, 24, 3))
        np.testing.assert_allclose(dumps["fp32"], dumps["pyt"], atol=1e-5, rtol=1e-4)
        np.testing.assert_allclose(dumps["fp16"], dumps["pyt"], atol=0.02, rtol=0.01)


class MetricTest(ToolkitCase):
    def write(self, scalers: dict[str, Any]) -> None:
        (self.dir / "tgt_scalers.json").write_text(json.dumps(scalers))

    def risk(self, predicted: list[float], series: int) -> dict[str, float]:
        calculator = folder(self.dir).call("metrics")
        y_real = {"target__0": np.array([[1.0, -1.0]]), "id__7": np.array([series])}
        y_pred = {"target__0": np.array([[predicted, predicted]], dtype=np.float16)}
        values: dict[str, float] = calculator.calc(ids=[], y_pred=y_pred, x=None, y_real=y_real)
        return values

    def test_q_risk_by_hand_on_unscaled_values(self) -> None:
        self.write({"5": {"mean": 10, "std": 4}, "6": {"mean": 0, "std": 1}})
        # Targets 14 and 6, forecasts 8, 10 and 16; the sum of targets is 20.
        values = self.risk([-0.5, 0.0, 1.5], 5)
        self.assertAlmostEqual(values["test_p10"], 2 * (0.1 * 6 + 0.9 * 2) / 20)
        self.assertAlmostEqual(values["test_p50"], 2 * (0.5 * 4 + 0.5 * 4) / 20)
        self.assertAlmostEqual(values["test_p90"], 2 * (0.1 * 2 + 0.1 * 10) / 20)
        with self.assertRaisesRegex(REFUSAL, "no scale for the series 7"):
            self.risk([0, 0, 0], 7)

    def test_damaged_scalers_are_named(self) -> None:
        for broken in ("{", "[]", '{"5": 1}', '{"5": {"mean": 1}}'):
            (self.dir / "tgt_scalers.json").write_text(broken)
            with self.assertRaisesRegex(REFUSAL, r"tgt_scalers\.json holds no scalers"):
                self.risk([0, 0, 0], 5)

    def test_one_scale_for_all_series(self) -> None:
        self.write({"": {"mean": 10, "std": 4}})
        self.assertAlmostEqual(self.risk([0, 0, 0], 7)["test_p50"], 0.4)

    def pickled(self, name: str) -> bytes:
        """As scikit-learn's scalers are pickled: a class of that name, with arrays in it."""
        scaler = type(name, (), {"__module__": "sklearn.preprocessing._data"})
        parent, module = types.ModuleType("sklearn.preprocessing"), types.ModuleType(scaler.__module__)
        setattr(module, name, scaler)
        known = {"sklearn": types.ModuleType("sklearn"), parent.__name__: parent, module.__name__: module}
        value = scaler()
        vars(value).update(mean_=np.array([10.0]), scale_=np.array([4.0]), n_samples_seen_=np.int64(3))
        with mock.patch.dict(sys.modules, known):
            return pickle.dumps({np.int64(5): value})

    def test_the_pickled_scalers_of_the_published_preprocessing_are_read(self) -> None:
        path = self.dir / "tgt_scalers.bin"
        path.write_bytes(self.pickled("StandardScaler"))
        self.assertAlmostEqual(self.risk([0, 0, 0], 5)["test_p50"], 0.4)
        path.write_bytes(self.pickled("Other"))
        with self.assertRaisesRegex(REFUSAL, r"wants sklearn\.preprocessing\._data\.Other"):
            self.risk([0, 0, 0], 5)
        path.write_bytes(pickle.dumps({"5": print}))
        with self.assertRaisesRegex(REFUSAL, r"wants builtins\.print.*nothing was run"):
            self.risk([0, 0, 0], 5)
        for broken in (b"", b"no pickle", pickle.dumps([1]), pickle.dumps({"5": 1.0})):
            path.write_bytes(broken)
            with self.assertRaisesRegex(REFUSAL, r"tgt_scalers\.bin holds no scalers"):
                self.risk([0, 0, 0], 5)
        path.unlink()
        with self.assertRaisesRegex(REFUSAL, "neither tgt_scalers.json nor tgt_scalers.bin"):
            self.risk([0, 0, 0], 5)


class TrainTest(ToolkitCase):
    def test_the_loss_and_its_gradient_by_hand(self) -> None:
        loss_of = sys.modules[folder().entry("train").__module__].quantile_loss
        target = torch.tensor([[1.0, 2.0]])
        predicted = torch.tensor([[[0.0, 2.0, 1.0], [3.0, 0.0, 0.0]]], requires_grad=True)
        loss = loss_of(target, predicted)
        # Hour 1: 0.1 + 0.5 + 0; hour 2: 0.9 + 1.0 + 1.8.
        self.assertAlmostEqual(loss.item(), (0.6 + 3.7) / 2, places=6)
        loss.backward()
        expected = torch.tensor([0.9, -0.5, -0.9]) / 2
        gradient = predicted.grad
        assert gradient is not None
        torch.testing.assert_close(gradient[0, 1], expected)
        self.assertAlmostEqual(gradient[0, 0, 0].item(), -0.05)

    def test_training_lowers_the_held_out_risk(self) -> None:
        root = self.dir / "data"
        root.mkdir()
        folder(dataset_series="2", train_days="21").call("make_dataset", str(root))
        given = {
            **SMALL,
            "train_steps": "30",
            "train_batch_size": "16",
            "train_threads": "1",
            "window_stride": "72",
        }
        trained = folder(root, **given).call("train", model(**SMALL))
        self.assertEqual((trained["trained"], trained["steps"]), (True, 30))
        held_out = trained["held_out"]
        self.assertLess(held_out["test_p50"], 0.8 * held_out["test_p50_untrained"])

    def test_without_training_the_weights_stay(self) -> None:
        outcome = folder(self.dir).call("train", model(**SMALL))
        self.assertEqual(outcome, {"trained": False, "steps": 0, "held_out": {}})
