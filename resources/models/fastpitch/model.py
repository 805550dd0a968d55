"""FastPitch of Łańcucki 2020 (arXiv:2006.06873): text to mel spectrogram in one pass, by predicted durations and pitch.

With the energy predictor of NVIDIA's release 1.1. Input INPUT__0 [batch, tokens] int64, 0 = padding. Outputs, frames
being those of the longest sample of the batch:

- OUTPUT__0 [batch, mels, frames]: natural logarithm of mel amplitudes; behind a sample's own end the bias of the
  projection, as published
- OUTPUT__1 [batch] int64: frames of each sample
- OUTPUT__2 [batch, tokens]: frames of each token before rounding; 0 where there is padding, as in the next two
- OUTPUT__3 [batch, formants, tokens]: normalised pitch; one formant as published
- OUTPUT__4 [batch, tokens]: energy

What belongs to one sample depends on nothing else of its batch: whatever a convolution or an average could carry over
from padding is masked first. The published network lets convolutions read what others made of padding, so that a
sentence sounds a little different in each batch; `isolate` false is that.
"""

import math
from typing import Dict, List, NamedTuple, Sequence, Tuple, Union

import torch
from torch import nn

#: Frames of a token under random weights: 6 is near LJSpeech's average (86 frames and 15 characters a second), so
#: that random weights do as much work as trained ones.
INITIAL_DURATION = 6.0

#: Relative spread of those durations: far enough from half a frame that float16 rounds them to the same frames.
INITIAL_SPREAD = 0.017

#: Hz; of LJSpeech's voiced frames, as published with the model.
PITCH_MEAN, PITCH_STD = 214.72203, 65.72038


class StackSizes(NamedTuple):
    """Of the encoder or the decoder."""

    layers: int
    heads: int
    head_size: int
    filters: int
    kernel: int


class PredictorSizes(NamedTuple):
    layers: int
    filters: int
    kernel: int


def position_table(positions: int, channels: int) -> torch.Tensor:
    """Sines, then cosines [positions, channels] (Vaswani et al. 2017).

    A table and no arithmetic in the model: half precision cannot tell the angles of far positions apart.
    """
    frequencies = torch.exp(torch.arange(0, channels, 2) * (-math.log(10000.0) / channels))
    angles = torch.arange(positions, dtype=torch.float32).unsqueeze(1) * frequencies.unsqueeze(0)
    return torch.cat([torch.sin(angles), torch.cos(angles)], dim=1)


