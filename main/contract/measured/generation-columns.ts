import { type Column, count, named, rate, share, spreadColumns, text } from './column';

/** Columns of the tokens of a language model. Times are read in microseconds. */

const timeToFirstToken = spreadColumns(
  {
    id: 'ttft',
    heading: 'Time to First Token',
    title: 'TTFT',
    help: 'Time to first token: from the send of a request to its first answer with content',
  },
  ({ generation }) => generation?.timeToFirstToken,
);

const interTokenLatency = spreadColumns(
  {
    id: 'itl',
    heading: 'Inter-Token Latency',
    title: 'ITL',
    help: 'Inter-token latency: each time between two answers with content to the same request',
  },
  ({ generation }) => generation?.interTokenLatency,
);

const timePerOutputToken = spreadColumns(
  {
    id: 'tpot',
    heading: 'Time per Output Token',
    title: 'TPOT',
    help: 'Time per output token of a request: from its first to its last answer over all tokens but the first, which AIPerf calls inter-token latency',
  },
  ({ generation }) => generation?.timePerOutputToken,
);

export const tokenTimes = [timeToFirstToken, interTokenLatency, timePerOutputToken];

const countedBy: Column = {
  ...named('tokens-counted-by', 'Tokens Counted By', 'Tokens counted by', text),
  help: 'How output tokens were counted: from the usage that the server reports, by the tokenizer, or as one per response with content.',
  read: ({ generation }) => generation?.tokensCountedBy,
};

const outputTokensPerSecond: Column = {
  ...named('output-tokens', 'Output Tokens/Second', 'Output tokens/s', rate),
  help: 'Output tokens of all requests per second.',
  read: ({ generation }) => generation?.outputTokensPerSecond,
};

const rates: readonly Column[] = [
  outputTokensPerSecond,
  {
    ...named('prompt-tokens', 'Input Tokens/Request', 'Input tokens/request', rate),
    help: 'Tokens of a prompt by the tokenizer, on average, without what a chat template adds.',
    read: ({ generation }) => generation?.promptTokens?.avg,
  },
  {
    ...named('tokens-per-request', 'Output Tokens/Request', 'Tokens/request', rate),
    help: 'Output tokens of a request, on average.',
    read: ({ generation }) => generation?.tokensPerRequest?.avg,
  },
  {
    ...named(
      'tokens-per-second-of-request',
      'Output Tokens/Second per Request p50',
      'Tokens/s per request p50',
      rate,
    ),
    help: 'Output tokens per second of one request after its first token: the median of the requests.',
    read: ({ generation }) => generation?.tokensPerSecondPerRequest?.p50,
  },
];

const stalled: Column = {
  ...named('stalled-requests', 'Stalled Requests', 'Stalled', count),
  help: 'Requests with an interruption of at least half a second, five times as long as their other times between answers.',
  read: ({ generation }) => generation?.stalledRequests,
  doubtful: ({ generation }) => (generation?.stalledRequests ?? 0) > 0,
};

const goodput: readonly Column[] = [
  {
    ...named('goodput', 'Goodput (Requests/Second)', 'Goodput (requests/s)', rate),
    help: 'Requests per second whose time to first token and time per output token are within their budgets.',
    read: ({ generation }) => generation?.goodput?.requestsPerSecond,
  },
  {
    ...named('good-requests', 'Good Requests', 'Good requests', share),
    help: 'Share of the requests that are within the budgets.',
    read: ({ generation }) => generation?.goodput?.share,
  },
];

const some = (names: readonly string[], { columns }: (typeof tokenTimes)[number]) =>
  columns.filter(({ short = '' }) => names.includes(short));

/** Of a level beside its latency, in the window. */
export const mainTokenColumns: readonly Column[] = [
  ...some(['p50', 'p99'], timeToFirstToken),
  ...some(['p50', 'p99'], interTokenLatency),
  outputTokensPerSecond,
];

/** Without the times. */
export const tokenCounts: readonly Column[] = [...rates, stalled, ...goodput, countedBy];

/** For tables, which have no room for every percentile. */
export const tokenColumns: readonly Column[] = [
  ...some(['p50', 'p99'], timeToFirstToken),
  ...some(['p50', 'p99', 'max'], interTokenLatency),
  ...some(['p50', 'p99'], timePerOutputToken),
  ...tokenCounts,
];

export const tokensInFiles: readonly Column[] = [
  countedBy,
  ...rates,
  ...tokenTimes.flatMap(({ columns }) => columns),
  stalled,
  ...goodput,
];
