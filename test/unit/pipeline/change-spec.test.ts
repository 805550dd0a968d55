import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type JournalBody,
  journalEntrySchema,
  scenarios,
  stepsOf,
} from '../../../main/contract/run/run-events';
import type { RunSpec } from '../../../main/contract/run/run-spec';
import { type DeployedRun, reduceRun } from '../../../main/contract/run/run-state';
import { changePlan, specChange, specOfChange } from '../../../main/pipeline/change-spec';
import { askedLevels } from '../../../main/pipeline/measure/level-keys';
import { isUnchanged, plannedSteps, stepKeys } from '../../../main/pipeline/plan';
import type { StepInputs } from '../../../main/pipeline/step';
import { steps } from '../../../main/pipeline/steps';
import { runFolder } from '../../../main/store/run-folder';
import { deployed, pointFixture, runCreated, specFixture } from '../../support/run-state';

let dir = '';
let toolkit = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'change-spec-'));
  for (const folder of ['toolkit', 'requirements', 'serving', 'model']) await mkdir(join(dir, folder));
  toolkit = join(dir, 'toolkit', 'export.py');
  await writeFile(toolkit, 'code');
});
afterAll(() => rm(dir, { recursive: true }));

/** What the keys of the real steps are made of. */
const inputsOf = (spec: RunSpec) =>
  ({
    spec,
    folder: runFolder(join(dir, 'run')),
    preset: { dir: join(dir, 'model'), preset: {} },
    services: { resources: dir, imageNames: [], gpuNames: () => Promise.resolve([]), readers: {} },
  }) as unknown as StepInputs;

/** A run in memory: the real keys and the real reducer, with steps and levels that take no time. */
class KeyedRun {
  /** Keys of levels in the order in which they were measured. */
  readonly measured: string[] = [];

  constructor(public state: DeployedRun) {}

  append(body: JournalBody): void {
    const entry = { seq: this.state.seq + 1, at: '2026-01-01T00:00:00.000Z', ...body };
    // As it is read back.
    journalEntrySchema.parse(JSON.parse(JSON.stringify(entry)));
    this.state = deployed(reduceRun(this.state, entry) ?? this.state);
  }

  async change(spec: RunSpec): Promise<void> {
    const change = await specChange(steps, this.state, inputsOf(spec));
    if (change !== null) this.append(change);
  }

  /** @param most steps that are begun before the attempt is cut. */
  async attempt(most = Infinity): Promise<this> {
    const { spec } = this.state.source;
    const own = steps.filter(({ id }) => stepsOf(spec).includes(id));
    const keys = await stepKeys(own, inputsOf(spec));
    const planned = plannedSteps(own, this.state, keys);
    this.append({ type: 'run-started', attempt: this.state.attempt + 1, pid: 1 });
    let begun = 0;
    for (const step of own) {
      const key = keys[step.id];
      if (!planned.has(step.id)) {
        const reason = isUnchanged(step, this.state, key) ? 'unchanged' : 'not-needed';
        this.append({ type: 'step-skipped', step: step.id, key, reason });
        continue;
      }
      begun += 1;
      if (begun > most) return this;
      this.append({ type: 'step-started', step: step.id, attempt: this.state.attempt, key });
      for (const scenario of scenarios.filter((id) => id === step.id)) this.sweep(spec, keys, scenario);
      const nothing = { durationUs: 1, facts: [], warnings: [] };
      this.append({ type: 'step-finished', step: step.id, key, ...nothing });
    }
    this.append({ type: 'run-finished', outcome: 'done' });
    return this;
  }

  private sweep(spec: RunSpec, keys: Awaited<ReturnType<typeof stepKeys>>, scenario: 'offline' | 'online') {
    const asked = askedLevels({ spec, keys }, null, scenario);
    const earlier = this.state.earlier[scenario].map(({ key }) => key);
    const kept = asked.filter((key) => earlier.includes(key));
    if (kept.length > 0) this.append({ type: 'levels-kept', scenario, keys: kept });
    for (const key of asked) {
      if (this.results(scenario).includes(key)) continue;
      this.measured.push(key);
      this.append({ type: 'measurement', scenario, key, point: pointFixture() });
    }
  }

  results(scenario: 'offline' | 'online'): readonly string[] {
    return this.state.scenarios[scenario].points.map(({ key }) => key).toSorted();
  }

