import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CoreEvent } from '../../main/contract/api';
import type { MonitorSample, MonitorState, ProbeSettings } from '../../main/contract/monitor/monitor';
import { createMonitor, type Monitor } from '../../main/monitor/monitor';
import { defaultReportSettings } from '../../main/reports/report-settings';
import { createTritonClient } from '../../main/triton/client';
import { zeroTensor } from '../../main/triton/tensor';
import { noHosts } from '../support/host-reach';
import { parseCsv } from '../support/parse-csv';
import { stubsOf } from '../support/stub-processes';
import { startTestTriton, type TestModel, type TestTriton } from '../support/triton';
import { until } from '../support/until';

const echo: TestModel = { name: 'echo', execute: 'return values * 2', maxBatchSize: 4 };
/** Answers, and with an error each time: Triton counts its requests as successes. */
const sick: TestModel = { name: 'sick', execute: 'raise ValueError("no")', maxBatchSize: 4 };
const probe: ProbeSettings = { model: 'echo', version: '', perSecond: 4, input: 'random', shapes: {} };
/** Where models fail: what takes them a second each does not pile up. */
const slowProbe: ProbeSettings = { ...probe, perSecond: 1 };

let dir: string;
let triton: TestTriton;
let monitor: Monitor;
let events: CoreEvent[];
const samples = (): MonitorSample[] =>
  events.flatMap((event) => (event.type === 'monitor-sample' ? [event.sample] : []));
const latest = (): MonitorSample | undefined => samples().at(-1);
/** A poll that the machine kept from its end tells nothing of the models. */
const isWhole = ({ server, hole }: MonitorSample): boolean => server.state === 'up' && hole === null;
const state = (): Promise<MonitorState> => monitor.handlers['monitor.state'](undefined);

beforeAll(async () => {
  triton = await startTestTriton([echo, sick], ['--model-control-mode=explicit', '--load-model=echo']);
});
afterAll(() => triton.stop());
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-monitor-'));
  events = [];
  monitor = createMonitor({
    recordings: join(dir, 'recordings'),
    settingsFile: join(dir, 'monitor.json'),
    emit: (event) => {
      events.push(event);
    },
    printPdf: () => Promise.reject(new Error('not asked for')),
    now: () => new Date(),
    reach: noHosts,
  });
  await monitor.watch(
    { url: `http://${triton.httpAddress}`, metricsUrl: `http://${triton.metricsAddress}/metrics` },
    1000,
  );
});
afterEach(async () => {
  await monitor.close();
  await rm(dir, { recursive: true, force: true });
});

async function up(): Promise<void> {
  await until('the model is seen', () => latest()?.models[0]?.state === 'ready');
}

describe('a Triton that serves', () => {
  it('is seen with its version, models and metrics, and every request is counted', async () => {
    await up();
    const client = createTritonClient(triton.httpAddress);
    const requests = 20;
    const rateOf = (sample: MonitorSample) => sample.models[0]?.rates?.requestsPerSecond ?? 0;
    // A rate is over the real time between two polls; times that time it is a whole number of requests again.
    const countedFrom = (first: number) =>
      samples().reduce((sum, sample, index, all) => {
        const seconds = (sample.atMs - (all[index - 1]?.atMs ?? sample.atMs)) / 1000;
        return index < first ? sum : sum + rateOf(sample) * seconds;
      }, 0);
    // What came while a poll was kept from its end is not told: then they are sent anew.
    await until('the requests are counted', async () => {
      const seenBefore = samples().length;
      for (let sent = 0; sent < requests; sent += 1) {
        await client.infer({ modelName: 'echo', inputs: [zeroTensor('INPUT', 'FP32', [2, 16])] });
      }
      const sentBy = samples().length;
      await until('a poll has begun after them', () => samples().length >= sentBy + 2);
      return countedFrom(seenBefore) > requests * 0.5;
    });
    const [busy] = samples().sort((a, b) => rateOf(b) - rateOf(a));
    expect(busy?.models[0]?.rates).toMatchObject({ errorShare: 0, batch: 2 });
    expect(busy?.models[0]?.rates?.computeInferUs).toBeGreaterThan(0);
    const pinnedBytes = ({ other }: MonitorSample) => other['nv_pinned_memory_pool_total_bytes'] ?? 0;
    const whole = () =>
      samples().find(
        (sample) => isWhole(sample) && sample.server.version !== null && pinnedBytes(sample) > 0,
      );
    await until('a sample has everything', () => whole() !== undefined);
    expect(whole()).toMatchObject({ server: { state: 'up', version: '2.51.0' }, metricsProblem: null });
  });

  it('unloads and loads a model, and shows its configuration', async () => {
    await up();
    const { text } = await monitor.handlers['monitor.modelConfig']({ model: 'echo' });
    expect(text).toContain('max_batch_size: 4');
    await monitor.handlers['monitor.unloadModel']({ model: 'echo' });
    await until(
      'it is unloaded',
      () => latest()?.server.state === 'up' && latest()?.models[0]?.state === 'unavailable',
    );
    await monitor.handlers['monitor.loadModel']({ model: 'echo' });
    await until('it is loaded', () => latest()?.models.some((model) => model.state === 'ready') === true);
    const kinds = samples().flatMap((sample) => sample.markers.map(({ kind }) => kind));
    expect(kinds).toContain('model-unloaded');
    expect(kinds).toContain('model-loaded');
    await expect(monitor.handlers['monitor.loadModel']({ model: 'nope' })).rejects.toMatchObject({
      code: 'model-load-failed',
    });
  });

  it('probes it, records what is seen, plays it again and exports it', async () => {
    await up();
    await monitor.handlers['monitor.record']({ on: true });
    await monitor.handlers['monitor.setProbe']({ probe });
    await until('probes have been answered', () => (latest()?.models[0]?.probe?.count ?? 0) >= 8);
    const figures = latest()?.models[0]?.probe;
    expect(figures?.failures).toBe(0);
    expect(figures?.p50Us).toBeGreaterThan(0);
    expect(figures?.p99Us ?? 0).toBeGreaterThanOrEqual(figures?.p50Us ?? Infinity);
    await monitor.handlers['monitor.record']({ on: false });
    const [recording] = await monitor.handlers['monitor.recordings'](undefined);
    const csv = join(dir, 'seen.csv');
    await monitor.exportTo(csv, 'csv', defaultReportSettings);
    expect(parseCsv(await readFile(csv, 'utf8')).length).toBeGreaterThan(2);
    const port = triton.httpAddress.split(':').at(-1);
    expect(monitor.fileStem()).toMatch(new RegExp(`^monitor-127\\.0\\.0\\.1-${port}-\\d{4}(-\\d{2}){5}$`));
    const html = join(dir, 'seen.html');
    await monitor.exportTo(html, 'html', defaultReportSettings);
    expect(await readFile(html, 'utf8')).toContain('<svg');

    const file = recording?.file ?? '';
    await monitor.handlers['monitor.replay']({ file, speed: 0 });
    await until('it has been played', async () => {
      const { source } = await state();
      return source?.kind === 'replay' && source.done;
    });
    expect(monitor.history.latest()?.models[0]?.probe?.failures).toBe(0);
    expect(monitor.history.latest()?.models[0]?.name).toBe('echo');
    expect(`${monitor.fileStem()}.jsonl`).toBe(file);
  });

  it('a probe that the model refuses is said to be refused, and is no verdict on the model', async () => {
    await up();
    await monitor.handlers['monitor.setProbe']({ probe: { ...probe, shapes: { INPUT: [5] } } });
    await until('it is said', async () => (await state()).probeProblem?.startsWith('Refused: ') === true);
    expect((await state()).probeProblem).toMatch(/^Refused: .*INPUT/s);
    const count = samples().length;
    const later = () => samples().slice(count).find(isWhole);
    await until('a further sample', () => later() !== undefined);
    expect(later()?.models[0]?.state).toBe('ready');
  });
});

