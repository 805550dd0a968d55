import {
  modelKey,
  type ModelSample,
  type MonitorMarker,
  type MonitorSample,
  mostModels,
} from '../contract/monitor/monitor';
import { largestOf } from '../domain/statistics';
import type { ModelStatistics } from '../triton/statistics';
import {
  afterReading,
  judgeCounters,
  judgeProbe,
  judgeServer,
  type ModelHealth,
  modelVerdict,
  noServer,
  type ProbeResult,
  shownServer,
  soundModel,
  withoutProbes,
} from './model-verdict';
import type { PollAnswer, PollFailure } from './poll';
import type { Prober } from './prober';
import { boundedModels, boundedSample, countersSince, type RateChange, ratesBetween } from './rates';

interface Read {
  readonly statistics: ReadonlyMap<string, ModelStatistics>;
  readonly atMs: number;
}

type Entry = Pick<ModelSample, 'name' | 'version'> & {
  readonly state?: string | undefined;
  readonly reason?: string | undefined;
};

/** Index and statistics: a server without a repository still has statistics. */
function allEntries(poll: PollAnswer): readonly Entry[] {
  if (poll.index !== null) return poll.index.map((entry) => ({ ...entry, version: entry.version ?? '' }));
  return (poll.statistics ?? []).map(({ name, version }) => ({ name, version, state: 'READY' }));
}

/** Merges counters, evicting the oldest. */
function countersAfter(
  before: ReadonlyMap<string, ModelStatistics>,
  read: ReadonlyMap<string, ModelStatistics>,
): ReadonlyMap<string, ModelStatistics> {
  const older = [...before].filter(([key]) => !read.has(key));
  const room = Math.max(0, mostModels - read.size);
  return new Map([...older.slice(Math.max(0, older.length - room)), ...read]);
}

/** Triton's default policy uses the newest version. */
function probedModel(models: readonly ModelSample[], { settings }: Prober): ModelSample | undefined {
  const named = models.filter(({ name }) => name === settings.model);
  if (settings.version !== '') return named.find(({ version }) => version === settings.version);
  const served = named.filter(({ state }) => state !== 'unavailable');
  const newest = largestOf(served.map(({ version }) => Number(version)));
  // Versions of other servers need not be numbers.
  return served.find(({ version }) => Number(version) === newest) ?? served.at(-1);
}

function healthAfter(
  entry: Entry,
  before: ModelHealth,
  change: RateChange | undefined,
  { statistics, readAtMs }: PollAnswer,
): ModelHealth {
  if (entry.state !== 'READY') return soundModel;
  if (change !== undefined) return judgeCounters(before, change, readAtMs);
  return statistics === null ? before : afterReading(before, readAtMs);
}

type ServerFacts = Pick<MonitorSample, 'hole' | 'gpus' | 'metricsProblem' | 'other'>;

const factsOf = ({ hole, metrics, metricsProblem }: PollAnswer): ServerFacts => ({
  hole,
  gpus: [...(metrics?.gpus ?? [])],
  metricsProblem,
  other: { ...metrics?.other },
});

const lostFacts = ({ reason }: { readonly reason: string | null }): ServerFacts => ({
  hole: reason ?? 'No answer',
  gpus: [],
  metricsProblem: reason,
  other: {},
});

/** Builds samples from polls, with state between them. */
export class SampleBuilder {
  private server = noServer;
  private before: Read | null = null;
  /** Last known counters, across gaps. */
  private lastRead: ReadonlyMap<string, ModelStatistics> = new Map();
  private models: readonly ModelSample[] = [];
  /** Models beyond the limit. */
  private unlisted = 0;
  /** Last models, to detect changes. */
  private known: readonly ModelSample[] = [];
  private readonly health = new Map<string, ModelHealth>();

  constructor(private readonly intervalMs: number) {}

  /** At first, and after the server was gone. */
  get wantsVersion(): boolean {
    return this.server.state !== 'up' || this.server.version === null;
  }

  /** Records a probe's outcome of `atMs` (monotonic); returns the model if its verdict changed. */
  probed(prober: Prober, result: ProbeResult, atMs: number): ModelSample | null {
    const model = probedModel(this.models, prober);
    if (model === undefined) return null;
    const key = modelKey(model);
    const next = judgeProbe(this.health.get(key) ?? soundModel, result, atMs);
    this.health.set(key, next);
    const triton = model.state === 'failing' ? 'ready' : model.state;
    if (triton !== 'ready') return null;
    const state = next.failing === null ? 'ready' : 'failing';
    if (state === model.state) return null;
    const changed: ModelSample = { ...model, state, reason: next.failing };
    this.models = this.models.map((one) => (one === model ? changed : one));
    return changed;
  }

