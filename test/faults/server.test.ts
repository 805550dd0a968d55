import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandom } from '../../main/domain/random';
import { type Display, openDisplay } from '../../main/platform/electron-printer';
import { MonitorPage } from '../e2e/pages/monitor.page';
import { Shell } from '../e2e/pages/shell.page';
import { launch, shutDown } from '../e2e/support/app';
import { campaignSeed, howMany, printRow } from '../support/campaign';
import { bundleChild, type RunningChild, startChild } from '../support/child-program';
import { type CliRun, startCli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { until } from '../support/until';
import { type WatchedMemory, watchMemory } from '../support/watched-memory';
import { askWindow, type WindowAnswers } from '../support/window-answers';

const campaignMs = howMany(600_000, 25_000);
const mostMiB = 400;
const mostDescriptors = 512;
/** These keep apart what works and what hangs; in the short form other tests run beside it. */
const windowLimitMs = howMany(10_000, 60_000);
const endLimitMs = howMany(20_000, 60_000);
/** A level that is not answered ends after 120 s. */
const perfLimitMs = 400_000;

let dir = '';
let home: TestHome;
let server: RunningChild;
let display: Display;
let url = '';
let addresses: readonly string[] = [];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hostile-'));
  home = await createTestHome(['electron']);
  display = await openDisplay(process.env);
  const pace = [howMany(1000, 300), howMany(5000, 2000)].map(String);
  server = startChild(await bundleChild('hostile-server', dir), [String(campaignSeed), ...pace]);
  await until('the hostile server listens', () => server.lines.length > 0);
  const ports = JSON.parse(server.lines[0] ?? '') as Record<'http' | 'metrics' | 'grpc', number>;
  url = `http://127.0.0.1:${ports.http}`;
  const metricsUrl = `http://127.0.0.1:${ports.metrics}/metrics`;
  addresses = [url, metricsUrl, `127.0.0.1:${ports.grpc}`];
});
afterAll(async () => {
  server.process.kill('SIGTERM');
  await server.ended;
  const answered = Object.values(JSON.parse(server.lines[1] ?? '{}') as Record<string, number>);
  const answers = answered.reduce((sum, count) => sum + count, 0);
  await printRow({
    what: 'answers of the hostile server to all of them',
    trials: answers,
    result: `${answered.length} kinds`,
  });
  display.close();
  await home.remove();
  await rm(dir, { recursive: true, force: true });
  // It was there to the end.
  expect(answers).toBeGreaterThan(0);
});

/** Control characters but tab and line feed: what a terminal would take for more than text. */
const steers = /(?![\t\n])\p{Cc}/u;

/** What there is to object to in the memory of a process. */
function memoryProblems(name: string, memory: WatchedMemory): string[] {
  const problems: string[] = [];
  if (memory.mostMiB() >= mostMiB) problems.push(`${name} had ${memory.mostMiB().toFixed(0)} MiB`);
  if (memory.mostDescriptors() >= mostDescriptors)
    problems.push(`${name} had ${memory.mostDescriptors()} open descriptors`);
  return problems;
}

const mib = (...memories: readonly WatchedMemory[]): string =>
  `${Math.max(...memories.map((memory) => memory.mostMiB())).toFixed(0)} MiB`;