describe('what goes wrong', () => {
  it('a Python stub is killed while health says 200: the model fails, and a reload mends it', async () => {
    await up();
    await monitor.handlers['monitor.setProbe']({ probe: slowProbe });
    await until('probes are answered', () => (latest()?.models[0]?.probe?.count ?? 0) > 0);
    for (const pid of stubsOf(triton.pid)) process.kill(pid, 'SIGKILL');
    await until('the verdict comes', () =>
      events.some((event) => event.type === 'monitor-verdict' && event.model.state === 'failing'),
    );
    const failing = () =>
      samples().find(({ models: [model] }) => /Stub process .* is not healthy/.test(model?.reason ?? ''));
    await until('a sample has its reason too', () => failing() !== undefined);
    expect(failing()?.models[0]?.state).toBe('failing');
    expect(failing()?.server.state).toBe('up');
    expect(await createTritonClient(triton.httpAddress).modelReady('echo')).toBe(true);
    await until('the alert fires', async () =>
      (await state()).alerts.some((alert) => alert.subject === 'echo/1' && alert.state === 'firing'),
    );
    const client = createTritonClient(triton.httpAddress);
    await client.unloadModel('echo');
    await client.loadModel('echo');
    await until(
      'it is ready again',
      () => latest()?.models.some((model) => model.state === 'ready') === true,
    );
  });

  it('a model that answers with errors alone fails, and stays so while nothing else asks it', async () => {
    await up();
    const client = createTritonClient(triton.httpAddress);
    await client.loadModel('sick');
    const sickNow = () => latest()?.models.find(({ name }) => name === 'sick');
    await until('it is seen', () => sickNow()?.state === 'ready');
    await monitor.handlers['monitor.setProbe']({ probe: { ...slowProbe, model: 'sick' } });
    await until('it fails', () => sickNow()?.state === 'failing');
    const count = samples().length;
    const since = () =>
      samples()
        .slice(count - 1)
        .filter(isWhole);
    await until('three further samples', () => since().length > 3);
    const seen = since().map(({ models }) => models.find(({ name }) => name === 'sick'));
    expect(new Set(seen.map((model) => model?.state))).toEqual(new Set(['failing']));
    expect(seen.at(-1)?.reason).toContain('no');
    await client.unloadModel('sick');
  });

  it('the server is killed: gone, with holes in place of figures, and no model is said to be ready', async () => {
    await up();
    triton.kill();
    await until('it is seen', () => latest()?.server.state === 'gone');
    expect(latest()?.hole).toMatch(/No process listens on this address|no answer/);
    expect(new Set(latest()?.models.map((model) => model.state))).toEqual(new Set(['unavailable']));
    expect(samples().flatMap((sample) => sample.markers.map(({ kind }) => kind))).toContain('server-gone');
  });
});