  outcome() {
    return {
      status: this.state.status,
      spec: this.state.source.spec,
      steps: this.state.steps
        .filter(({ id }) => id !== 'deploy')
        .map(({ id, status, key }) => [id, status, key]),
      offline: this.results('offline'),
      online: this.results('online'),
    };
  }
}

const created = (spec: RunSpec) => new KeyedRun(runCreated(spec));
const changedBy = (spec: RunSpec, change: (copy: RunSpec) => void): RunSpec => {
  const copy = structuredClone(spec);
  change(copy);
  return copy;
};

const sizes = fc.uniqueArray(fc.constantFrom(1, 2, 4, 8), { minLength: 1 });
const changes: fc.Arbitrary<(spec: RunSpec) => void> = fc.oneof(
  sizes.map((list) => (spec: RunSpec) => void (spec.performance.batchSizes = list)),
  sizes.map((list) => (spec: RunSpec) => void (spec.performance.concurrency = list)),
  fc
    .constantFrom('fp32' as const, 'fp16' as const)
    .map((value) => (spec: RunSpec) => void (spec.precision = value)),
  fc.constantFrom(1, 2).map((value) => (spec: RunSpec) => void (spec.configure.instances = value)),
  fc.constantFrom(1, 2).map((value) => (spec: RunSpec) => void (spec.performance.repeats = value)),
  fc.boolean().map((value) => (spec: RunSpec) => void (spec.performance.crossCheck = value)),
  fc.constantFrom(300, 500).map((value) => (spec: RunSpec) => void (spec.performance.warmupMs = value)),
  fc.constantFrom(0.1, 0.2).map((value) => (spec: RunSpec) => void (spec.accuracy.atol = { '*': value })),
  fc
    .constantFrom(8001, 8002)
    .map((httpPort) => (spec: RunSpec) => void (spec.engine = { kind: 'local', httpPort })),
  fc
    .constantFrom('http://10.0.0.1:8000', 'http://10.0.0.2:8000')
    .map((url) => (spec: RunSpec) => void (spec.engine = { kind: 'remote', url })),
);
const moves = fc.array(fc.record({ change: changes, attempt: fc.constantFrom(0, 3, 7, Infinity) }), {
  minLength: 1,
  maxLength: 6,
});

