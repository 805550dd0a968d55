"""Temporal Fusion Transformer, written from Lim, Arik, Loeff, Pfister 2019, arXiv:1912.09363.

Equation numbers below are the paper's. Inputs are the eight tensors of the published deployment, in its order;
the output is target__0 [batch, hours of the forecast, quantiles]. A group of features without any variable comes as a
tensor of ones [batch, 1] and is not read; id__7 is never read.
"""

from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

import torch
from torch import nn

from .layout import ENCODER_LENGTH, EXAMPLE_LENGTH, QUANTILES, layout_of

INPUTS = ["s_cat__0", "s_cont__1", "k_cat__2", "k_cont__3", "o_cat__4", "o_cont__5", "target__6", "id__7"]

#: Added to what attention may not see; far below any score, and inside float16 as the ONNX converter has it.
MASKED = -5_000.0

#: Added to the variance in the published network, LayerNorm's own epsilon.
PUBLISHED_EPSILON = 1e-3

#: What the exported files hold. ONNX Runtime takes this value whatever a float16 file says: its fusion of
#: normalisations reads float32 only.
NORM_EPSILON = 1e-5

#: Normalising x * NORM_SCALE under NORM_EPSILON is normalising x under PUBLISHED_EPSILON.
NORM_SCALE = (NORM_EPSILON / PUBLISHED_EPSILON) ** 0.5


class GatedLinearUnit(nn.Module):
    """Equation 5: sigmoid(W4 x + b4) * (W5 x + b5), both in one product, W5 first as in the published network."""

    def __init__(self, in_size: int, out_size: int, dropout: float) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.out_size = out_size
        self.both = nn.Linear(in_size, 2 * out_size)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        # Sizes by number, not as a share: an exported file then has no arithmetic on shapes.
        value, gate = self.both(self.dropout(x)).split([self.out_size, self.out_size], dim=-1)
        return torch.sigmoid(gate) * value


class GateAddNorm(nn.Module):
    """LayerNorm(skip + GLU(x)), as around the LSTM, the attention and the feed-forward layer (17, 20, 22).

    A single value is not normalised: it would always be the bias.
    """

    def __init__(self, in_size: int, out_size: int, dropout: float) -> None:
        super().__init__()
        self.gate = GatedLinearUnit(in_size, out_size, dropout)
        self.scale = NORM_SCALE
        self.norm: Optional[nn.LayerNorm] = nn.LayerNorm(out_size, eps=NORM_EPSILON) if out_size > 1 else None

    def forward(self, x: torch.Tensor, skip: torch.Tensor) -> torch.Tensor:
        added = skip + self.gate(x)
        return added if self.norm is None else self.norm(added * self.scale)


class GatedResidualNetwork(nn.Module):
    """Equations 2 to 4. Where sizes differ, the residual goes through a linear layer."""

    def __init__(
        self, in_size: int, hidden_size: int, out_size: int, dropout: float, has_context: bool
    ) -> None:
        super().__init__()
        self.first = nn.Linear(in_size, hidden_size)
        self.context: Optional[nn.Linear] = (
            nn.Linear(hidden_size, hidden_size, bias=False) if has_context else None
        )
        self.elu = nn.ELU()
        self.second = nn.Linear(hidden_size, hidden_size)
        self.gate = GateAddNorm(hidden_size, out_size, dropout)
        self.skip: Optional[nn.Linear] = nn.Linear(in_size, out_size) if in_size != out_size else None

    def forward(self, x: torch.Tensor, context: Optional[torch.Tensor] = None) -> torch.Tensor:
        hidden = self.first(x)
        if self.context is not None and context is not None:
            hidden = hidden + self.context(context)
        hidden = self.second(self.elu(hidden))
        return self.gate(hidden, x if self.skip is None else self.skip(x))


class VariableSelection(nn.Module):
    """Equations 6 to 8: [..., variables, hidden] -> [..., hidden], a weighted sum of the variables."""

    def __init__(self, variables: int, hidden_size: int, dropout: float, has_context: bool) -> None:
        super().__init__()
        self.weights = GatedResidualNetwork(
            variables * hidden_size, hidden_size, variables, dropout, has_context
        )
        self.each = nn.ModuleList(
            [
                GatedResidualNetwork(hidden_size, hidden_size, hidden_size, dropout, has_context=False)
                for _ in range(variables)
            ]
        )

    def forward(self, x: torch.Tensor, context: Optional[torch.Tensor] = None) -> torch.Tensor:
        weights = torch.softmax(self.weights(x.flatten(-2), context), dim=-1)
        transformed = torch.stack([grn(x[..., i, :]) for i, grn in enumerate(self.each)], dim=-1)
        return (transformed * weights.unsqueeze(-2)).sum(dim=-1)


