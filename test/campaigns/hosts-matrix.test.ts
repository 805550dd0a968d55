import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { JournalEntry } from '../../main/contract/run/run-events';
import type { matrixDocument } from '../../main/domain/measured/matrix';
import { homeLayout } from '../../main/platform/layout';
import { readJournal } from '../../main/store/journal';
import { runFolder } from '../../main/store/run-folder';
import type { CliResult } from '../support/cli';
import { readTestEngine } from '../support/docker';
import { parseCsv } from '../support/parse-csv';
import { type HomeWithHosts, startHomeWithHosts } from '../support/two-hosts';
import { until } from '../support/until';

type Document = ReturnType<typeof matrixDocument> & {
  readonly reports: readonly { readonly kind: string; readonly path: string }[];
};

const engine = await readTestEngine();
const hosts = ['c', 'd'];
/** Little data, hardly trained: what is measured does not matter here. */
const small = {
  profile: 'quick',
  model: { args: { train_images: '20', val_images: '4' } },
  accuracy: { thresholds: { top1: 0 } },
  performance: {
    ...{ batchSizes: [1, 2], concurrency: [1], maxTrials: 3, warmupMs: 100 },
    ...{ measurementIntervalMs: 500, stabilityPercentage: 1000 },
  },
};
const levels = 3;

const say = (text: string): void => {
  process.stdout.write(`    ${text}\n`);
};