describe('a changed specification', () => {
  it('ends, whatever changes came and wherever attempts were cut, as a fresh run of the last one', async () => {
    await fc.assert(
      fc.asyncProperty(moves, async (all) => {
        const run = await created(specFixture()).attempt();
        for (const { change, attempt } of all) {
          await run.change(changedBy(run.state.source.spec, change));
          if (attempt > 0) await run.attempt(attempt);
        }
        await run.attempt();
        const fresh = await created(run.state.source.spec).attempt();
        expect(run.outcome()).toEqual(fresh.outcome());
        // No level is measured twice, however the specification went.
        expect(new Set(run.measured).size).toBe(run.measured.length);
      }),
      { numRuns: 100 },
    );
  });

  const planOf = async (change: (spec: RunSpec) => void, before = specFixture()) => {
    const run = await created(before).attempt();
    return changePlan(
      run.state,
      await specChange(steps, run.state, inputsOf(changedBy(run.state.source.spec, change))),
    );
  };
  const toTheEnd = ['deploy', 'accuracy', 'offline', 'online', 'report'];
  const fromConvert = [
    'convert',
    'configure',
    'deploy',
    'accuracy',
    'profile-data',
    'offline',
    'online',
    'report',
  ];

  it.each<[string, (spec: RunSpec) => void, readonly string[], number]>([
    ['a deadline', (spec) => (spec.deadlines = { export: 5 }), ['report'], 12],
    ['a tolerance', (spec) => (spec.accuracy.atol = { '*': 0.5 }), toTheEnd, 12],
    ['a port', (spec) => (spec.engine = { kind: 'local', httpPort: 8001 }), ['report'], 12],
    ['a precision', (spec) => (spec.precision = 'fp32'), fromConvert, 0],
    [
      'a longer list',
      (spec) => spec.performance.batchSizes.push(32),
      ['deploy', 'offline', 'online', 'report'],
      12,
    ],
    [
      'a shorter list',
      (spec) => spec.performance.batchSizes.pop(),
      ['deploy', 'offline', 'online', 'report'],
      11,
    ],
    ['nothing', () => undefined, [], 12],
  ])('of %s repeats what depends on it', async (_, change, expected, kept) => {
    const plan = await planOf(change);
    expect(plan.steps).toEqual(expected);
    expect({ measured: plan.measured, kept: plan.kept }).toEqual({ measured: 12, kept });
  });

  it('names the measurements that are kept', async () => {
    // Every measurement of these runs has the same load.
    const level = { batchSize: pointFixture().batchSize, concurrency: pointFixture().concurrency };
    const { keptLevels } = await planOf((spec) => spec.performance.batchSizes.pop());
    expect(keptLevels).toEqual([
      ...Array.from({ length: 4 }, () => ({ scenario: 'offline', ...level })),
      ...Array.from({ length: 7 }, () => ({ scenario: 'online', ...level })),
    ]);
  });

  it('keeps nothing that another server answered', async () => {
    const at = (url: string) => (spec: RunSpec) => void (spec.engine = { kind: 'remote', url });
    const plan = await planOf(at('http://10.0.0.2:8000'), specFixture(at('http://10.0.0.1:8000')));
    expect(plan).toMatchObject({ steps: toTheEnd, measured: 12, kept: 0 });
  });

  it('shows no result of another specification, and does not lose one', async () => {
    const run = await created(specFixture()).attempt();
    const before = run.outcome();
    run.append({ type: 'report', files: [{ kind: 'json', path: 'report.json' }] });
    await run.change(changedBy(run.state.source.spec, (spec) => (spec.precision = 'fp32')));
    expect(run.state.scenarios).toEqual({
      offline: { points: [], missing: [] },
      online: { points: [], missing: [] },
    });
    expect(run.state.reports).toEqual([]);
    expect(run.state).toMatchObject({ status: 'running', accuracy: null, error: null });
    expect(run.state.specChanges.map(({ changed }) => changed)).toEqual([
      [{ path: 'precision', from: 'fp16', to: 'fp32' }],
    ]);
    await run.change(changedBy(run.state.source.spec, (spec) => (spec.precision = 'fp16')));
    expect(run.results('offline')).toEqual(before.offline);
    expect(run.results('online')).toEqual(before.online);
  });

  it('sets levels aside whose inputs changed after it was made', async () => {
    const run = await created(specFixture()).attempt();
    await run.change(changedBy(run.state.source.spec, (spec) => spec.performance.batchSizes.push(32)));
    const [kept] = [run.results('offline')];
    await writeFile(toolkit, 'other code');
    await run.attempt();
    expect(run.results('offline').filter((key) => kept.includes(key))).toEqual([]);
    expect(run.outcome()).toEqual((await created(run.state.source.spec).attempt()).outcome());
  });

  it('is refused for another model', async () => {
    const run = created(specFixture());
    const other = changedBy(run.state.source.spec, (spec) => (spec.model.preset = 'bert'));
    await expect(specChange(steps, run.state, inputsOf(other))).rejects.toMatchObject({
      code: 'input-invalid',
      where: 'model.preset',
      remedy: 'Start a new run for another model.',
    });
  });
});

describe('a run that continues on another host', () => {
  const onHost = (host: string | undefined, ...gpus: string[]): RunSpec =>
    specFixture((spec) => {
      spec.engine = { kind: 'docker', gpus, shmSizeMiB: 64, ...(host === undefined ? {} : { host }) };
    });
  const gpusOf = ({ engine }: RunSpec) => (engine.kind === 'docker' ? engine.gpus : null);
  const after = (before: RunSpec, next: RunSpec) => gpusOf(specOfChange(before, next));

  it('has its GPU chosen again, unless somebody names one', () => {
    expect(after(onHost('a', 'GPU-1'), onHost('b', 'GPU-1'))).toEqual(['idlest']);
    expect(after(onHost(undefined, 'MIG-1'), onHost('b', 'MIG-1'))).toEqual(['idlest']);
    expect(after(onHost('a', 'GPU-1'), onHost('b', 'GPU-2'))).toEqual(['GPU-2']);
    expect(after(onHost('a', 'all'), onHost('b', 'all'))).toEqual(['all']);
    expect(after(onHost('a'), onHost('b'))).toEqual([]);
    expect(after(onHost('a', 'GPU-1'), onHost('a', 'GPU-1'))).toEqual(['GPU-1']);
  });

  it('is refused with several GPUs of the other machine', () => {
    expect(() => after(onHost('a', 'GPU-1', 'GPU-2'), onHost('b', 'GPU-1', 'GPU-2'))).toThrow(
      'The GPUs of the run are those of the host a, but it would continue on the host b',
    );
  });
});
