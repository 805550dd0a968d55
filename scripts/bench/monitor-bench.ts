import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { cpus, release, tmpdir, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelSample, MonitorSample } from '../../main/contract/monitor/monitor';
import { recordingHead } from '../../main/monitor/recording';
import { measureVerdicts } from './monitor-verdicts';
import { option } from './option';
import { installPaintProbe } from './window/paint-probe';
import { openElectron } from './window/window-under-test';

const say = (text: string) => process.stdout.write(`${text}\n`);

const toolchainHome = option('home', '');
const outFile = option('out', '');
const trials = Number(option('trials', '20'));
const seconds = Number(option('seconds', '86400'));
const models = 4;
const updates = 60;
const limits = { updateMs: 100, memoryMiB: 400, verdictMs: 2000 } as const;
const file = 'monitor-bench.jsonl';

function modelAt(name: string, second: number): ModelSample {
  const wave = 1 + 0.3 * Math.sin(second / 300) + (second % 4999 === 0 ? 5 : 0);
  return {
    name,
    version: '1',
    state: 'ready',
    reason: null,
    rates: {
      requestsPerSecond: 400 * wave,
      inferencesPerSecond: 800 * wave,
      errorShare: second % 997 === 0 ? 0.02 : 0,
      queueUs: 300 * wave,
      computeInputUs: 40,
      computeInferUs: 2100 * wave,
      computeOutputUs: 30,
      batch: 2,
      cacheHitShare: null,
    },
    pending: 0,
    probe: {
      count: 120,
      failures: 0,
      p50Us: 2500 * wave,
      p95Us: 3900 * wave,
      p99Us: 6000 * wave,
      sendP99Us: 5900 * wave,
      worstUs: 6500 * wave,
    },
  };
}

const sampleAt = (atMs: number, second: number): MonitorSample => ({
  atMs,
  intervalMs: 1000,
  server: { state: 'up', reason: null, version: '2.51.0', restarts: 0 },
  hole: second % 7001 === 0 ? 'no answer within 0.9 s' : null,
  models: Array.from({ length: models }, (_unused, index) => modelAt(`model${index}`, second + index * 977)),
  gpus: [
    {
      uuid: 'GPU-0',
      utilization: 0.5,
      memoryUsedBytes: 8e9,
      memoryTotalBytes: 24e9,
      powerWatts: 120,
      powerLimitWatts: 165,
    },
  ],
  metricsProblem: null,
  other: {},
  markers: second % 9973 === 0 ? [{ atMs, kind: 'model-loaded', text: `model0/1 loaded` }] : [],
  pollMs: 6,
});

const endMs = Math.floor(Date.now() / 1000) * 1000;
const startMs = endMs - seconds * 1000;

/** A home with the prepared tools and a recording of a day. */
async function prepareHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'workbench-monitor-bench-'));
  for (const name of ['python', 'triton', 'perf-analyzer', 'electron']) {
    await symlink(join(toolchainHome, name), join(home, name));
  }
  await mkdir(join(home, 'recordings'));
  const stream = createWriteStream(join(home, 'recordings', file));
  stream.write(`${JSON.stringify(recordingHead('http://localhost:8000', new Date(startMs)))}\n`);
  for (let second = 0; second < seconds; second += 1) {
    const line = `${JSON.stringify(sampleAt(startMs + second * 1000, second))}\n`;
    if (!stream.write(line)) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'finish');
  return home;
}