describe.concurrent('a hostile server', () => {
  it('is watched by a window that stays small and answers', async () => {
    const app = await launch(home, { ...process.env, DISPLAY: display.name });
    const { page } = app;
    const answers: WindowAnswers = { asked: 0, missed: [], worstMs: 0 };
    const problems: string[] = [];
    const renderer = await app.electron.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.webContents.getOSProcessId(),
    );
    const own = watchMemory(app.child.pid ?? 0);
    const drawing = watchMemory(renderer ?? 0);
    try {
      await new Shell(page).go('Monitor');
      await new MonitorPage(page).watch(url, addresses[1] ?? '');
      const endMs = performance.now() + campaignMs;
      while (performance.now() < endMs) {
        const nextMs = performance.now() + 1000;
        await askWindow(page, windowLimitMs, answers);
        await sleep(Math.max(0, nextMs - performance.now()));
      }
      problems.push(...memoryProblems('the main process', own), ...memoryProblems('the window', drawing));
    } finally {
      own.stop();
      drawing.stop();
      await shutDown(app);
    }
    problems.push(...answers.missed, ...app.complaints);
    await printRow({
      what: 'window on the Monitor page: calls, frames and keyboard, one of each per second',
      trials: answers.asked,
      result: `${answers.missed.length} took longer than ${windowLimitMs / 1000} s, slowest ${answers.worstMs.toFixed(0)} ms; at most ${mib(own)} (main process) and ${mib(drawing)} (window)`,
    });
    expect(problems.slice(0, 20)).toEqual([]);
  });

  it('is watched by `monitor`, which stays small and clean and ends', async () => {
    const problems: string[] = [];
    const memories: WatchedMemory[] = [];
    let slowestMs = 0;
    let characters = 0;
    for (const more of [[], ['--json']]) {
      const watching = startCli(home.path, [
        ...['monitor', '--url', url, '--metrics-url', addresses[1] ?? '', '--probe', 'probed:2', ...more],
      ]);
      const memory = watchMemory(watching.child.pid ?? 0);
      memories.push(memory);
      await Promise.race([sleep(campaignMs / 2), watching.result]);
      const name = ['monitor', ...more].join(' ');
      problems.push(...memoryProblems(name, memory));
      const startedMs = performance.now();
      watching.child.kill('SIGINT');
      problems.push(...(await ended(watching, endLimitMs, name)));
      slowestMs = Math.max(slowestMs, performance.now() - startedMs);
      memory.stop();
      const { stdout, stderr } = await watching.result;
      characters += stdout.length + stderr.length;
      if (stdout.length === 0) problems.push(`${name} said nothing`);
    }
    await printRow({
      what: '`monitor`, as text and with --json, a probe every half second',
      trials: memories.length,
      result: `at most ${mib(...memories)}, ${characters} characters printed; ended at most ${slowestMs.toFixed(0)} ms after SIGINT`,
    });
    expect(problems).toEqual([]);
  });

  it('is measured by `perf`, which stays small and clean and ends', async () => {
    const random = createRandom(campaignSeed);
    const problems: string[] = [];
    const memories: WatchedMemory[] = [];
    const codes = new Map<number | null, number>();
    const endMs = performance.now() + campaignMs;
    while (performance.now() < endMs) {
      const protocol = random() < 0.6 ? 'http' : 'grpc';
      const run = startCli(home.path, [
        ...['perf', '--url', url, '--grpc-url', addresses[2] ?? '', '--model', 'probed'],
        ...['--protocol', protocol, '--concurrency', random() < 0.5 ? '4' : '1,2', '--warmup-ms', '0'],
        ...['--measurement-interval-ms', '300', '--max-trials', '3', ...(random() < 0.3 ? ['--json'] : [])],
      ]);
      const memory = watchMemory(run.child.pid ?? 0);
      memories.push(memory);
      // The last one is interrupted.
      const interrupt = setTimeout(() => run.child.kill('SIGINT'), Math.max(0, endMs - performance.now()));
      problems.push(...(await ended(run, perfLimitMs, 'perf')));
      clearTimeout(interrupt);
      memory.stop();
      problems.push(...memoryProblems('perf', memory));
      const { code, stdout, stderr } = await run.result;
      if (/Internal error:|"code": "internal"/.test(stdout + stderr)) problems.push(stderr.slice(0, 300));
      codes.set(code, (codes.get(code) ?? 0) + 1);
    }
    const messages = [...codes]
      .map(([code, count]) => `exit code ${code ?? 'of an interrupt'}: ${count}`)
      .join(', ');
    await printRow({
      what: '`perf`, one after the other, over HTTP and gRPC',
      trials: memories.length,
      result: `at most ${mib(...memories)}; ${messages}`,
    });
    expect(problems.slice(0, 20)).toEqual([]);
  });
});

/** What there is to object to when the program is to end now; one that does not is killed. */
async function ended(run: CliRun, limitMs: number, name: string): Promise<string[]> {
  const result = await Promise.race([run.result, sleep(limitMs, null)]);
  if (result === null) {
    run.child.kill('SIGKILL');
    await run.result;
    return [`${name} did not end within ${limitMs / 1000} s`];
  }
  const steered = [result.stdout, result.stderr].filter((text) => steers.test(text));
  return [
    // Before it hears of signals itself, an interrupt ends it as it does any program.
    ...(result.code === null && run.child.signalCode !== 'SIGINT'
      ? [`${name} was ended by ${run.child.signalCode ?? '?'}`]
      : []),
    ...steered.map((text) => `${name} said ${JSON.stringify(text.slice(text.search(steers), 100))}`),
  ];
}