  build(atMs: number, poll: PollAnswer | PollFailure, prober: Prober | null, pollMs: number): MonitorSample {
    const answer = poll.kind === 'answer' ? poll : null;
    const counters = countersSince(this.lastRead, answer?.statistics ?? []);
    const changes = answer === null ? new Map<string, RateChange>() : this.changes(answer);
    const counted = [...changes.values()];
    const allReset = counted.length > 1 ? counted.every(({ reset }) => reset) : false;
    const { verdict, markers } = judgeServer(this.server, poll, { allReset, counters });
    if (verdict.restarts > this.server.restarts) this.health.clear();
    this.server = verdict;
    const sampleMarkers = markers.map((marker) => ({ ...marker, atMs }));
    if (answer === null) this.models = this.lostModels();
    else {
      const { kept, more } = boundedModels(allEntries(answer), ({ state }) => state === 'READY');
      const models = this.readModels(kept, answer, changes, prober);
      this.unlisted = more;
      sampleMarkers.push(...this.modelMarkers(models, atMs));
      this.models = models;
    }
    const { hole, gpus, metricsProblem, other } = answer === null ? lostFacts(verdict) : factsOf(answer);
    return boundedSample({
      atMs,
      server: shownServer(verdict),
      hole,
      models: [...this.models],
      gpus,
      metricsProblem,
      other,
      markers: sampleMarkers,
      pollMs,
      intervalMs: this.intervalMs,
      ...(this.unlisted === 0 ? {} : { more: { models: this.unlisted, gpus: 0 } }),
    });
  }

  private changes(poll: PollAnswer): Map<string, RateChange> {
    const changes = new Map<string, RateChange>();
    // Rates across a gap would average unobserved time.
    const { before } = this;
    if (poll.statistics === null) {
      this.before = null;
      return changes;
    }
    const statistics = new Map(poll.statistics.map((model) => [modelKey(model), model]));
    this.before = { statistics, atMs: poll.readAtMs };
    this.lastRead = countersAfter(this.lastRead, statistics);
    if (before === null) return changes;
    const seconds = (poll.readAtMs - before.atMs) / 1000;
    for (const [key, model] of statistics) {
      const known = before.statistics.get(key);
      if (known !== undefined && seconds > 0) changes.set(key, ratesBetween(known, model, seconds));
    }
    return changes;
  }

  private readModels(
    entries: readonly Entry[],
    poll: PollAnswer,
    changes: ReadonlyMap<string, RateChange>,
    prober: Prober | null,
  ): readonly ModelSample[] {
    const listed = new Set(entries.map(modelKey));
    for (const key of this.health.keys()) if (!listed.has(key)) this.health.delete(key);
    const judged = entries.map((entry): ModelSample => {
      const key = modelKey(entry);
      const change = changes.get(key);
      const seen = this.health.get(key) ?? soundModel;
      const known = prober?.settings.model === entry.name ? seen : withoutProbes(seen);
      const health = healthAfter(entry, known, change, poll);
      this.health.set(key, health);
      return {
        name: entry.name,
        version: entry.version,
        ...modelVerdict(entry, health),
        rates: change?.rates ?? null,
        pending: poll.metrics?.pending.get(key) ?? null,
        probe: null,
      };
    });
    if (prober === null) return judged;
    const probed = probedModel(judged, prober);
    const figures = prober.figures();
    return judged.map((model) => (model === probed ? { ...model, probe: figures } : model));
  }

  /** Last known models, marked as lost. */
  private lostModels(): readonly ModelSample[] {
    this.before = null;
    return this.models.map((model) => ({
      ...model,
      state: 'unavailable',
      reason: 'The server is gone',
      rates: null,
      pending: null,
      probe: null,
    }));
  }

  private modelMarkers(models: readonly ModelSample[], atMs: number): readonly MonitorMarker[] {
    const before = new Map(this.known.map((model) => [modelKey(model), model]));
    const first = this.known.length === 0;
    this.known = models;
    if (first) return [];
    return models.flatMap((model): MonitorMarker[] => {
      const key = modelKey(model);
      const was = before.get(key)?.state ?? 'unavailable';
      const served = (state: string) => state === 'ready' || state === 'failing';
      if (!served(was) && served(model.state)) return [{ atMs, kind: 'model-loaded', text: `${key} loaded` }];
      if (served(was) && !served(model.state))
        return [{ atMs, kind: 'model-unloaded', text: `${key} unloaded` }];
      if (was === 'ready' && model.state === 'failing') {
        return [{ atMs, kind: 'model-failing', text: `${key} fails: ${model.reason ?? ''}` }];
      }
      if (was === 'failing' && model.state === 'ready') {
        return [{ atMs, kind: 'model-recovered', text: `${key} responds again` }];
      }
      return [];
    });
  }
}
