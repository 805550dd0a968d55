import { rm, writeFile } from 'node:fs/promises';
import { cpus, release, totalmem, type } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WindowEvent } from '../../../main/contract/api';
import { option } from '../option';
import { largeLevels, largeRun, largeState, prepareHome } from './bench-homes';
import { openingTime, switchTimes } from './page-switch';
import { installPaintProbe } from './paint-probe';
import { openChromium, openElectron, type WindowUnderTest } from './window-under-test';

const say = (text: string) => process.stdout.write(`${text}\n`);

const appFolder = option('app', '.');
const electron = option('electron', '');
const browser = option('chromium', '');
const toolchainHome = option('home', '');
const outFile = option('out', '');

const lines = 100_000;
const updates = 200;
const updateMs = 100;
const switchRounds = 5;
const limits = { switchMs: 100, runMs: 1200, updateMs: 100, memoryMiB: 600 } as const;

const { runId } = largeState;
let events = 0;
const line = (): string => {
  events += 1;
  const level = events % 500 === 0 ? 'W' : 'I';
  return `${level}1121 08:17:00.123456 21533 grpc_server.cc:4117] "request ${events} of model 'resnet50' done"`;
};
const logEvent = (count: number): WindowEvent => ({
  type: 'log',
  runId,
  step: 'online',
  lines: Array.from({ length: count }, line),
});
let windowIndex = 0;
const windowEvent = (): WindowEvent => {
  windowIndex += 1;
  return {
    type: 'window',
    runId,
    scenario: 'online',
    batchSize: 1,
    concurrency: largeLevels + 1,
    index: windowIndex,
    inferencesPerSecond: 500 + (windowIndex % 40),
    p99Us: 9000 + (windowIndex % 70) * 100,
  };
};

const useElectron = electron !== '';
const home = useElectron ? await prepareHome(toolchainHome, [largeRun]) : '';
const open = (): Promise<WindowUnderTest> =>
  useElectron
    ? openElectron({ executable: electron, args: [appFolder], home })
    : openChromium({ executable: browser, appFolder, state: largeState });

async function measure(window: WindowUnderTest) {
  const { page, emit } = window;
  await page.locator(`[data-run="${runId}"] .run-name`).waitFor();
  const switches = await switchTimes(page, switchRounds);
  const runMs = await openingTime(page, runId);
  for (let sent = 0; sent < lines; sent += 10_000) await emit([logEvent(10_000)]);
  await page.evaluate(installPaintProbe, 'windows');
  for (let update = 0; update < updates; update += 1) {
    const nextMs = performance.now() + updateMs;
    await emit([logEvent(100), windowEvent()]);
    await sleep(Math.max(0, nextMs - performance.now()));
  }
  await sleep(1000);
  const latenciesMs = await page.evaluate(
    () => (globalThis as unknown as { paintLatenciesMs: number[] }).paintLatenciesMs,
  );
  // An hour at a window a second and three hundred lines a second, as fast as it goes.
  for (let second = 0; second < 3600; second += 20) {
    await emit(Array.from({ length: 20 }, () => [logEvent(300), windowEvent()]).flat());
  }
  await sleep(1000);
  // At the pace of a real hour what is no longer used is collected all along.
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  await sleep(2000);
  return { switches, runMs, latenciesMs, memoryMiB: (await window.memoryBytes()) / 2 ** 20 };
}

try {
  const window = await open();
  const { switches, runMs, latenciesMs, memoryMiB } = await measure(window);
  const { first, later } = switches;
  await window.close();
  const sorted = latenciesMs.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
  const rows: readonly (readonly [string, string, string, boolean])[] = [
    [`First visit of the slowest page (${first[0]})`, `${first[1].toFixed(0)} ms`, '', true],
    [
      `Switch to the slowest page (${later[0]}), median of ${switchRounds}`,
      `${later[1].toFixed(0)} ms`,
      `${limits.switchMs} ms`,
      later[1] <= limits.switchMs,
    ],
    [
      'Opening the run of 100,000 windows',
      `${runMs.toFixed(0)} ms`,
      `${limits.runMs} ms`,
      runMs <= limits.runMs,
    ],
    ['Update to paint, p50', `${at(0.5).toFixed(0)} ms`, '', true],
    [
      'Update to paint, p95',
      `${at(0.95).toFixed(0)} ms`,
      `${limits.updateMs} ms`,
      at(0.95) <= limits.updateMs,
    ],
    [
      'Memory of the window after the hour',
      `${memoryMiB.toFixed(0)} MiB`,
      `${limits.memoryMiB} MiB`,
      memoryMiB < limits.memoryMiB,
    ],
  ];
  const missed = rows.filter(([, , , kept]) => !kept);
  const document = [
    '# The window under load',
    '',
    'Written by `npm run bench`. First each page is opened from the rail and again, from the click to the frame after its heading is there, and',
    'then the run, from the click to the frame after its chart of windows is drawn. A run with 100,000 measurement windows (four traces in one chart) and 100,000 lines of log',
    'is open; ten updates a second bring 100 lines and a window each. Measured in the page, from the arrival of the',
    'events to the frame after the chart was drawn with them. Then an hour with one window and 300 lines per second is replayed.',
    '',
    '| | |',
    '|---|---|',
    `| Date | ${new Date().toISOString().slice(0, 10)} |`,
    `| Processor | ${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} logical |`,
    `| Memory | ${(totalmem() / 2 ** 30).toFixed(0)} GiB |`,
    `| System | ${type()} ${release()} |`,
    `| Window | ${useElectron ? 'Electron, the built app' : 'Chromium with the built pages'} |`,
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
  for (const [name, value, limit] of missed)
    say(`Too slow or too large: ${name}, ${value} instead of ${limit}`);
  process.exitCode = missed.length === 0 && latenciesMs.length >= updates * 0.9 ? 0 : 1;
} finally {
  if (home !== '') await rm(home, { recursive: true, force: true });
}