describe.skipIf(engine === null)('a matrix over two hosts', () => {
  let two: HomeWithHosts;
  beforeAll(async () => {
    if (engine === null) return;
    two = await startHomeWithHosts(engine, [
      { name: 'c', number: 63 },
      { name: 'd', number: 64 },
    ]);
  });
  afterAll(() => two.stop());

  async function runOf(name: string, matrix: object, more: object = {}): Promise<readonly string[]> {
    const file = join(two.home.path, `${name}.yaml`);
    await writeFile(file, stringify({ name, matrix, ...small, ...more }));
    // Hosts that a file names are approved first.
    return ['run', 'resnet50', '--matrix', file, '--trust', '--json'];
  }

  const documentIn = ({ stdout, stderr }: CliResult): Document => {
    expect(stdout, stderr.slice(-3000)).not.toBe('');
    return JSON.parse(stdout) as Document;
  };
  const entriesOf = async (runId: string | null): Promise<readonly JournalEntry[]> =>
    (await readJournal(runFolder(join(homeLayout(two.home.path).runs, runId ?? '')).journal)).entries;
  /** From its first level to its last, milliseconds. */
  const measuredFrom = async (runId: string | null) => {
    const entries = await entriesOf(runId);
    const [begin, end] = [
      entries.find((entry) => entry.type === 'run-started'),
      entries.findLast((entry) => entry.type === 'measurement'),
    ].map((entry) => Date.parse(entry?.at ?? ''));
    return { begin: begin ?? NaN, end: end ?? NaN };
  };
  const keysOf = async (runId: string | null) =>
    (await entriesOf(runId)).flatMap((entry) => (entry.type === 'measurement' ? [entry.key] : []));

  it('measures on both at the same time, one run a host, and compares them by what measured', async () => {
    const run = await runOf('spread', { format: ['onnx', 'ts-trace', 'ts-script'] }, { hosts });
    const result = await two.start(run).result;
    const document = documentIn(result);
    expect([document.summary, result.code], result.stderr.slice(-3000)).toEqual(['3 of 3 runs complete', 0]);
    const by = new Map<string, Awaited<ReturnType<typeof measuredFrom>>[]>();
    for (const { host, measuredOn, runId } of document.runs) {
      expect(measuredOn).toBe(`CPU of ${host ?? ''}`);
      by.set(host ?? '', [...(by.get(host ?? '') ?? []), await measuredFrom(runId)]);
    }
    expect([...by.keys()].sort()).toEqual(hosts);
    for (const times of by.values()) {
      const [first, second] = times.sort((one, other) => one.begin - other.begin);
      if (first !== undefined && second !== undefined) expect(second.begin).toBeGreaterThan(first.end);
    }
    const [[onC], [onD]] = [by.get('c') ?? [], by.get('d') ?? []];
    // Both were under way at one moment, and neither waited for the other.
    for (const { runId } of document.runs) {
      const waits = (await entriesOf(runId)).filter((entry) => entry.type === 'run-waiting');
      expect(waits).toEqual([]);
    }
    expect(Math.max(onC?.begin ?? NaN, onD?.begin ?? NaN)).toBeLessThan(
      Math.min(onC?.end ?? NaN, onD?.end ?? NaN),
    );
    // Every line of a run says where it is from.
    expect(result.stderr).toMatch(/^\[c \d\] ✓ Export model/m);
    expect(result.stderr).toMatch(/^\[d \d\] ✓ Export model/m);
    for (const name of hosts) expect(await two.left(name)).toEqual([]);
  });

  it('does the same run on each host and reports by GPU in every format', async () => {
    const run = await runOf('each', { host: hosts });
    const document = documentIn(await two.start(run).result);
    expect(document.summary).toBe('2 of 2 runs complete');
    expect(document.byGpu.map(({ device }) => device)).toEqual(['CPU of c', 'CPU of d']);
    const [, second] = document.byGpu;
    const [first] = document.runs;
    expect(second?.runs[0]?.baseline).toBe(1);
    if (first?.offline !== null && document.runs[1]?.offline !== null) {
      expect(second?.runs[0]?.offlineRatio).toBeGreaterThan(0);
    }
    expect(document.reports.map(({ kind }) => kind)).toEqual(['html', 'csv', 'csv', 'json', 'pdf']);
    const [, , csv] = document.reports;
    const [header = [], ...rows] = parseCsv(await readFile(csv?.path ?? '', 'utf8'));
    expect(rows.map((row) => row[header.indexOf('Measured on')])).toEqual(['CPU of c', 'CPU of d']);
    const html = await readFile(document.reports[0]?.path ?? '', 'utf8');
    expect(html).toContain('Throughput offline by GPU');
    say(JSON.stringify(document.byGpu));
  });

  it('leaves out what no host has, with its reason, before anything starts', async () => {
    const run = await runOf('gpus', { 'engine.gpus': [['all']] }, { hosts });
    const result = await two.start(run).result;
    expect(result.code).toBe(2);
    expect(result.stderr).toMatch(/Left out\. No host fits\. c: .*d: /);
  });

  it('is cancelled as a whole by Ctrl-C, and --resume does each run once', async () => {
    const run = await runOf(
      'stopped',
      { format: ['onnx', 'ts-trace', 'ts-script'], instances: [1] },
      { hosts },
    );
    const started = two.start(run);
    await Promise.all(hosts.map((name) => started.line(new RegExp(`^\\[${name} \\d\\] ✓ Export model`))));
    started.child.kill('SIGINT');
    const stopped = await started.result;
    expect(stopped.code).toBe(130);
    expect(
      documentIn(stopped)
        .runs.map(({ state }) => state)
        .sort(),
      stopped.stderr.slice(-5000),
    ).toEqual(['Cancelled', 'Cancelled', 'Not started']);
    for (const name of hosts) expect(await two.left(name)).toEqual([]);
    const again = documentIn(await two.start([...run, '--resume']).result);
    expect(again.summary).toBe('3 of 3 runs complete');
    const before = documentIn(stopped).runs.flatMap(({ runId }) => runId ?? []);
    expect(again.runs.map(({ runId }) => runId)).toEqual(expect.arrayContaining(before));
    for (const { runId } of again.runs) {
      const keys = await keysOf(runId);
      expect([keys.length, new Set(keys).size]).toEqual([levels, levels]);
    }
    for (const name of hosts) expect(await two.left(name)).toEqual([]);
  });

  it('gives what was not measured on a host that goes away to the other one', async () => {
    const run = await runOf(
      'away',
      { format: ['onnx', 'ts-trace', 'ts-script'], maxQueueDelayUs: [1] },
      { hosts },
    );
    const started = two.start(run, ['TRITON_WORKBENCH_HOST_WAIT_S=10']);
    await started.line(/^\[c \d\] Run /);
    await until('a container of the run is there', async () => {
      return (await two.host('c').client.docker.listContainers()).length > 0;
    });
    two.host('c').cut();
    const result = await started.result;
    two.host('c').mend();
    const document = documentIn(result);
    expect([document.summary, result.code], result.stderr.slice(-3000)).toEqual(['3 of 3 runs complete', 0]);
    expect(document.runs.map(({ host }) => host)).toEqual(['d', 'd', 'd']);
    expect(result.stderr).toMatch(/^\[c 1\] c does not respond, and no level of the run was measured/m);
    for (const { runId } of document.runs) expect(await keysOf(runId)).toHaveLength(levels);
    await two.start(['clean', '--yes']).result;
    expect(await two.left('c')).toEqual([]);
  });
});
