import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { RequestHeader } from '../contract/address';
import type { CoreEvent } from '../contract/api';
import { toWire } from '../contract/errors';
import {
  type Alert,
  type AlertRule,
  alertRuleSchema,
  defaultRules,
  type MonitorSample,
  type MonitorState,
  type MonitorTarget,
  monitorTargetSchema,
  type ProbeSettings,
  watchedName,
} from '../contract/monitor/monitor';
import { MonitorHistory } from '../contract/monitor/monitor-history';
import type { HostReach } from '../engine/docker-over-ssh/host-reach';
import { writeFileAtomic } from '../platform/files';
import { jsonOrNull } from '../platform/parse-json';
import { judgeAlerts, judgedRules, unjudgedRules } from './alerts';
import { type LiveSession, startLiveSession } from './live-session';
import { readMonitorTarget } from './monitor-address';
import { boundedMarkers, boundedSample } from './rates';
import { recordingHead, RecordingWriter, replayRecording } from './recording';

const mostTargets = 8;
const schema = z.object({
  recent: z.array(monitorTargetSchema).max(mostTargets),
  rules: z.array(alertRuleSchema).max(50),
});

interface MonitorSettings {
  readonly recent: readonly MonitorTarget[];
  readonly rules: readonly AlertRule[];
}

/** Missing and damaged files yield defaults. */
async function readMonitorSettings(path: string): Promise<MonitorSettings> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return schema.safeParse(jsonOrNull(text)).data ?? { recent: [], rules: defaultRules };
}

async function writeMonitorSettings(path: string, settings: MonitorSettings): Promise<void> {
  await writeFileAtomic(path, `${JSON.stringify(settings, null, 2)}\n`);
}

/** Most recent first. */
const withRecent = (targets: readonly MonitorTarget[], target: MonitorTarget): readonly MonitorTarget[] =>
  [target, ...targets.filter((known) => known.url !== target.url || known.host !== target.host)].slice(
    0,
    mostTargets,
  );

const defaultIntervalMs = 1000;

export interface MonitorSessionOptions {
  readonly settingsFile: string;
  readonly emit: (event: CoreEvent) => void;
  readonly now: () => Date;
  /** For servers seen from a host. */
  readonly reach: HostReach;
}

interface Recording {
  readonly writer: RecordingWriter;
  readonly path: string;
}

