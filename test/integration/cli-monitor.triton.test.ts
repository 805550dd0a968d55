import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Alert, MonitorSample } from '../../main/contract/monitor/monitor';
import { exists } from '../../main/platform/files';
import { homeLayout } from '../../main/platform/layout';
import { cli } from '../support/cli';
import { cliUntil, linesOf } from '../support/cli-until';
import { startGuardedProxy } from '../support/guarded-proxy';
import { createTestHome, type TestHome } from '../support/home';
import { parseCsv } from '../support/parse-csv';
import { startTestTriton, type TestTriton } from '../support/triton';

type PrintedSample = MonitorSample & { readonly alerts: readonly Alert[] };

let home: TestHome;
let triton: TestTriton;
let recording: string;
beforeAll(async () => {
  home = await createTestHome(['electron']);
  recording = join(home.path, 'seen.jsonl');
  triton = await startTestTriton([
    { name: 'echo', execute: 'return values * 2', maxBatchSize: 4 },
    { name: 'refusing', execute: 'raise RuntimeError("refused on purpose")', maxBatchSize: 4 },
  ]);
});
afterAll(async () => {
  await triton.stop();
  await home.remove();
});

const monitor = (...args: string[]) => cli(home.path, 'monitor', ...args);
const addresses = () => [
  ...['--url', `http://${triton.httpAddress}`],
  ...['--metrics-url', `http://${triton.metricsAddress}/metrics`],
];
const watch = (...args: string[]) => monitor(...addresses(), ...args);
/** Until Ctrl-C, which comes when what was said is enough: how long that takes is the machine's. */
const watchUntil = (what: string, isEnough: (stdout: string) => boolean, ...args: string[]) =>
  cliUntil(home.path, ['monitor', ...addresses(), ...args], what, isEnough);
const samplesOf = (stdout: string) => linesOf<PrintedSample>(stdout);
const ofEcho = ({ models }: MonitorSample) => models.find(({ name }) => name === 'echo');
/** The last one in which the server answered in time. */
const lastUp = <T extends MonitorSample>(samples: readonly T[]): T | undefined =>
  samples.findLast(({ server, hole }) => server.state === 'up' && hole === null);
const recorded = async (): Promise<MonitorSample[]> => {
  const [, ...lines] = (await readFile(recording, 'utf8')).trim().split('\n');
  return lines.map((line) => JSON.parse(line) as MonitorSample);
};

describe('a Triton is watched', () => {
  it('and recorded, and what was seen is written as CSV and PDF', async () => {
    const csv = join(home.path, 'seen.csv');
    const pdf = join(home.path, 'seen.pdf');
    const isProbed = (sample: MonitorSample) => (ofEcho(sample)?.probe?.count ?? 0) > 0;
    const isIdle = (sample: MonitorSample) => ofEcho(sample)?.pending === 0;
    const result = await watchUntil(
      'there are samples enough to play again, and a probe is answered',
      (stdout) => {
        const samples = samplesOf(stdout);
        return samples.length >= 10 && samples.some(isIdle) && samples.some(isProbed);
      },
      ...['--probe', 'echo:5', '--alert', 'probe-p99-ms=100000', '--json'],
      ...['--record', recording, '--csv', csv, '--report', pdf],
    );
    // A machine that stands still as the probe is made ready: it is made ready again.
    const written = [recording, csv, pdf].map((path) => `Written: ${path}\n`);
    expect(result.stderr.replace(/^No probes: .*: no answer within .*\n/gm, '')).toBe(written.join(''));
    expect(result.code).toBe(0);
    const samples = samplesOf(result.stdout);
    const last = lastUp(samples);
    expect(last?.models).toContainEqual(
      expect.objectContaining({ name: 'echo', version: '1', state: 'ready' }),
    );
    expect(samples.some(isIdle)).toBe(true);
    expect(samples.some(isProbed)).toBe(true);
    const times = (all: readonly MonitorSample[]) => all.map(({ atMs }) => atMs);
    const kept = await recorded();
    expect(kept.length).toBeGreaterThan(1);
    // It is recorded for a moment longer than it is told of.
    const since = times(samples).filter((atMs) => atMs >= (kept[0]?.atMs ?? Infinity));
    expect(times(kept).slice(0, since.length)).toEqual(since);

    const [header = [], ...rows] = parseCsv(await readFile(csv, 'utf8'));
    const echo = rows.filter((row) => row[1] === 'model:echo/1');
    expect(echo.length).toBeGreaterThan(1);
    expect(echo.map((row) => row[header.indexOf('pending')])).toContain('0');
    expect((await readFile(pdf)).subarray(0, 5).toString()).toBe('%PDF-');
  });

  it('an alert of the command line fires, ends with exit code 3, and is not kept', async () => {
    // A model that is not served any more has no error share: its own rule stays in force.
    const alerts = ['ALERT refusing/1: errors 100.0 %, above 1 %', 'ALERT refusing/1: failing'];
    const result = await watchUntil(
      'both alerts fire',
      (stdout) => alerts.every((alert) => stdout.includes(alert)),
      ...['--probe', 'refusing:5', '--alert', 'error-percent=1:0', '--alert-model', 'refusing'],
    );
    expect(result.stderr).toBe('');
    for (const alert of alerts) expect(result.stdout).toContain(alert);
    expect(result.code).toBe(3);
    const settings = await readFile(homeLayout(home.path).monitor, 'utf8');
    expect(settings).not.toContain('"error-percent-1"');
  });

  it('an alert of a model that is not there is no alert that never fires', async () => {
    const result = await watch('--alert', 'error-percent=1', '--alert-model', 'echo/1', '--for', '3');
    expect(result.code).toBe(2);
    expect(result.stderr).toContain('Model "echo/1" was not seen');
  });

  it('a probe of a model that is not there is refused with the names that are, and nothing is begun', async () => {
    const kept = join(home.path, 'never.jsonl');
    const result = await watch(
      '--probe',
      'ecko',
      '--alert',
      'probe-p99-ms=5',
      '--record',
      kept,
      '--for',
      '3',
    );
    expect(result.code).toBe(2);
    expect(result.stderr).toContain('has no model "ecko"');
    expect(result.stderr).toMatch(/Did you mean echo\? The names are: (echo, refusing|refusing, echo)\./);
    expect(await exists(kept)).toBe(false);
  });

  it('an alert that no probe had a latency for is said, and does not pass', async () => {
    const result = await watch(
      '--probe',
      'echo',
      '--shape',
      'INPUT:5',
      '--alert',
      'probe-p99-ms=5',
      '--for',
      '3',
    );
    expect(result.stdout).toMatch(/^Not judged: probe-p99-ms=5: no probe was answered: Refused: .*INPUT/m);
    expect(result.code).toBe(4);
  });

  it('a recording is never written over', async () => {
    const before = await readFile(recording, 'utf8');
    const result = await watch('--record', recording, '--for', '3');
    expect(result.code).toBe(2);
    expect(result.stderr).toContain('already exists');
    expect(await readFile(recording, 'utf8')).toBe(before);
  });
});

