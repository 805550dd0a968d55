import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { LoadPoint } from '../../main/contract/measured/results';
import type { RunSpec } from '../../main/contract/run/run-spec';
import type { ChangePlan } from '../../main/contract/run/spec-tools';
import { homeLayout } from '../../main/platform/layout';
import { readJournal } from '../../main/store/journal';
import { runFolder } from '../../main/store/run-folder';
import { takesAll } from '../support/campaign';
import { cli, documentOf, type RunDocument, startCli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { littleQueueDelayUs } from '../support/little-model';
import { parseCsv } from '../support/parse-csv';

let home: TestHome;
beforeAll(async () => {
  home = await createTestHome();
});
afterAll(() => home.remove());

const short = [
  '--set',
  'performance.maxTrials=3',
  '--set',
  'performance.warmupMs=200',
  '--measurement-interval-ms',
  '300',
];
// A model that waits leaves the processors to the tests beside it.
const quick = [
  ...['run', 'resnet50', '--profile', 'quick', '--json', ...short],
  ...['--max-queue-delay-us', littleQueueDelayUs],
];

function metric(document: RunDocument, name: string) {
  const found = document.accuracy?.metrics.find((entry) => entry.name === name);
  if (found === undefined) throw new Error(`no metric ${name}`);
  return found;
}

async function journalPoints(document: RunDocument, scenario: string): Promise<LoadPoint[]> {
  const { entries } = await readJournal(runFolder(document.dir).journal);
  return entries.flatMap((entry) =>
    entry.type === 'measurement' && entry.scenario === scenario ? [entry.point] : [],
  );
}

let first: RunDocument;

describe('run resnet50 --profile quick on the real Triton', () => {
  it('goes from model code to a report', async () => {
    // Triton's processor share is read once per second: on a busy machine a level of 0.9 s may have none.
    const levels = ['--batch-sizes', '1,2', '--concurrency', '1,2', '--measurement-interval-ms', '500'];
    const result = await cli(home.path, ...quick, ...levels);
    expect(result.stderr).not.toContain('✗');
    expect(result.code).toBe(0);
    first = documentOf(result);
    expect(first.status).toBe('done');
    expect(first.accuracy?.passed).toBe(true);
    expect(metric(first, 'top1').framework).toBeGreaterThanOrEqual(0.9);
    expect(metric(first, 'top1').triton).toBeGreaterThanOrEqual(0.9);
    expect(first.accuracy?.outputs[0]?.maxAbsDiff).toBeLessThan(1e-3);
    expect(first.offline.map((point) => point.batchSize)).toEqual([1, 2]);
    expect(first.online.map((point) => point.concurrency)).toEqual([1, 2]);
    for (const point of [...first.offline, ...first.online]) {
      expect(point.inferencesPerSecond).toBeGreaterThan(0);
      expect(point.requestCount).toBeGreaterThan(0);
      expect(point.errorCount).toBe(0);
      expect(point.serverComputeInferUs).toBeGreaterThan(0);
      expect(point.serverCpuShare).toBeGreaterThan(0);
      expect(point.serverCpuShare).toBeLessThanOrEqual(1);
      expect(point.p99Us).toBeGreaterThanOrEqual(point.p50Us ?? NaN);
    }
  });

  it('reports exactly what the journal holds', async () => {
    const file = (kind: string) => first.reports.find((report) => report.kind === kind)?.path ?? '';
    expect((await readFile(file('pdf'))).subarray(0, 5).toString()).toBe('%PDF-');
    for (const scenario of ['offline', 'online'] as const) {
      const points = await journalPoints(first, scenario);
      expect(points).toEqual(first[scenario]);
      const [header, ...rows] = parseCsv(await readFile(file(`csv-${scenario}`), 'utf8'));
      const column = (name: string) => rows.map((row) => Number(row[header?.indexOf(name) ?? -1]));
      const rounded = (values: readonly (number | null)[]) =>
        values.map((value) => Number(((value ?? NaN) / 1000).toFixed(3)));
      expect(column('p99 latency (ms)')).toEqual(rounded(points.map((point) => point.p99Us)));
      expect(column('avg latency (ms)')).toEqual(rounded(points.map((point) => point.avgUs)));
      expect(column('Batch')).toEqual(points.map((point) => point.batchSize));
    }
  });

  it('records the cold start once, before its accuracy check', async () => {
    const { entries } = await readJournal(runFolder(first.dir).journal);
    const found = entries.filter(({ type }) => type === 'cold-start');
    const [cold] = entries.flatMap((entry) => (entry.type === 'cold-start' ? [entry.coldStart] : []));
    expect(found).toHaveLength(1);
    expect(cold?.requests.map(({ batchSize }) => batchSize)).toEqual([1, 2]);
    expect(cold?.requests.every(({ firstUs }) => firstUs !== null)).toBe(true);
    expect(cold?.readyUs).toBe((cold?.startUs ?? NaN) + (cold?.loadUs ?? NaN));
    const accuracy = entries.find(({ type }) => type === 'accuracy');
    expect(found[0]?.seq).toBeLessThan(accuracy?.seq ?? NaN);
    const file = first.reports.find(({ kind }) => kind === 'csv-cold-start')?.path ?? '';
    expect(parseCsv(await readFile(file, 'utf8'))).toHaveLength(3);
  });

  it('repeats nothing when a finished run is resumed', async () => {
    const before = await journalPoints(first, 'offline');
    const result = await cli(home.path, 'resume', first.runId, '--json');
    expect(result.code).toBe(0);
    const again = documentOf(result);
    expect(again.steps.filter((step) => step.skippedBecause === 'unchanged')).toHaveLength(9);
    expect(await journalPoints(again, 'offline')).toEqual(before);
    expect(again.offline).toEqual(first.offline);
  });

  const some = [['ts-script', 'fp32', 'perf_analyzer', 'grpc']] as const;
  const others = [
    ['ts-trace', 'fp16', 'native', 'http'],
    ['ts-trace', 'fp32', 'native', 'http'],
    ['onnx', 'fp16', 'native', 'grpc'],
    ['ts-trace', 'fp16', 'native', 'grpc'],
  ] as const;

  it.each(takesAll ? [...some, ...others] : some)(
    '%s %s measured by %s over %s',
    async (format, precision, tool, protocol) => {
      const result = await cli(
        home.path,
        ...quick,
        ...['--format', format, '--precision', precision, '--load-tool', tool, '--protocol', protocol],
        ...['--batch-sizes', '2', '--concurrency', '2'],
        // perf_analyzer is asked again where a window held too few requests.
        ...(tool === 'perf_analyzer' ? ['--measurement-interval-ms', '1000'] : []),
      );
      expect(result.stderr).not.toContain('✗');
      expect(result.code).toBe(0);
      const document = documentOf(result);
      expect(metric(document, 'top1').triton).toBeGreaterThanOrEqual(0.9);
      expect(metric(document, 'top1').framework).toBeGreaterThanOrEqual(0.9);
      const difference = document.accuracy?.outputs[0]?.maxAbsDiff;
      if (precision === 'fp16') expect(difference).toBeGreaterThan(0);
      expect(difference).toBeLessThan(1);
      const points = [...document.offline, ...document.online];
      expect(points).toHaveLength(2);
      for (const point of points) {
        expect(point).toMatchObject({ loadTool: tool, protocol, errorCount: 0 });
        expect(point.inferencesPerSecond).toBeGreaterThan(0);
        expect(point.serverComputeInferUs).toBeGreaterThan(0);
      }
      // The data set and the weights are those of the first run.
      expect(document.steps[0]?.skippedBecause).toBe('cached');
    },
  );

  it('forms batches in Triton when many requests wait, in levels that are measured in turns', async () => {
    const result = await cli(
      home.path,
      ...quick,
      ...['--batch-sizes', '1', '--concurrency', '1,16', '--max-queue-delay-us', '2000', '--in-turns'],
    );
    expect(result.code).toBe(0);
    const document = documentOf(result);
    expect(document.online[1]?.meanServerBatch).toBeGreaterThan(1.5);
    // A single level has nobody to take turns with.
    expect((await journalPoints(document, 'offline')).map(({ turns }) => turns)).toEqual([undefined]);
    const online = await journalPoints(document, 'online');
    expect(online.map(({ concurrency, turns }) => [concurrency, turns])).toEqual([
      [1, 3],
      [16, 3],
    ]);
    const log = await readFile(runFolder(document.dir).log('online'), 'utf8');
    expect([...log.matchAll(/concurrency (\d+): .*, round (\d)$/gm)].map(([, ...found]) => found)).toEqual([
      ...[
        ['1', '1'],
        ['16', '1'],
        ['1', '2'],
        ['16', '2'],
      ],
    ]);
  });
});

const folderOf = (runId: string) => runFolder(join(homeLayout(home.path).runs, runId));
const entriesOf = async (runId: string) => (await readJournal(folderOf(runId).journal)).entries;
const measuredIn = async (runId: string): Promise<number> =>
  (await entriesOf(runId)).filter(({ type }) => type === 'measurement').length;
const specFile = async (runId: string) => parse(await readFile(folderOf(runId).spec, 'utf8')) as RunSpec;

const set = (...assignments: readonly string[]) => assignments.flatMap((text) => ['--set', text]);
const levels = (batchSizes: string, concurrency: string) =>
  set(`performance.batchSizes=[${batchSizes}]`, `performance.concurrency=[${concurrency}]`);
/** Those that were begun in the last attempt, in order. */
async function begun(runId: string): Promise<readonly string[]> {
  const entries = await entriesOf(runId);
  const from = entries.findLastIndex(({ type }) => type === 'run-started');
  return entries.slice(from).flatMap((entry) => (entry.type === 'step-started' ? [entry.step] : []));
}

describe('a run whose specification is changed from the command line', () => {
  let runId = '';
  beforeAll(() => {
    ({ runId } = first);
  });

  it('lists what a change would do, and changes nothing', async () => {
    const before = await readFile(folderOf(runId).journal, 'utf8');
    const result = await cli(home.path, 'resume', runId, ...levels('1,4', '1,2,4'), '--dry-run', '--json');
    expect(result.code).toBe(0);
    const plan = JSON.parse(result.stdout) as ChangePlan;
    expect(plan).toEqual({
      changed: [
        { path: 'performance.batchSizes', from: [1, 2], to: [1, 4] },
        { path: 'performance.concurrency', from: [1, 2], to: [1, 2, 4] },
      ],
      // A batch size that is new is compared with the framework before it is measured.
      steps: ['deploy', 'accuracy', 'offline', 'online', 'report'],
      measured: 4,
      kept: 3,
      keptLevels: [
        { scenario: 'offline', batchSize: 1, concurrency: 1 },
        { scenario: 'online', batchSize: 1, concurrency: 1 },
        { scenario: 'online', batchSize: 1, concurrency: 2 },
      ],
    });
    expect(await readFile(folderOf(runId).journal, 'utf8')).toBe(before);
  });

  it('measures new levels only, and leaves every step that does not depend on them', async () => {
    const result = await cli(home.path, 'resume', runId, ...levels('1,4', '1,2,4'), '--json');
    expect(result.stderr).toContain('Changed: performance.batchSizes: 1, 2 → 1, 4');
    expect(result.stderr).toContain('Measurements kept: 3');
    expect(result.code).toBe(0);
    const changed = documentOf(result);
    expect(await begun(runId)).toEqual(['deploy', 'accuracy', 'offline', 'online', 'report']);
    expect(changed.offline.map(({ batchSize }) => batchSize)).toEqual([1, 4]);
    expect(changed.online.map(({ concurrency }) => concurrency)).toEqual([1, 2, 4]);
    expect(changed.offline[0]).toEqual(first.offline[0]);
    expect(changed.online.slice(0, 2)).toEqual(first.online);
    expect(changed.accuracy?.outputs).toEqual(first.accuracy?.outputs);
    expect(changed.accuracy?.passed).toBe(true);
    expect(await measuredIn(runId)).toBe(6);
    expect((await specFile(runId)).performance).toMatchObject({ batchSizes: [1, 4], concurrency: [1, 2, 4] });
    expect(changed.specChanges).toHaveLength(1);
    const shown = await cli(home.path, 'show', runId);
    expect(shown.stdout).toMatch(/Specification changed at .*: performance\.batchSizes: 1, 2 → 1, 4/);
    const html = changed.reports.find(({ kind }) => kind === 'html')?.path ?? '';
    expect(await readFile(html, 'utf8')).toContain('performance.batchSizes: 1, 2 → 1, 4');
  });

  it('takes levels of an earlier specification again when they are asked for again', async () => {
    const result = await cli(home.path, 'resume', runId, ...levels('1,2', '1,2'), '--json');
    const back = documentOf(result);
    expect(back.offline).toEqual(first.offline);
    expect(back.online).toEqual(first.online);
    expect(await measuredIn(runId)).toBe(6);
  });

  it('ends the same when it is killed right after the change', async () => {
    const started = startCli(home.path, [
      'resume',
      runId,
      ...set('performance.batchSizes=[2,4,8]'),
      '--json',
    ]);
    await started.line(/^Measurements kept: /);
    started.child.kill('SIGKILL');
    await started.result;
    // As if the kill had come before the file was written.
    await writeFile(folderOf(runId).spec, 'version: 1\n');
    expect((await cli(home.path, 'show', runId)).stdout).toContain(`${runId}: interrupted`);
    const result = await cli(home.path, 'resume', runId, '--json');
    expect(result.code).toBe(0);
    const document = documentOf(result);
    expect(document.offline.map(({ batchSize }) => batchSize)).toEqual([2, 4, 8]);
    expect(document.offline[0]).toEqual(first.offline[1]);
    expect(await measuredIn(runId)).toBe(7);
    expect((await specFile(runId)).performance.batchSizes).toEqual([2, 4, 8]);
  });

  it('converts and does all that depends on it again for another precision', async () => {
    const change = ['precision=fp16', 'performance.batchSizes=1,2', 'performance.requestCount=20'];
    const result = await cli(home.path, 'resume', runId, ...set(...change), '--json');
    expect(result.stderr).not.toContain('✗');
    const document = documentOf(result);
    expect(await begun(runId)).toEqual([
      ...['convert', 'configure', 'deploy', 'accuracy', 'profile-data', 'offline', 'online', 'report'],
    ]);
    expect(document.accuracy?.outputs[0]?.maxAbsDiff).not.toBe(first.accuracy?.outputs[0]?.maxAbsDiff);
    // None of another precision is among them.
    expect(document.offline.map(({ batchSize }) => batchSize)).toEqual([1, 2]);
    expect(await measuredIn(runId)).toBe(7 + 4);
    expect(document.specChanges).toHaveLength(4);
  });

  it('measures the level of the answer again, longer, and reports it', async () => {
    const before = documentOf(await cli(home.path, 'show', runId, '--json'));
    expect(before.answer?.text).toContain('p99 is based on only 20 requests');
    const result = await cli(home.path, 'resume', runId, '--again', '--json');
    expect(result.stderr).toMatch(/Measured again, longer:\n.* in windows 35 times as long/);
    expect(result.code).toBe(0);
    const after = documentOf(result);
    const steps = await begun(runId);
    expect(steps).toEqual(expect.arrayContaining(['deploy', 'report']));
    expect(steps).not.toContain('accuracy');
    expect(await measuredIn(runId)).toBe(11 + 1);
    const points = [...after.offline, ...after.online];
    expect(points.filter(({ longer }) => longer === 35)).toMatchObject([{ requestCount: 700 }]);
    const kept = [...before.offline, ...before.online].filter(
      (point) => !points.some((other) => other.longer === 35 && other.batchSize === point.batchSize),
    );
    expect(points).toEqual(expect.arrayContaining(kept));
    const html = after.reports.find(({ kind }) => kind === 'html')?.path ?? '';
    expect(await readFile(html, 'utf8')).toContain('measured again, windows 35 times as long');
  });

  if (takesAll) {
    it('measures levels in turns once it is asked to, and again in turns', async () => {
      // Longer windows are up to 64 times as long.
      const windows = ['performance.requestCount=0', 'performance.measurementIntervalMs=100'];
      const change = set(...windows, 'performance.inTurns=true');
      const result = await cli(home.path, 'resume', runId, ...change, '--json');
      expect(result.code).toBe(0);
      const { offline, online } = documentOf(result);
      expect([...offline, ...online].map(({ turns }) => turns)).toEqual([3, 3, 3, 3]);
      const before = await measuredIn(runId);
      const again = await cli(home.path, 'resume', runId, '--again', '--json');
      expect(again.code).toBe(0);
      const after = documentOf(again);
      const longer = [...after.offline, ...after.online].filter((point) => point.longer !== undefined);
      expect(await measuredIn(runId)).toBe(before + longer.length);
      expect(longer.map(({ turns }) => turns)).toEqual(longer.map(() => 3));
      expect(longer.length).toBeGreaterThan(0);
    });
  }

  it('is not changed to another model, to nonsense, or while it is worked on', async () => {
    const before = await readFile(folderOf(runId).journal, 'utf8');
    const refused = async (assignment: string) => {
      const result = await cli(home.path, 'resume', runId, ...set(assignment), '--json');
      expect(result.code).not.toBe(0);
      return (JSON.parse(result.stdout) as { error: { code: string; where?: string; remedy?: string } })
        .error;
    };
    expect(await refused('model.preset=bert')).toMatchObject({
      code: 'input-invalid',
      where: 'model.preset',
      remedy: 'Start a new run for another model.',
    });
    expect(await refused('performance.batchSizes=[0]')).toMatchObject({ code: 'spec-invalid' });
    expect(await refused('performance.batchSizes=[1024]')).toMatchObject({ code: 'spec-invalid' });
    expect(await refused('nonsense')).toMatchObject({ code: 'input-invalid', where: '--set' });
    expect(await readFile(folderOf(runId).journal, 'utf8')).toBe(before);

    const working = startCli(home.path, ['resume', runId, ...set('performance.warmupMs=300'), '--json']);
    await working.line(/^Measurements kept: 0/);
    expect(await refused('performance.repeats=2')).toMatchObject({ code: 'run-busy' });
    working.child.kill('SIGINT');
    await working.result;
  });
});
