import { fileLimits } from '../contract/reader-limits';
import { type HistogramData, LatencyHistogram } from './latency-histogram';

/** Limits of a good request, microseconds; absent: none. */
export interface TokenBudgets {
  readonly ttftUs?: number | undefined;
  readonly itlUs?: number | undefined;
}

/** An interruption shorter than this does not count as a stall, however regular the other answers are. */
const shortestStallUs = 500_000;
const stallFactor = 5;

/** What the answers of one request come to, in microseconds. */
export interface RequestTokens {
  /** To the first answer with content; null: it had none, or one answer for the whole output. */
  readonly ttftUs: number | null;
  /** Between answers with content; empty for one answer. */
  readonly gapsUs: readonly number[];
  readonly stalled: boolean;
  /** From the first to the last answer. */
  readonly generatingUs: number;
}

/** @param streamed false: one answer has the whole output */
export function requestTokens(
  startUs: number,
  contentUs: readonly number[],
  streamed: boolean,
): RequestTokens {
  const first = contentUs[0];
  const gapsUs = contentUs.slice(1).map((atUs, index) => atUs - (contentUs[index] ?? atUs));
  const longest = gapsUs.reduce((most, gap) => Math.max(most, gap), 0);
  const generatingUs = (contentUs.at(-1) ?? 0) - (first ?? 0);
  const others = gapsUs.length < 2 ? 0 : (generatingUs - longest) / (gapsUs.length - 1);
  return {
    ttftUs: first === undefined || !streamed ? null : first - startUs,
    gapsUs,
    stalled: longest >= shortestStallUs && longest >= stallFactor * others,
    generatingUs,
  };
}

/** What tokens are counted for later, without the single times. */
type TimedRequest = Pick<RequestTokens, 'ttftUs' | 'generatingUs'> & {
  readonly gapsUs: { readonly length: number };
};

/** null: fewer than two tokens, or all in one answer. */
export const perTokenUs = ({ gapsUs, generatingUs }: TimedRequest, tokens: number): number | null =>
  tokens < 2 || gapsUs.length === 0 ? null : generatingUs / (tokens - 1);

/** A time that does not exist is within every budget, except the first token of a request without any. */
export function isGood(request: TimedRequest, perToken: number | null, budgets: TokenBudgets): boolean {
  const { ttftUs = Infinity, itlUs = Infinity } = budgets;
  return (request.ttftUs ?? 0) <= ttftUs && (perToken ?? 0) <= itlUs;
}

/** Tokens as one way of counting has them. */
export interface TokenTally {
  readonly tokens: number;
  readonly fewest: number;
  readonly most: number;
  readonly perToken: HistogramData;
  /** Sum of the requests' tokens per second. */
  readonly rateSum: number;
  readonly good: number;
}

/** Requests whose tokens a tokenizer counts after the window. */
interface KeptOutputs {
  readonly texts: readonly string[];
  readonly requests: readonly TimedRequest[];
}

export interface RecordedTokens {
  readonly ttft: HistogramData;
  readonly itl: HistogramData;
  readonly requests: number;
  readonly answers: number;
  readonly empty: number;
  readonly stalled: number;
  /** Requests whose tokens the server reported. */
  readonly reported: number;
  readonly byUsage: TokenTally;
  readonly byResponses: TokenTally;
  /** Of every request; absent: not kept, or the server reported tokens. */
  readonly outputs?: KeptOutputs;
  /** Absent: no tokenizer counted them. */
  readonly byTokenizer?: TokenTally;
}

class Tally {
  private tokens = 0;
  private fewest = Infinity;
  private most = 0;
  private readonly perToken = new LatencyHistogram();
  private rateSum = 0;
  private good = 0;

  clear(): void {
    this.tokens = 0;
    this.fewest = Infinity;
    this.most = 0;
    this.perToken.clear();
    this.rateSum = 0;
    this.good = 0;
  }

  add(request: TimedRequest, tokens: number, budgets: TokenBudgets): void {
    const each = perTokenUs(request, tokens);
    this.tokens += tokens;
    this.fewest = Math.min(this.fewest, tokens);
    this.most = Math.max(this.most, tokens);
    if (tokens > 0 && isGood(request, each, budgets)) this.good += 1;
    if (each === null) return;
    this.perToken.add(each);
    // All answers in one read: no time passed between them.
    if (each > 0) this.rateSum += 1e6 / each;
  }