async function measureWindow(home: string) {
  const window = await openElectron({
    executable: option('electron', ''),
    args: [option('app', '.')],
    home,
  });
  const { page, emit } = window;
  try {
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('button', { name: 'Monitor' }).click();
    await page.getByRole('textbox', { name: 'Speed' }).or(page.getByLabel('Speed')).first().click();
    await page.getByRole('option', { name: 'as fast as possible' }).click();
    const startedMs = performance.now();
    await page.getByRole('button', { name: `Replay ${file}` }).click();
    await page.getByLabel('Length of the window').first().click();
    await page.getByRole('option', { name: '24 h' }).click();
    await page.getByText('at its end').waitFor({ timeout: 600_000 });
    const replayS = (performance.now() - startedMs) / 1000;
    await page.locator('[data-chart="monitor-rate"] .plot .scatterlayer .trace').first().waitFor();
    await sleep(2000);
    await page.evaluate(installPaintProbe, 'monitor-rate');
    for (let update = 1; update <= updates; update += 1) {
      await emit([{ type: 'monitor-sample', sample: sampleAt(endMs + update * 1000, update), alerts: [] }]);
      await sleep(1000);
    }
    await sleep(1000);
    const latenciesMs = await page.evaluate(
      () => (globalThis as unknown as { paintLatenciesMs: number[] }).paintLatenciesMs,
    );
    const session = await page.context().newCDPSession(page);
    await session.send('HeapProfiler.collectGarbage');
    await sleep(2000);
    return { latenciesMs, memoryMiB: (await window.memoryBytes()) / 2 ** 20, replayS };
  } finally {
    await window.close();
  }
}

const home = await prepareHome();
try {
  const { latenciesMs, memoryMiB, replayS } = await measureWindow(home);
  const verdicts = await measureVerdicts(trials);
  const at = (values: readonly number[], share: number): number =>
    values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? NaN;
  const inTime = verdicts.filter((verdict) => verdict.tookMs <= limits.verdictMs).length;
  const longest = (kind: string) =>
    Math.max(...verdicts.filter((verdict) => verdict.kind === kind).map((verdict) => verdict.tookMs));
  const p95 = at(latenciesMs, 0.95);
  const rows: readonly (readonly [string, string, string, boolean])[] = [
    ['Chart update to paint, p50', `${at(latenciesMs, 0.5).toFixed(0)} ms`, '', true],
    ['Chart update to paint, p95', `${p95.toFixed(0)} ms`, `${limits.updateMs} ms`, p95 <= limits.updateMs],
    [
      'Memory of the window, 24 h shown',
      `${memoryMiB.toFixed(0)} MiB`,
      `${limits.memoryMiB} MiB`,
      memoryMiB < limits.memoryMiB,
    ],
    ['Replay of the day, as fast as it goes', `${replayS.toFixed(0)} s`, '', true],
    [
      'Verdict, server killed, longest',
      `${longest('server killed').toFixed(0)} ms`,
      `${limits.verdictMs} ms`,
      true,
    ],
    [
      'Verdict, stub killed, longest',
      `${longest('stub killed').toFixed(0)} ms`,
      `${limits.verdictMs} ms`,
      true,
    ],
    ['Verdicts in time', `${inTime} of ${verdicts.length}`, `${trials} of ${trials}`, inTime === trials],
  ];
  const missed = rows.filter(([, , , kept]) => !kept);
  const document = [
    '# The monitor',
    '',
    `Written by \`npm run bench -- monitor\`. A recording of ${seconds} seconds of ${models} models and a GPU is replayed in the window`,
    `and shown whole; then ${updates} samples come at one a second, measured in the page from their arrival to the frame after the`,
    'chart was drawn with them. Verdicts: a real Triton with two probes a second; its process, or the Python stub of its',
    'model while health still says 200, is killed at a random time, until the event that reports it.',
    '',
    '| | |',
    '|---|---|',
    `| Date | ${new Date().toISOString().slice(0, 10)} |`,
    `| Processor | ${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} logical |`,
    `| Memory | ${(totalmem() / 2 ** 30).toFixed(0)} GiB |`,
    `| System | ${type()} ${release()} |`,
    '',
    '| | measured | at most |',
    '|---|---|---|',
    ...rows.map(([name, value, limit]) => `| ${name} | ${value} | ${limit} |`),
    '',
    `Updates that were painted: ${latenciesMs.length} of ${updates}.`,
    '',
  ].join('\n');
  say(document);
  if (outFile !== '') await writeFile(outFile, document);
  for (const [name, value, limit] of missed) say(`Missed: ${name}, ${value} instead of ${limit}`);
  process.exitCode = missed.length === 0 && latenciesMs.length >= updates * 0.9 ? 0 : 1;
} finally {
  await rm(home, { recursive: true, force: true });
}
