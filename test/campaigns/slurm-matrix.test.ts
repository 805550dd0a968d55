import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { RunSummary } from '../../main/contract/api';
import type { matrixDocument } from '../../main/domain/measured/matrix';
import { createSlurm } from '../../main/engine/slurm/slurm';
import { homeLayout } from '../../main/platform/layout';
import { readJournal } from '../../main/store/journal';
import { runFolder } from '../../main/store/run-folder';
import { RunKey } from '../../main/store/run-key';
import { RunStore } from '../../main/store/run-store';
import { type CliResult, startCli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { noLogins } from '../support/host-reach';
import { startCluster, type TestCluster } from '../support/slurm';
import { startStateWatch, type StateWatch } from '../support/slurm-states';
import { until } from '../support/until';

type Document = ReturnType<typeof matrixDocument> & {
  readonly reports: readonly { readonly kind: string; readonly path: string }[];
};

let home: TestHome;
let cluster: TestCluster;
let watch: StateWatch;
let store: RunStore;
let matrix: readonly string[];

const levels = 10;

beforeAll(async () => {
  home = await createTestHome();
  cluster = await startCluster(['n1', 'n2']);
  Object.assign(process.env, cluster.env);
  const layout = homeLayout(home.path);
  store = new RunStore(
    layout.runs,
    new RunKey(layout.runKey),
    createSlurm({ layout, env: process.env, hosts: noLogins }),
  );
  watch = startStateWatch(cluster, store);
  const file = join(home.path, 'six.yaml');
  await writeFile(
    file,
    stringify({
      name: 'six',
      matrix: { format: ['onnx', 'ts-trace'], 'model.args.train_epochs': ['1', '2', '3'] },
      profile: 'quick',
      engine: { kind: 'slurm', partition: 'work', timeLimit: '30', pauseAheadS: 1 },
      model: { args: { train_images: '20', val_images: '4' } },
      accuracy: { thresholds: { top1: 0 } },
      performance: {
        ...{ batchSizes: [1], concurrency: Array.from({ length: levels - 1 }, (_none, at) => at + 1) },
        ...{ maxTrials: 3, warmupMs: 100, measurementIntervalMs: 1500, stabilityPercentage: 1000 },
      },
    }),
  );
  // A file that hands runs to a cluster is trusted first, as one from elsewhere is.
  matrix = ['run', 'resnet50', '--matrix', file, '--trust', '--json'];
});
afterAll(async () => {
  watch.stop();
  await cluster.stop();
  await home.remove();
});

const documentIn = ({ stdout }: CliResult): Document => JSON.parse(stdout) as Document;
const rows = async (): Promise<readonly RunSummary[]> => (await store.list()).runs;
const rowOn = async (node: string) =>
  (await rows()).find((run) => run.status === 'running' && run.job?.node === node && run.waitsFor === null);
const keysOf = async (runId: string) =>
  (await readJournal(runFolder(join(home.path, 'runs', runId)).journal)).entries.flatMap((entry) =>
    entry.type === 'measurement' ? [entry.key] : [],
  );
/** The job of the run that works on this node, once it has measured something. */
const busyJobOn = async (node: string): Promise<{ readonly id: string; readonly runId: string }> => {
  const found: { run: RunSummary | undefined } = { run: undefined };
  await until(`a run measures on ${node}`, async () => {
    found.run = await rowOn(node);
    return found.run !== undefined && (await keysOf(found.run.runId)).length > 0;
  });
  return { id: found.run?.job?.id ?? '', runId: found.run?.runId ?? '' };
};

describe('a matrix of six runs on two nodes', () => {
  it('loses nothing to a drained node, a time limit and scancel, and is complete after resume', async () => {
    const first = startCli(home.path, matrix);
    const limited = await busyJobOn('n2');
    await cluster.slurm('scontrol', 'update', `jobid=${limited.id}`, 'timelimit=1');
    await cluster.slurm('scontrol', 'update', 'nodename=n2', 'state=drain', 'reason=maintenance');
    const cancelled = await busyJobOn('n1');
    await cluster.slurm('scancel', cancelled.id);
    const one = await first.result;
    expect(documentIn(one).summary).toBe('4 of 6 runs complete, 1 cancelled, 1 paused');
    const after = new Map((await rows()).map((run) => [run.runId, run]));
    expect(after.get(limited.runId)).toMatchObject({
      status: 'paused',
      job: { end: 'time-limit', node: 'n2' },
    });
    expect(after.get(cancelled.runId)).toMatchObject({ status: 'cancelled', job: { node: 'n1' } });
    for (const { runId, status, job } of after.values()) {
      if (runId !== limited.runId) expect(job?.node).toBe('n1');
      if (runId !== limited.runId && runId !== cancelled.runId) expect(status).toBe('done');
    }
    const kept = [...(await keysOf(limited.runId)), ...(await keysOf(cancelled.runId))].length;
    expect(kept).toBeGreaterThan(0);

    await cluster.slurm('scontrol', 'update', 'nodename=n2', 'state=resume');
    const two = await startCli(home.path, [...matrix, '--resume']).result;
    const document = documentIn(two);
    expect([two.code, document.summary]).toEqual([0, '6 of 6 runs complete']);
    for (const { runId } of await rows()) {
      const keys = await keysOf(runId);
      expect([keys.length, new Set(keys).size]).toEqual([levels, levels]);
    }
    const html = document.reports.find(({ kind }) => kind === 'html');
    expect(await readFile(html?.path ?? '', 'utf8')).toContain('six');
    process.stdout.write(`${watch.text()}\nLevels kept from the two that were ended: ${kept}\n`);
  });
});