class Variables(NamedTuple):
    """Number of categories of each categorical variable, and number of real variables."""

    categories: Sequence[int]
    reals: int

    @property
    def total(self) -> int:
        return len(self.categories) + self.reals


class Embedding(nn.Module):
    """A vector for each category, and a linear map of each real value: [..., variables, hidden]."""

    def __init__(self, variables: Variables, hidden_size: int) -> None:
        super().__init__()
        self.tables = nn.ModuleList([nn.Embedding(count, hidden_size) for count in variables.categories])
        self.reals = variables.reals
        self.weight = nn.Parameter(torch.empty(variables.reals, hidden_size))
        self.bias = nn.Parameter(torch.zeros(variables.reals, hidden_size))
        if variables.reals > 0:
            nn.init.xavier_normal_(self.weight)

    def forward(self, categories: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        parts = [table(categories[..., i]) for i, table in enumerate(self.tables)]
        found: List[torch.Tensor] = []
        if len(parts) > 0:
            found.append(torch.stack(parts, dim=-2))
        if self.reals > 0:
            found.append(values.unsqueeze(-1) * self.weight + self.bias)
        return torch.cat(found, dim=-2)


class InterpretableAttention(nn.Module):
    """Equations 13 to 16: heads have queries and keys of their own and share the values; their mean is projected.

    Only the hours of the forecast ask, as no other answer is used; hour t sees the hours up to t.
    """

    mask: torch.Tensor

    def __init__(self, hidden_size: int, heads: int, hours: int, asking: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.head_size = hidden_size // heads
        self.hours = hours
        self.asking = asking
        self.queries = nn.Linear(hidden_size, hidden_size, bias=False)
        self.keys = nn.Linear(hidden_size, hidden_size, bias=False)
        self.values = nn.Linear(hidden_size, self.head_size, bias=False)
        self.project = nn.Linear(self.head_size, hidden_size, bias=False)
        self.dropout = nn.Dropout(dropout)
        later = torch.ones(hours, hours, dtype=torch.bool).triu(diagonal=1)[hours - asking :]
        self.register_buffer("mask", torch.zeros(asking, hours).masked_fill(later, MASKED), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[batch, hours, hidden] -> [batch, asking, hidden]."""
        queries = self.queries(x[:, -self.asking :]).reshape(-1, self.asking, self.heads, self.head_size)
        keys = self.keys(x).reshape(-1, self.hours, self.heads, self.head_size)
        # Scaled before the product, which stays small in float16 then.
        scores = torch.matmul(queries.transpose(1, 2) * self.head_size**-0.5, keys.permute(0, 2, 3, 1))
        shares = self.dropout(torch.softmax(scores + self.mask, dim=-1))
        return self.project(torch.matmul(shares.mean(dim=1), self.values(x)))


class TemporalFusionTransformer(nn.Module):
    """`known`: variables whose future is known; `observed`: those whose past is, beside the targets.

    `hours`: of a sample; `past`: of its part before the forecast.
    """

    def __init__(
        self,
        static: Variables,
        known: Variables,
        observed: Variables,
        hidden_size: int,
        heads: int,
        dropout: float,
        attention_dropout: float,
        quantiles: int,
        targets: int = 1,
        hours: int = EXAMPLE_LENGTH,
        past: int = ENCODER_LENGTH,
    ) -> None:
        super().__init__()
        size = hidden_size
        self.size = size
        self.hours = hours
        self.past = past
        self.embed_static = Embedding(static, size)
        self.embed_known = Embedding(known, size)
        self.embed_observed = Embedding(observed, size) if observed.total > 0 else None
        self.embed_target = Embedding(Variables((), targets), size)
        self.select_static = VariableSelection(static.total, size, dropout, has_context=False)
        # Its variables: observed, known, target.
        self.select_past = VariableSelection(
            observed.total + known.total + targets, size, dropout, has_context=True
        )
        self.select_future = VariableSelection(known.total, size, dropout, has_context=True)
        # What the static variables say to the selection, to both states of the LSTM, to the enrichment: c_s, c_h,
        # c_c, c_e.
        self.selection_context = GatedResidualNetwork(size, size, size, dropout, has_context=False)
        self.hidden_context = GatedResidualNetwork(size, size, size, dropout, has_context=False)
        self.cell_context = GatedResidualNetwork(size, size, size, dropout, has_context=False)
        self.enrichment_context = GatedResidualNetwork(size, size, size, dropout, has_context=False)
        self.encoder = nn.LSTM(size, size, batch_first=True)
        self.decoder = nn.LSTM(size, size, batch_first=True)
        self.lstm_gate = GateAddNorm(size, size, dropout)
        self.enrichment = GatedResidualNetwork(size, size, size, dropout, has_context=True)
        self.attention = InterpretableAttention(size, heads, hours, hours - past, attention_dropout)
        self.attention_gate = GateAddNorm(size, size, dropout)
        self.feed_forward = GatedResidualNetwork(size, size, size, dropout, has_context=False)
        self.feed_forward_gate = GateAddNorm(size, size, dropout)
        self.quantiles = nn.Linear(size, quantiles)

    def forward(
        self,
        s_cat: torch.Tensor,
        s_cont: torch.Tensor,
        k_cat: torch.Tensor,
        k_cont: torch.Tensor,
        o_cat: torch.Tensor,
        o_cont: torch.Tensor,
        target: torch.Tensor,
        series_id: torch.Tensor,
    ) -> torch.Tensor:
        """Scaled values; of the target and of what is observed, only the hours before the forecast are read."""
        del series_id
        # A static variable has the same value in every hour.
        static = self.select_static(self.embed_static(s_cat[:, 0], s_cont[:, 0]))
        known = self.embed_known(k_cat, k_cont)
        history = [known[:, : self.past], self.embed_target(o_cat, target[:, : self.past])]
        if self.embed_observed is not None:
            history.insert(0, self.embed_observed(o_cat[:, : self.past], o_cont[:, : self.past]))
        selecting = self.selection_context(static).unsqueeze(1)
        past = self.select_past(torch.cat(history, dim=-2), selecting)
        future = self.select_future(known[:, self.past :], selecting)
        state = (self.hidden_context(static).unsqueeze(0), self.cell_context(static).unsqueeze(0))
        encoded, state = self.encoder(past, state)
        decoded, _ = self.decoder(future, state)
        # Rows of all samples: a reshape keeps ONNX Runtime from carrying the LSTM's transposes into the products that
        # follow, where its version 1.31 crashes in float16.
        joined = torch.cat([encoded, decoded], dim=1).flatten(0, 1)
        local = self.lstm_gate(joined, torch.cat([past, future], dim=1).flatten(0, 1))
        local = local.reshape(-1, self.hours, self.size)
        enriched = self.enrichment(local, self.enrichment_context(static).unsqueeze(1))
        attended = self.attention_gate(self.attention(enriched), enriched[:, self.past :])
        result = self.feed_forward_gate(self.feed_forward(attended), local[:, self.past :])
        return self.quantiles(result)


def get_model(
    data_set: str = "electricity",
    series: int = 0,
    hidden_size: int = 128,
    heads: int = 4,
    dropout: float = -1.0,
    attention_dropout: float = 0.0,
    seed: int = 0,
) -> Tuple[nn.Module, Dict[str, List[str]]]:
    """The model of a data set with seeded weights, and the names of its inputs and outputs.

    `series` 0 and a `dropout` below 0 are those of the published configuration. Raises ValueError when `heads` does
    not divide `hidden_size`.
    """
    if heads < 1 or hidden_size % heads != 0:
        raise ValueError(f"heads ({heads}) must divide hidden_size ({hidden_size})")
    layout = layout_of(data_set)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = TemporalFusionTransformer(
            static=Variables([series or layout.series] * len(layout.static_categories), 0),
            known=Variables((), len(layout.known)),
            observed=Variables((), 0),
            hidden_size=hidden_size,
            heads=heads,
            dropout=layout.dropout if dropout < 0 else dropout,
            attention_dropout=attention_dropout,
            quantiles=len(QUANTILES),
        )
    return model, {"inputs": INPUTS, "outputs": ["target__0"]}
