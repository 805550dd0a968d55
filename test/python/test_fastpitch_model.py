from __future__ import annotations

import io
import unittest
from typing import Any

import torch
from fastpitch import SMALL, folder, module_of
from torch import nn


def small(**given: str) -> nn.Module:
    """The small model; every weight of its duration predictor counts, so that durations differ widely."""
    module: nn.Module = folder(**{**SMALL, **given}).call("model")[0]
    with torch.no_grad():
        module.get_parameter("duration_predictor.fc.weight").mul_(30)
        module.get_parameter("duration_predictor.fc.bias").fill_(1.2)
    return module.eval()


class ModelTest(unittest.TestCase):
    def test_full_size_has_the_published_parameters(self) -> None:
        module: nn.Module = folder().call("model")[0]
        block = (
            (384 * 192 + 192) + 64 * 384 + 2 * 384
        )  # one head of 64: query, key, value; output; normalisation
        block += (3 * 384 * 1536 + 1536) + (3 * 1536 * 384 + 384) + 2 * 384
        predictor = (3 * 384 * 256 + 256) + (3 * 256 * 256 + 256) + 2 * 2 * 256 + 257
        total = 148 * 384 + 12 * block + 3 * predictor + 2 * (3 * 384 + 384) + 384 * 80 + 80
        self.assertEqual(total, 45_261_395)
        self.assertEqual(sum(parameter.numel() for parameter in module.parameters()), total)

    def test_random_weights_speak_six_frames_a_token(self) -> None:
        module: nn.Module = folder(**SMALL).call("model")[0].eval()
        tokens = torch.randint(1, 148, (2, 50), generator=torch.Generator().manual_seed(0))
        with torch.inference_mode():
            mel, lengths, durations, pitch, energy = module(tokens)
        self.assertEqual(lengths.tolist(), [300, 300])
        self.assertEqual(
            [tuple(tensor.shape) for tensor in (mel, durations, pitch, energy)],
            [(2, 80, 300), (2, 50), (2, 1, 50), (2, 50)],
        )
        # No frame more or less in float16, and yet not all the same.
        self.assertLess(float((durations - 6).abs().max()), 0.45)
        self.assertGreater(float(durations.std()), 0.02)

    def test_length_regulator_does_what_a_plain_loop_does(self) -> None:
        regulate = module_of("model").regulate_length
        generator = torch.Generator().manual_seed(1)
        for batch, count in ((1, 1), (3, 7), (2, 40)):
            tokens = torch.randn(batch, count, 5, generator=generator)
            durations = torch.randint(0, 6, (batch, count), generator=generator)
            frames, mask, lengths = regulate(tokens, durations, torch.arange(60))
            plain = [
                [row[i] for i, times in enumerate(counts) for _ in range(int(times))][:60]
                for row, counts in zip(tokens, durations)
            ]
            self.assertEqual(lengths.tolist(), [len(sample) for sample in plain])
            self.assertEqual(frames.shape[1], max(1, *lengths.tolist(), 1))
            for got, valid, wanted in zip(frames, mask, plain):
                self.assertEqual(int(valid.sum()), len(wanted))
                if wanted:
                    self.assertTrue(torch.equal(got[: len(wanted)], torch.stack(wanted)))
                self.assertEqual(float(got[len(wanted) :].abs().sum()), 0.0)

    def test_a_sample_does_not_depend_on_what_it_is_batched_with(self) -> None:
        module = small()
        bias = module.get_parameter("projection.bias")
        generator = torch.Generator().manual_seed(2)
        sentences = [torch.randint(1, 148, (n,), generator=generator) for n in (9, 31, 1, 20)]
        batch = torch.zeros(4, 40, dtype=torch.int64)
        for row, sentence in zip(batch, sentences):
            row[: len(sentence)] = sentence
        with torch.inference_mode():
            together = module(batch)
            for index, sentence in enumerate(sentences):
                mel, lengths, durations, pitch, energy = module(sentence[None])
                frames, count = int(lengths[0]), len(sentence)
                self.assertEqual(int(together[1][index]), frames)
                torch.testing.assert_close(together[0][index, :, :frames], mel[0], atol=1e-4, rtol=1e-4)
                # Behind a sentence's end the mel is what the projection makes of nothing.
                rest = together[0][index, :, frames:]
                torch.testing.assert_close(rest, bias[:, None].expand_as(rest))
                for got, alone in zip(together[2:], (durations[0], pitch[0], energy[0])):
                    torch.testing.assert_close(got[index, ..., :count], alone, atol=1e-4, rtol=1e-4)
                    self.assertEqual(float(got[index, ..., count:].abs().sum()), 0.0)
        self.assertGreater(len(set(together[1].tolist())), 2)

    def test_nothing_but_padding_is_answered(self) -> None:
        with torch.inference_mode():
            mel, lengths, *_ = small()(torch.zeros(2, 5, dtype=torch.int64))
        self.assertEqual((tuple(mel.shape), lengths.tolist()), ((2, 80, 1), [0, 0]))
        self.assertTrue(bool(torch.isfinite(mel).all()))

    def test_a_trace_and_a_script_hold_for_other_sizes_and_in_half_precision(self) -> None:
        module = small()
        example = torch.randint(1, 148, (2, 6), generator=torch.Generator().manual_seed(3))
        other = torch.randint(0, 148, (3, 23), generator=torch.Generator().manual_seed(4))
        with torch.inference_mode():
            wanted = module(other)
        for make in (lambda: torch.jit.trace(module, example), lambda: torch.jit.script(module)):
            file = io.BytesIO()
            torch.jit.save(make(), file)
            file.seek(0)
            loaded: Any = torch.jit.load(file)
            with torch.inference_mode():
                for got, right in zip(loaded(other), wanted):
                    torch.testing.assert_close(got, right, atol=1e-5, rtol=1e-5)
                half = loaded.half()(other)
            self.assertEqual(half[0].dtype, torch.float16)
            self.assertLess(float((half[2].float() - wanted[2]).abs().max()), 0.1)


if __name__ == "__main__":
    unittest.main()