/** The current source, its samples and alerts. */
export class MonitorSession {
  readonly history = new MonitorHistory();
  private source: MonitorState['source'] = null;
  private lastSource: MonitorState['source'] = null;
  private watched: MonitorTarget | null = null;
  private session: LiveSession | null = null;
  private replaying: { readonly stop: AbortController; readonly ended: Promise<void> } | null = null;
  private probe: ProbeSettings | null = null;
  private probeProblem: string | null = null;
  private recording: Recording | null = null;
  private recordingProblem: string | null = null;
  private alerts: readonly Alert[] = [];
  /** Rules for which a sample had a figure. */
  private readonly judged = new Set<string>();
  private settings: Promise<MonitorSettings> | null = null;
  private rules: readonly AlertRule[] = [];
  /** Overrides the stored rules. */
  private givenRules: readonly AlertRule[] | null = null;
  /** Numbers of the latest start, stop or replay request, and of the latest one begun. */
  private wishes = 0;
  private begun = 0;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: MonitorSessionOptions) {}

  /** Source of the stored samples; stays after watching stops. */
  seen(): MonitorState['source'] {
    return this.source ?? this.lastSource;
  }

  /** Rules without any figure, whose silence means nothing. */
  unjudged(): readonly AlertRule[] {
    return unjudgedRules(this.inForce, this.judged);
  }

  headers: readonly RequestHeader[] = [];

  target(): MonitorTarget | null {
    return this.source?.kind === 'live' ? this.watched : null;
  }

  async state(): Promise<MonitorState> {
    const { recent } = await this.read();
    return {
      source: this.source,
      probe: this.probe,
      probeProblem: this.probeProblem,
      recording:
        this.recording === null && this.recordingProblem === null
          ? null
          : { file: this.recording?.path ?? '', problem: this.recordingProblem },
      rules: this.inForce,
      alerts: this.alerts,
      recent,
    };
  }

  /** Throws input-invalid for an invalid address. Does nothing if superseded while a host is being reached. */
  async start(
    target: MonitorTarget,
    intervalMs = defaultIntervalMs,
    headers: readonly RequestHeader[] = [],
  ): Promise<void> {
    const wish = this.nextWish();
    const address = await readMonitorTarget(target, headers, this.options.reach);
    await this.inTurn(wish, () => this.watch(target, headers, { address, intervalMs }));
  }

  /** Also cancels pending starts. */
  async stop(): Promise<void> {
    await this.inTurn(this.nextWish(), () => this.ended());
  }

  setProbe(probe: ProbeSettings | null): Promise<void> {
    this.probe = this.session === null ? null : probe;
    this.session?.setProbe(probe);
    this.changed();
    return Promise.resolve();
  }

  async setRules(rules: readonly AlertRule[]): Promise<void> {
    const settings = await this.read();
    const before = this.inForce;
    this.givenRules = null;
    this.rules = rules;
    // Alerts of rules that now look at something else are dropped.
    const isUnchanged = ({ ruleId }: Alert): boolean => {
      const now = rules.find(({ id }) => id === ruleId);
      const then = before.find(({ id }) => id === ruleId);
      return now?.enabled === true && now.metric === then?.metric && now.model === then.model;
    };
    this.alerts = this.alerts.filter(isUnchanged);
    await this.keep({ ...settings, rules });
    this.changed();
  }

  /** Until others are set; not stored. */
  judgeBy(rules: readonly AlertRule[]): void {
    this.givenRules = rules;
    this.alerts = [];
    this.judged.clear();
    this.changed();
  }

  async record(path: string): Promise<void> {
    await this.endRecording();
    const url = this.watched === null ? '' : watchedName(this.watched);
    this.recordingProblem = null;
    const writer = await RecordingWriter.create(path, recordingHead(url, this.options.now()));
    this.recording = { writer, path };
    this.changed();
  }

  async endRecording(): Promise<void> {
    const { recording } = this;
    this.recording = null;
    if (recording === null) return;
    await recording.writer.close();
    this.changed();
  }

  /** Resolves when playback has begun. */
  async replay(path: string, file: string, speed: number): Promise<{ readonly ended: Promise<void> }> {
    let ended: Promise<void> = Promise.resolve();
    await this.inTurn(this.nextWish(), async () => {
      ({ ended } = await this.play(path, file, speed));
    });
    return { ended };
  }

  close(): Promise<void> {
    return this.stop();
  }

  private nextWish(): number {
    this.wishes += 1;
    return this.wishes;
  }

  /** Serializes requests; skips superseded ones. */
  private async inTurn(wish: number, work: () => Promise<void>): Promise<void> {
    if (wish < this.begun) return;
    this.begun = wish;
    const done = this.turn.then(() => (wish < this.begun ? undefined : work()));
    this.turn = done.catch(() => undefined);
    await done;
  }

  private async watch(
    target: MonitorTarget,
    headers: readonly RequestHeader[],
    live: Pick<Parameters<typeof startLiveSession>[0], 'address' | 'intervalMs'>,
  ): Promise<void> {
    const settings = await this.read();
    await this.ended();
    this.clear();
    this.watched = target;
    // Values may be secrets: never emitted or stored.
    this.headers = headers;
    this.source = { kind: 'live', ...target, sinceMs: this.options.now().getTime() };
    this.session = startLiveSession({
      ...live,
      onSample: (sample) => this.take(sample),
      onVerdict: ({ name, version, state, reason }) =>
        this.options.emit({ type: 'monitor-verdict', model: { name, version, state, reason } }),
      onProbeProblem: (problem) => {
        if (problem === this.probeProblem) return;
        this.probeProblem = problem;
        this.changed();
      },
    });
    await this.keep({ ...settings, recent: withRecent(settings.recent, target) });
    this.changed();
  }

  private async ended(): Promise<void> {
    this.recordingProblem = null;
    const { session, replaying } = this;
    this.session = null;
    this.replaying = null;
    replaying?.stop.abort();
    await session?.close();
    await replaying?.ended.catch(() => undefined);
    await this.endRecording();
    if (this.source === null) return;
    this.lastSource = this.source;
    this.source = null;
    this.probe = null;
    this.probeProblem = null;
    this.changed();
  }

  private async play(path: string, file: string, speed: number): Promise<{ readonly ended: Promise<void> }> {
    await this.read();
    await this.ended();
    this.clear();
    const stop = new AbortController();
    const source = { kind: 'replay', file, speed, done: false, damaged: 0 } as const;
    const change = (next: { readonly done?: boolean; readonly damaged?: number }) => {
      if (this.replaying?.stop !== stop || this.source?.kind !== 'replay') return;
      this.source = { ...this.source, ...next };
      this.changed();
    };
    this.source = source;
    const ended = replayRecording({
      path,
      speed,
      signal: stop.signal,
      onSample: (sample) => this.take(sample),
      onDamaged: (damaged) => change({ damaged }),
    }).finally(() => change({ done: true }));
    // Callers await the end; the window sees the samples.
    ended.catch(() => undefined);
    this.replaying = { stop, ended };
    this.changed();
    return { ended };
  }

  private get inForce(): readonly AlertRule[] {
    return this.givenRules ?? this.rules;
  }

  private take(given: MonitorSample): void {
    // Recordings may be from elsewhere.
    const sample = boundedSample(given);
    const judged = judgeAlerts(this.alerts, this.inForce, sample);
    this.alerts = judged.alerts;
    for (const { id } of judgedRules(this.inForce, sample)) this.judged.add(id);
    const marked: MonitorSample =
      judged.markers.length === 0
        ? sample
        : { ...sample, markers: [...sample.markers, ...boundedMarkers(judged.markers)] };
    this.history.add(marked);
    const { recording } = this;
    // Alerts depend on rules, which may differ at replay.
    recording?.writer.append(sample).catch((error: unknown) => {
      if (this.recording !== recording) return;
      this.recordingProblem = toWire(error).message;
      void this.endRecording();
    });
    this.options.emit({ type: 'monitor-sample', sample: marked, alerts: this.alerts });
  }

  private clear(): void {
    this.history.clear();
    this.alerts = [];
    this.judged.clear();
    this.options.emit({ type: 'monitor-cleared' });
  }

  private async read(): Promise<MonitorSettings> {
    if (this.settings === null) {
      this.settings = readMonitorSettings(this.options.settingsFile);
      this.rules = (await this.settings).rules;
    }
    return this.settings;
  }

  private async keep(settings: MonitorSettings): Promise<void> {
    const kept = { ...settings, rules: this.rules };
    this.settings = Promise.resolve(kept);
    // A failed write must not prevent watching.
    await writeMonitorSettings(this.options.settingsFile, kept).catch(() => undefined);
  }

  private changed(): void {
    void this.state().then((state) => {
      this.options.emit({ type: 'monitor-changed', state });
    });
  }
}
