import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { monitorTable } from '../../../main/cli/print/monitor-table';
import type { MonitorSample } from '../../../main/contract/monitor/monitor';
import { createMonitor, type Monitor } from '../../../main/monitor/monitor';
import { type BareInferenceServer, startBareInferenceServer } from '../../support/bare-inference-server';
import { noHosts } from '../../support/host-reach';
import { rejection } from '../../support/rejection';
import { until } from '../../support/until';

let dir: string;
let server: BareInferenceServer;
let monitor: Monitor;
let samples: MonitorSample[];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-other-'));
  samples = [];
  monitor = createMonitor({
    recordings: dir,
    settingsFile: join(dir, 'monitor.json'),
    emit: (event) => {
      if (event.type === 'monitor-sample') samples.push(event.sample);
    },
    printPdf: () => Promise.reject(new Error('not asked for')),
    now: () => new Date(0),
    reach: noHosts,
  });
});
afterEach(async () => {
  await monitor.close();
  await server.close();
  await rm(dir, { recursive: true, force: true });
});

async function watch(options: Parameters<typeof startBareInferenceServer>[0]): Promise<void> {
  server = await startBareInferenceServer(options);
  await monitor.watch({ url: `http://${server.address}`, metricsUrl: `http://${server.address}` }, 500);
}

const probe = { model: 'double', version: '', perSecond: 10, input: 'random' as const, shapes: {} };

describe('a watched server without Triton’s extensions', () => {
  it('is named, and what it does not count is missing and no gap', async () => {
    await watch({ index: true });
    await until('two samples', () => Promise.resolve(samples.length >= 2));
    const [, second] = samples;
    expect(second).toMatchObject({ hole: null, server: { state: 'up', name: 'bare 1.0' } });
    expect(second?.models).toMatchObject([{ name: 'double', state: 'ready', rates: null, pending: null }]);
    expect(monitorTable(second as MonitorSample, [])).toContain('bare 1.0: up');
    expect(samples.flatMap(({ markers }) => markers)).toEqual([]);
    // After the first poll it is known that there are none.
    expect(server.asked.filter((what) => what === 'GET /v2/models/stats')).toHaveLength(1);
  });

  it('shows the probed model where it lists none, with its latency', async () => {
    await watch({});
    await monitor.handlers['monitor.setProbe']({ probe });
    await until('probes are answered', () =>
      Promise.resolve((samples.at(-1)?.models[0]?.probe?.count ?? 0) > 0),
    );
    expect(samples.at(-1)?.models).toMatchObject([
      { name: 'double', version: '', state: 'ready', probe: { failures: 0 } },
    ]);
    expect(server.lastHeaders()).toMatchObject({ 'content-type': 'application/json' });
  });

  it('has no config.pbtxt to show', async () => {
    await watch({});
    const error = await rejection(monitor.handlers['monitor.modelConfig']({ model: 'double' }));
    expect(error).toMatchObject({
      code: 'combination-unsupported',
      message: 'bare 1.0 serves no configuration',
    });
  });
});
