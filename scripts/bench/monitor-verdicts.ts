import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CoreEvent } from '../../main/contract/api';
import type { MonitorEvent } from '../../main/contract/monitor/monitor';
import { createMonitor } from '../../main/monitor/monitor';
import { createTritonClient } from '../../main/triton/client';
import { stubsOf } from '../../test/support/stub-processes';
import { startTestTriton, type TestTriton } from '../../test/support/triton';
import { until } from '../../test/support/until';

export interface Verdict {
  readonly kind: 'server killed' | 'stub killed';
  /** From the kill to the event that tells of it. */
  readonly tookMs: number;
}

const start = () =>
  startTestTriton(
    [{ name: 'echo', execute: 'return values * 2', maxBatchSize: 4 }],
    ['--model-control-mode=explicit', '--load-model=echo'],
  );

const isStubVerdict = (event: MonitorEvent): boolean =>
  (event.type === 'monitor-verdict' && event.model.state === 'failing') ||
  (event.type === 'monitor-sample' && event.sample.models[0]?.state === 'failing');

const isServerVerdict = (event: MonitorEvent): boolean =>
  event.type === 'monitor-sample' && event.sample.server.state === 'gone';

/** Half of the trials kill the server, half a model's Python stub; each at a random time between two polls. */
export async function measureVerdicts(trials: number): Promise<readonly Verdict[]> {
  const dir = await mkdtemp(join(tmpdir(), 'workbench-verdicts-'));
  const verdicts: Verdict[] = [];
  const listener: { wants: ((event: MonitorEvent) => boolean) | null; atMs: number } = {
    wants: null,
    atMs: NaN,
  };
  let ready = false;
  let probed = false;
  const monitor = createMonitor({
    recordings: dir,
    settingsFile: join(dir, 'monitor.json'),
    printPdf: () => Promise.reject(new Error('not asked for')),
    now: () => new Date(),
    reach: {
      open: () => Promise.reject(new Error('no host is watched')),
      problem: () => null,
      close: () => undefined,
    },
    emit: (event: CoreEvent) => {
      if (event.type === 'monitor-sample') {
        const [model] = event.sample.models;
        ready = model?.state === 'ready';
        probed = (model?.probe?.p50Us ?? null) !== null;
      }
      if (!event.type.startsWith('monitor-') || listener.wants?.(event as MonitorEvent) !== true) return;
      listener.wants = null;
      listener.atMs = performance.now();
    },
  });
  const time = async (kind: Verdict['kind'], wants: (event: MonitorEvent) => boolean, kill: () => void) => {
    await sleep(1000 * Math.random());
    listener.atMs = NaN;
    listener.wants = wants;
    const killedMs = performance.now();
    kill();
    await until('the verdict comes', () => !Number.isNaN(listener.atMs));
    verdicts.push({ kind, tookMs: listener.atMs - killedMs });
  };
  const watch = async (triton: TestTriton) => {
    ready = false;
    probed = false;
    await monitor.watch(
      { url: `http://${triton.httpAddress}`, metricsUrl: `http://${triton.metricsAddress}/metrics` },
      1000,
    );
    await monitor.handlers['monitor.setProbe']({
      probe: { model: 'echo', version: '', perSecond: 2, input: 'zero', shapes: {} },
    });
    await until('the model answers', () => ready && probed);
  };
  let triton = await start();
  try {
    for (let trial = 0; trial < trials / 2; trial += 1) {
      await watch(triton);
      await time('stub killed', isStubVerdict, () => {
        for (const pid of stubsOf(triton.pid)) process.kill(pid, 'SIGKILL');
      });
      const client = createTritonClient(triton.httpAddress);
      await client.unloadModel('echo');
      await client.loadModel('echo');
    }
    for (let trial = 0; trial < trials / 2; trial += 1) {
      await watch(triton);
      await time('server killed', isServerVerdict, () => {
        triton.kill();
      });
      await monitor.handlers['monitor.stop'](undefined);
      await triton.stop();
      triton = await start();
    }
    return verdicts;
  } finally {
    await monitor.close();
    await triton.stop();
    await rm(dir, { recursive: true, force: true });
  }
}