describe('a recording is played', () => {
  it('with the same samples, other alerts, and a report', async () => {
    const html = join(home.path, 'played.html');
    const result = await monitor(
      ...['--replay', recording, '--speed', '0', '--alert', 'probe-p99-ms=0.001:0', '--json'],
      ...['--report', html],
    );
    expect(result.code).toBe(3);
    const samples = samplesOf(result.stdout);
    const figures = ({ atMs, server, models, pollMs }: MonitorSample) => ({ atMs, server, models, pollMs });
    expect(samples.map(figures)).toEqual((await recorded()).map(figures));
    expect(lastUp(samples)?.alerts).toMatchObject([{ subject: 'echo/1', state: 'firing' }]);
    const report = await readFile(html, 'utf8');
    expect(report).toContain('Alert firing');
    expect(report).toContain('<td>echo/1</td>');
  });

  it('and a limit that it has no figure for does not pass', async () => {
    const limit = ['--alert', 'probe-p99-ms=100000', '--alert-model', 'refusing'];
    const result = await monitor('--replay', recording, '--speed', '0', ...limit);
    expect(result.stdout).toContain('Not judged: probe-p99-ms=100000 of refusing: no probe was answered');
    expect(result.code).toBe(4);
  });

  it('at the pace that it was taken at, until its time is over', async () => {
    const result = await monitor('--replay', recording, '--speed', '1', '--for', '4', '--json');
    expect(result.code).toBe(0);
    const whole = await recorded();
    const samples = samplesOf(result.stdout);
    expect(samples.length).toBeLessThan(whole.length);
    expect(samples[0]?.atMs).toBe(whole[0]?.atMs);
  });
});

it.each([
  ['--alert', ['--alert', 'queue=5']],
  ['--alert', ['--alert', 'probe-p99-ms=5']],
  ['--alert-model', ['--alert-model', 'echo']],
])('%s is refused where it says nothing', async (where, args) => {
  const result = await watch(...args, '--json');
  expect(result.code).toBe(2);
  expect(JSON.parse(result.stdout)).toMatchObject({ error: { code: 'input-invalid', where } });
});

it('watches and probes behind a gateway that asks for a header, and shows its value nowhere', async () => {
  const token = 'Bearer s3cr3t-token';
  const kept = join(home.path, 'gateway.jsonl');
  const gateway = await startGuardedProxy(triton, token);
  try {
    const at = ['--url', `http://${gateway.httpAddress}`, '--metrics-url', `http://${triton.metricsAddress}`];
    const given = [...at, '--probe', 'echo:5', '-H', `Authorization: ${token}`, '--record', kept, '--json'];
    const watched = await cliUntil(home.path, ['monitor', ...given], 'a probe was answered', (stdout) =>
      samplesOf(stdout).some((sample) => (ofEcho(sample)?.probe?.count ?? 0) > 0),
    );
    expect(samplesOf(watched.stdout).at(-1)?.server.state).toBe('up');
    expect(gateway.refused()).toBe(0);
    expect(watched.stdout + watched.stderr + (await readFile(kept, 'utf8'))).not.toContain('s3cr3t');
    const without = await cliUntil(
      home.path,
      ['monitor', ...at, '--json'],
      'a look was refused',
      (stdout) => gateway.refused() > 0 && samplesOf(stdout).length > 0,
    );
    expect(samplesOf(without.stdout).map(({ server }) => server.state)).not.toContain('up');
  } finally {
    await gateway.stop();
  }
});