  data(): TokenTally {
    const { tokens, most, rateSum, good } = this;
    const fewest = this.fewest === Infinity ? 0 : this.fewest;
    return { tokens, fewest, most, perToken: this.perToken.data(), rateSum, good };
  }
}

/** The outputs in place of which their tokens stay; only those of texts that were all counted. */
export function withCounts(
  { outputs, ...recorded }: RecordedTokens,
  counts: ReadonlyMap<string, number>,
  budgets: TokenBudgets,
): RecordedTokens {
  if (outputs === undefined || outputs.texts.some((text) => !counts.has(text))) return recorded;
  const tally = new Tally();
  for (const [index, request] of outputs.requests.entries())
    tally.add(request, counts.get(outputs.texts[index] ?? '') ?? 0, budgets);
  return { ...recorded, byTokenizer: tally.data() };
}

/** In bounded memory. */
class OutputKeeper {
  private texts: string[] = [];
  private requests: TimedRequest[] = [];
  private characters = 0;
  /** An output that is not kept: nothing is counted. */
  private isCut = false;

  clear(): void {
    this.texts = [];
    this.requests = [];
    this.characters = 0;
    this.isCut = false;
  }

  add({ ttftUs, generatingUs, gapsUs }: RequestTokens, text: string | null): void {
    this.characters += text?.length ?? 0;
    this.isCut ||= text === null || this.characters > fileLimits.outputTexts.characters;
    if (text === null || this.isCut) return;
    this.texts.push(text);
    this.requests.push({ ttftUs, generatingUs, gapsUs: { length: gapsUs.length } });
  }

  /** @param requests all of the window */
  data(requests: number): Pick<RecordedTokens, 'outputs'> {
    const { texts, requests: kept } = this;
    return this.isCut || texts.length < requests ? {} : { outputs: { texts, requests: kept } };
  }
}

/** Tokens of a window's requests, in constant memory but for outputs that are kept. */
export class TokenRecorder {
  private readonly outputs: OutputKeeper | null;
  private readonly ttft = new LatencyHistogram();
  private readonly itl = new LatencyHistogram();
  private readonly byUsage = new Tally();
  private readonly byResponses = new Tally();
  private counts = { requests: 0, answers: 0, empty: 0, stalled: 0, reported: 0 };

  constructor(
    private readonly streamed: boolean,
    private readonly budgets: TokenBudgets,
    keepsTexts = false,
  ) {
    this.outputs = keepsTexts ? new OutputKeeper() : null;
  }

  clear(): void {
    this.ttft.clear();
    this.itl.clear();
    this.byUsage.clear();
    this.byResponses.clear();
    this.outputs?.clear();
    this.counts = { requests: 0, answers: 0, empty: 0, stalled: 0, reported: 0 };
  }

  add(
    startUs: number,
    {
      contentUs,
      tokens = null,
      text = null,
    }: {
      readonly contentUs: readonly number[];
      readonly tokens?: number | null;
      readonly text?: string | null;
    },
  ): void {
    const { counts, budgets } = this;
    const request = requestTokens(startUs, contentUs, this.streamed);
    counts.requests += 1;
    counts.answers += contentUs.length;
    if (contentUs.length === 0) counts.empty += 1;
    if (request.stalled) counts.stalled += 1;
    if (request.ttftUs !== null) this.ttft.add(request.ttftUs);
    for (const gapUs of request.gapsUs) this.itl.add(gapUs);
    this.byResponses.add(request, contentUs.length, budgets);
    if (tokens === null) {
      this.outputs?.add(request, text);
      return;
    }
    counts.reported += 1;
    this.byUsage.add(request, tokens, budgets);
  }

  /** Structured-cloneable; shares the counts. */
  data(): RecordedTokens {
    return {
      ...this.counts,
      ttft: this.ttft.data(),
      itl: this.itl.data(),
      byUsage: this.byUsage.data(),
      byResponses: this.byResponses.data(),
      ...this.outputs?.data(this.counts.requests),
    };
  }
}