def clear(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Zeros where the mask is false. A fill and no product: a traced product would fix the datatype."""
    return x.masked_fill(torch.logical_not(mask).unsqueeze(-1), 0.0)


def regulate_length(
    tokens: torch.Tensor, durations: torch.Tensor, numbers: torch.Tensor
) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Repeats each of `tokens` [batch, tokens, channels] as often as `durations` [batch, tokens] int64 says.

    Returns frames [batch, frames, channels], their mask [batch, frames] and lengths [batch]. `numbers` counts from 0
    to the most frames that a sample may have, where it is cut; there is always one frame, if only a masked one. No
    loop, no size of the example and no device stays in a trace: the token of a frame is the number of tokens that end
    before it, and frames are counted by a tensor that moves with the model.
    """
    ends = torch.cumsum(durations, dim=1)
    # No Python number: a trace would fix it, or make it a tensor of the CPU.
    most = numbers[-1] + 1
    lengths = torch.where(ends[:, -1] < most, ends[:, -1], most)
    count = torch.clamp(lengths.max(), min=1)
    positions = numbers[:count]
    mask = positions.unsqueeze(0) < lengths.unsqueeze(1)
    ended = positions.unsqueeze(0).unsqueeze(2) >= ends.unsqueeze(1)
    # Behind the end of a sample every token has ended: any valid index does.
    index = ended.to(torch.int64).sum(dim=2) * mask.to(torch.int64)
    frames = torch.gather(tokens, 1, index.unsqueeze(2).expand(-1, -1, tokens.size(2)))
    return clear(frames, mask), mask, lengths


class Attention(nn.Module):
    """Self-attention over the valid positions, added to its input and normalised."""

    def __init__(self, channels: int, heads: int, head_size: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.head_size = head_size
        self.qkv = nn.Linear(channels, 3 * heads * head_size)
        self.out = nn.Linear(heads * head_size, channels, bias=False)
        self.norm = nn.LayerNorm(channels)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        batch, count = x.size(0), x.size(1)
        qkv = self.qkv(x).view(batch, count, 3, self.heads, self.head_size).permute(2, 0, 3, 1, 4)
        scores = torch.matmul(qkv[0], qkv[1].transpose(2, 3)) * (1.0 / math.sqrt(self.head_size))
        absent = torch.logical_not(mask).unsqueeze(1).unsqueeze(1)
        # In place of minus infinity: float16 holds it, and a row of nothing else stays finite.
        weights = self.dropout(torch.softmax(scores.masked_fill(absent, -10000.0), dim=-1))
        mixed = torch.matmul(weights, qkv[2]).transpose(1, 2).reshape(batch, count, -1)
        return self.norm(x + self.dropout(self.out(mixed)))


class Block(nn.Module):
    """Feed-forward Transformer block: attention, then two convolutions in place of the position-wise layers."""

    def __init__(
        self,
        channels: int,
        heads: int,
        head_size: int,
        filters: int,
        kernel: int,
        dropout: float,
        isolate: bool,
    ) -> None:
        super().__init__()
        self.isolate = isolate
        self.attention = Attention(channels, heads, head_size, dropout)
        self.conv1 = nn.Conv1d(channels, filters, kernel, padding=kernel // 2)
        self.conv2 = nn.Conv1d(filters, channels, kernel, padding=kernel // 2)
        self.norm = nn.LayerNorm(channels)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        x = clear(self.attention(x, mask), mask)
        y = torch.relu(self.conv1(x.transpose(1, 2))).transpose(1, 2)
        if self.isolate:
            y = clear(y, mask)
        y = self.conv2(y.transpose(1, 2)).transpose(1, 2)
        return clear(self.norm(x + self.dropout(y)), mask)


class Stack(nn.Module):
    """Positions added, then blocks."""

    def __init__(self, channels: int, sizes: StackSizes, dropout: float, isolate: bool) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(
            [
                Block(channels, sizes.heads, sizes.head_size, sizes.filters, sizes.kernel, dropout, isolate)
                for _ in range(sizes.layers)
            ]
        )

    def forward(self, x: torch.Tensor, mask: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
        x = clear(x + table[: x.size(1)].unsqueeze(0), mask)
        for block in self.blocks:
            x = block(x, mask)
        return x


class Predictor(nn.Module):
    """Numbers for a token [batch, tokens, outputs]: convolutions, each with ReLU and layer normalisation, and a
    projection.
    """

    def __init__(
        self, channels: int, sizes: PredictorSizes, dropout: float, isolate: bool, outputs: int = 1
    ) -> None:
        super().__init__()
        self.isolate = isolate
        widths = [channels] + [sizes.filters] * sizes.layers
        self.convs = nn.ModuleList(
            [
                nn.Conv1d(widths[i], sizes.filters, sizes.kernel, padding=sizes.kernel // 2)
                for i in range(sizes.layers)
            ]
        )
        self.norms = nn.ModuleList([nn.LayerNorm(sizes.filters) for _ in range(sizes.layers)])
        self.dropout = nn.Dropout(dropout)
        self.fc = nn.Linear(sizes.filters, outputs)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        for conv, norm in zip(self.convs, self.norms):
            y = torch.relu(conv(x.transpose(1, 2))).transpose(1, 2)
            x = self.dropout(norm(y))
            if self.isolate:
                x = clear(x, mask)
        return clear(self.fc(x), mask)


class FastPitch(nn.Module):
    """`teach` is for training, `forward` for inference. `predictors` are of duration, pitch and energy; `kernels` of
    the embeddings of pitch and energy.
    """

    numbers: torch.Tensor

    def __init__(
        self,
        symbols: int,
        mels: int,
        channels: int,
        encoder: StackSizes,
        decoder: StackSizes,
        predictors: Sequence[PredictorSizes],
        kernels: Sequence[int],
        formants: int,
        dropout: float,
        max_frames: int,
        isolate: bool,
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(symbols, channels, padding_idx=0)
        self.register_buffer("positions", position_table(max_frames, channels), persistent=False)
        self.register_buffer("numbers", torch.arange(max_frames), persistent=False)
        # Of the pitch that the network was trained with: what turns its outputs into Hz.
        self.register_buffer("pitch_mean", torch.tensor([PITCH_MEAN]))
        self.register_buffer("pitch_std", torch.tensor([PITCH_STD]))
        self.encoder = Stack(channels, encoder, dropout, isolate)
        self.duration_predictor = Predictor(channels, predictors[0], dropout, isolate)
        self.pitch_predictor = Predictor(channels, predictors[1], dropout, isolate, formants)
        self.energy_predictor = Predictor(channels, predictors[2], dropout, isolate)
        self.pitch_embedding = nn.Conv1d(formants, channels, kernels[0], padding=kernels[0] // 2)
        self.energy_embedding = nn.Conv1d(1, channels, kernels[1], padding=kernels[1] // 2)
        self.decoder = Stack(channels, decoder, dropout, isolate)
        self.projection = nn.Linear(channels, mels)

    def encode(self, tokens: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return self.encoder(self.embedding(tokens), mask, self.positions)

    def add_pitch(self, x: torch.Tensor, pitch: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return clear(x + self.pitch_embedding(pitch).transpose(1, 2), mask)

    def add_energy(self, x: torch.Tensor, energy: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return clear(x + self.energy_embedding(energy).transpose(1, 2), mask)

    def decode(self, x: torch.Tensor, durations: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
        frames, mask, lengths = regulate_length(x, durations, self.numbers)
        mel = self.projection(self.decoder(frames, mask, self.positions))
        return mel.transpose(1, 2), lengths

    def teach(
        self, tokens: torch.Tensor, durations: torch.Tensor, pitch: torch.Tensor, energy: torch.Tensor
    ) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        """Mel under the true durations, pitch and energy, and the predicted log(1 + duration), pitch and energy."""
        mask = tokens != 0
        x = self.encode(tokens, mask)
        log_durations = self.duration_predictor(x, mask).squeeze(2)
        pitch_predicted = self.pitch_predictor(x, mask).squeeze(2)
        x = self.add_pitch(x, pitch.unsqueeze(1), mask)
        energy_predicted = self.energy_predictor(x, mask).squeeze(2)
        mel, _ = self.decode(self.add_energy(x, energy.unsqueeze(1), mask), durations)
        return mel, log_durations, pitch_predicted, energy_predicted

    def forward(
        self, tokens: torch.Tensor
    ) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        mask = tokens != 0
        x = self.encode(tokens, mask)
        # Of padding the predictor says 0, so that the duration there is exp(0) - 1 = 0. One token lasts 75 frames at
        # most, as published.
        durations = torch.clamp(torch.exp(self.duration_predictor(x, mask).squeeze(2)) - 1.0, 0.0, 75.0)
        pitch = self.pitch_predictor(x, mask).transpose(1, 2)
        x = self.add_pitch(x, pitch, mask)
        energy = self.energy_predictor(x, mask).transpose(1, 2)
        mel, lengths = self.decode(self.add_energy(x, energy, mask), torch.round(durations).to(torch.int64))
        return mel, lengths, durations, pitch, energy.squeeze(1)


def initialise(model: FastPitch, seed: int) -> None:
    """Weights from `seed`; all tokens last about `INITIAL_DURATION` frames."""
    generator = torch.Generator().manual_seed(seed)
    for module in model.modules():
        if isinstance(module, (nn.Linear, nn.Conv1d)):
            nn.init.xavier_uniform_(module.weight, generator=generator)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
        elif isinstance(module, nn.Embedding):
            nn.init.normal_(module.weight, generator=generator)
            with torch.no_grad():
                module.weight[0].zero_()
    last = model.duration_predictor.fc
    nn.init.normal_(last.weight, std=INITIAL_SPREAD / math.sqrt(last.in_features), generator=generator)
    nn.init.constant_(last.bias, math.log(1.0 + INITIAL_DURATION))


def each(name: str, values: Sequence[int], count: int) -> List[int]:
    """One value for each of `count`, or a single one for all. Raises ValueError."""
    if len(values) not in (1, count) or min(values) < 1:
        raise ValueError(f"{name} must be one number of at least 1, or {count}, not {list(values)}")
    return list(values) if len(values) == count else list(values) * count


def get_model(
    symbols: int = 148,
    mels: int = 80,
    channels: int = 384,
    encoder_layers: int = 6,
    decoder_layers: int = 6,
    heads: Sequence[int] = (1,),
    head_size: Sequence[int] = (64,),
    filters: Sequence[int] = (1536,),
    kernel: Sequence[int] = (3,),
    predictor_filters: Sequence[int] = (256,),
    predictor_layers: Sequence[int] = (2,),
    predictor_kernel: Sequence[int] = (3,),
    embedding_kernel: Sequence[int] = (3,),
    formants: int = 1,
    dropout: float = 0.1,
    max_frames: int = 4096,
    isolate: bool = True,
    seed: int = 0,
) -> Tuple[nn.Module, Dict[str, Union[List[str], Dict[str, str]]]]:
    """The model with seeded weights, and the names of its inputs and outputs. The defaults are the published sizes.

    `heads`, `head_size`, `filters` and `kernel` have one value, or one each for encoder and decoder; those of the
    predictors one, or one each for duration, pitch and energy; `embedding_kernel` one, or one each for pitch and
    energy. `max_frames` bounds the tokens and the frames of a sample; frames beyond are cut off.
    With `isolate` false a sentence depends on what it is batched with, as published.
    """
    stacks = [
        each(*item, 2)
        for item in (("heads", heads), ("head_size", head_size), ("filters", filters), ("kernel", kernel))
    ]
    embedding_kernels = each("embedding_kernel", embedding_kernel, 2)
    predictors = [
        each(*item, 3)
        for item in (
            ("predictor_layers", predictor_layers),
            ("predictor_filters", predictor_filters),
            ("predictor_kernel", predictor_kernel),
        )
    ]
    odd = [*stacks[3], *embedding_kernels, *predictors[2]]
    if channels % 2 != 0 or any(size % 2 != 1 for size in odd):
        raise ValueError(f"channels must be even and kernels odd, not {channels} and {odd}")
    encoder, decoder = (
        StackSizes(layers, *sizes) for layers, *sizes in zip((encoder_layers, decoder_layers), *stacks)
    )
    model = FastPitch(
        symbols, mels, channels, encoder, decoder, [PredictorSizes(*sizes) for sizes in zip(*predictors)],
        embedding_kernels, formants, dropout, max_frames, isolate,
    )  # fmt: skip
    initialise(model, seed)
    names = {"inputs": ["INPUT__0"], "outputs": [f"OUTPUT__{index}" for index in range(5)]}
    return model, {**names, "lengths": {"OUTPUT__0": "OUTPUT__1"}}
