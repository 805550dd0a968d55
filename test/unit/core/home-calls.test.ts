import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { WorkUnderWay } from '../../../main/contract/api';
import { requireIdle } from '../../../main/core/home-calls';
import { createMonitor } from '../../../main/monitor/monitor';
import { homeLayout } from '../../../main/platform/layout';
import { RunKey } from '../../../main/store/run-key';
import { RunStore } from '../../../main/store/run-store';
import { noHosts } from '../../support/host-reach';
import { rejection } from '../../support/rejection';

const nothing: WorkUnderWay = {
  runIds: [],
  images: [],
  fetches: [],
  tools: [],
  deployments: [],
  studies: [],
};

it('a home is in use while tools are set up and while the monitor records', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'twb-idle-'));
  const layout = homeLayout(dir);
  const monitor = createMonitor({
    recordings: layout.recordings,
    settingsFile: layout.monitor,
    emit: () => undefined,
    printPdf: () => Promise.reject(new Error('not asked for')),
    now: () => new Date(),
    reach: noHosts,
  });
  const parts = { layout, monitor, store: new RunStore(layout.runs, new RunKey(layout.runKey)) };
  const idle = (work: WorkUnderWay) =>
    requireIdle(parts, { underWay: () => work, deployments: () => Promise.resolve([]) });
  try {
    await idle(nothing);
    expect(await rejection(idle({ ...nothing, tools: ['Triton'] }))).toMatchObject({ code: 'run-busy' });
    await monitor.handlers['monitor.start']({ url: 'localhost:1', metricsUrl: '' });
    await idle(nothing);
    await monitor.handlers['monitor.record']({ on: true });
    expect(await rejection(idle(nothing))).toMatchObject({ message: 'The monitor is recording' });
    await monitor.handlers['monitor.record']({ on: false });
    await idle(nothing);
  } finally {
    await monitor.close();
    await rm(dir, { recursive: true, force: true });
  }
});
