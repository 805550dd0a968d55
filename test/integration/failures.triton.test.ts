import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stepTitle } from '../../main/contract/words';
import { homeLayout } from '../../main/platform/layout';
import { readJournal } from '../../main/store/journal';
import { runFolder } from '../../main/store/run-folder';
import { printRow, takesAll } from '../support/campaign';
import { cli, type CliRun, documentOf, startCli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { littleModel } from '../support/little-model';

let home: TestHome;
beforeAll(async () => {
  home = await createTestHome();
});
afterAll(() => home.remove());

const run = [
  ...['run', 'resnet50', '--profile', 'quick', '--json', '--verbose', ...littleModel],
  ...[
    '--set',
    'performance.maxTrials=3',
    '--set',
    'performance.warmupMs=100',
    '--measurement-interval-ms',
    '400',
  ],
  ...['--batch-sizes', '1,2,4', '--concurrency', '1,2'],
];

/** Process ids of tritonserver processes that serve a run of this home. */
function servers(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return command.includes('tritonserver\0') && command.includes(homeLayout(home.path).runs);
      } catch {
        return false;
      }
    });
}

async function measurements(runId: string) {
  const { entries } = await readJournal(runFolder(join(homeLayout(home.path).runs, runId)).journal);
  return entries.flatMap((entry) => (entry.type === 'measurement' ? [entry] : []));
}

async function runIdOf(started: CliRun): Promise<string> {
  return (await started.line(/^Run /)).slice('Run '.length);
}

/** Resumes to the end and checks that what had been measured was kept and not measured again. */
async function resumesWithoutRepeating(runId: string): Promise<void> {
  const before = await measurements(runId);
  expect(before.length).toBeGreaterThan(0);
  const result = await cli(home.path, 'resume', runId, '--json');
  expect(result.code).toBe(0);
  const after = await measurements(runId);
  expect(after.slice(0, before.length)).toEqual(before);
  expect(new Set(after.map((entry) => entry.key)).size).toBe(after.length);
  const document = documentOf(result);
  expect(document.offline.map((point) => point.batchSize)).toEqual([1, 2, 4]);
  expect(document.online.map((point) => point.concurrency)).toEqual([1, 2]);
  expect(servers()).toEqual([]);
}

/** Nothing agrees so closely; nobody cuts these levels short. */
const strict = ['--atol', '1e-12', '--rtol', '1e-12', '--measurement-interval-ms', '100'];

describe('a run that cannot go on', () => {
  /** The run that the gate has stopped. */
  let stopped: string;

  it('names the weights file that does not fit', async () => {
    const path = join(home.path, 'weights.pt');
    await writeFile(path, 'not a state dictionary');
    const result = await cli(home.path, ...run, '--checkpoint', path);
    expect(result.code).toBe(1);
    const document = documentOf(result);
    expect(document.status).toBe('failed');
    expect(document.error?.code).toBe('checkpoint-invalid');
    expect(JSON.stringify(document.error)).toContain('weights.pt');
    expect(document.steps.find((step) => step.id === 'configure')?.status).toBe('waiting');
  });

  it('stops at the accuracy gate before measuring', async () => {
    const result = await cli(home.path, ...run, ...strict);
    expect(result.code).toBe(3);
    const document = documentOf(result);
    stopped = document.runId;
    expect(document.status).toBe('gate-failed');
    expect(document.accuracy?.reasons[0]).toContain('OUTPUT__0');
    expect(document.offline).toEqual([]);
    expect(servers()).toEqual([]);
  });

  if (takesAll) {
    it('goes on when told from the beginning, marked unverified', async () => {
      const levels = ['--batch-sizes', '1', '--concurrency', '1'];
      const printed = await cli(home.path, ...run, ...strict, '--allow-unverified', ...levels);
      expect(printed.code).toBe(0);
      expect(documentOf(printed).unverified).toBe(true);
      expect(servers()).toEqual([]);
    });
  }

  if (takesAll) {
    it('that stopped at the gate measures when resumed so, is marked unverified, and its journal says who chose', async () => {
      const plain = await cli(home.path, 'resume', stopped, '--json');
      expect(plain.code).toBe(3);
      const printed = await cli(home.path, 'resume', stopped, '--allow-unverified', '--json');
      expect(printed.code).toBe(0);
      const document = documentOf(printed);
      expect(document.unverified).toBe(true);
      expect(document.offline.map((point) => point.batchSize)).toEqual([1, 2, 4]);
      const { entries } = await readJournal(join(home.path, 'runs', stopped, 'journal.jsonl'));
      expect(entries.filter(({ type }) => type === 'gate-overridden')).toHaveLength(1);
    });
  }

  it('names the port that is taken', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      const result = await cli(home.path, ...run, '--http-port', String(port));
      expect(result.code).toBe(1);
      expect(documentOf(result).error?.code).toBe('port-taken');
      expect(documentOf(result).error?.message).toContain(String(port));
      // Before the export: no run is created.
      expect(result.stderr).not.toContain(stepTitle.export);
    } finally {
      server.close();
    }
  });

  it.each([
    ['unknown preset', ['run', 'nothing', '--json'], 'preset-unknown'],
    ['a batch above the maximum', [...run, '--batch-sizes', '64', '--max-batch-size', '8'], 'spec-invalid'],
    [
      'an accelerator that CPU has not',
      [...run, '--set', 'BACKEND_ACCELERATOR=trt'],
      'combination-unsupported',
    ],
    ['an unknown field', [...run, '--set', 'performance.nothing=1'], 'spec-invalid'],
    ['a run that is not there', ['resume', 'nothing', '--json'], 'run-unknown'],
  ])('refuses %s as usage', async (_name, args, code) => {
    const result = await cli(home.path, ...args);
    expect(result.code).toBe(2);
    expect((JSON.parse(result.stdout) as { error: { code: string } }).error.code).toBe(code);
  });
});

describe('a run that is cut short in a sweep', () => {
  if (takesAll) {
    it('M15: measures a level again with a fresh Triton when that was killed in it, and says so', async () => {
      const started = startCli(home.path, run);
      const runId = await runIdOf(started);
      await started.line(/offline: batch size 1,/);
      const [killed = 0] = servers();
      process.kill(killed, 'SIGKILL');
      const result = await started.result;
      expect(result.code).toBe(0);
      const { offline, online } = documentOf(result);
      expect(offline.map(({ batchSize, restarts }) => [batchSize, restarts])).toEqual([
        [1, undefined],
        [2, 1],
        [4, undefined],
      ]);
      expect(online.map(({ restarts }) => restarts)).toEqual([undefined, undefined]);
      // What it was tried for, and the last lines of the Triton that was killed.
      expect(result.stderr).toContain('SIGKILL while batch size 2, concurrency 1 was measured');
      const measured = (await measurements(runId)).filter(({ point }) => point.batchSize === 2);
      expect(measured).toHaveLength(1);
      expect(servers()).toEqual([]);
    });

    it('M15: has a hole where three Tritons were killed, and measures the other levels', async () => {
      const started = startCli(home.path, run);
      const runId = await runIdOf(started);
      for (const begun of [/offline: batch size 1,/, /: try 2, with/, /: try 3, with/]) {
        await started.line(begun);
        for (const pid of servers()) process.kill(pid, 'SIGKILL');
      }
      const result = await started.result;
      expect(result.code).toBe(1);
      const { error, offline, online } = documentOf(result);
      await printRow({
        what: 'a level of a run whose Triton is killed in each try',
        trials: 3,
        result: `${offline.length + online.length} of the 4 other levels measured, ${error?.message ?? 'no error told'}`,
      });
      expect(error).toMatchObject({
        code: 'measurement-failed',
        message: '1 of 3 levels returned no result',
      });
      expect(error?.details).toContain('the last of 3 tries');
      expect(offline.map(({ batchSize }) => batchSize)).toEqual([1, 4]);
      expect(online.map(({ concurrency }) => concurrency)).toEqual([1, 2]);
      const { entries } = await readJournal(runFolder(join(homeLayout(home.path).runs, runId)).journal);
      const [hole, ...others] = entries.filter(({ type }) => type === 'measurement-missing');
      expect(hole).toMatchObject({ batchSize: 2, error: { code: 'server-gone' } });
      expect(others).toEqual([]);
      expect(servers()).toEqual([]);
      await resumesWithoutRepeating(runId);
    });
  }

  it('keeps what was measured on Ctrl-C, and goes on from there', async () => {
    const started = startCli(home.path, run);
    const runId = await runIdOf(started);
    await started.line(/offline: batch size 1,/);
    started.child.kill('SIGINT');
    const result = await started.result;
    expect(result.code).toBe(130);
    expect(documentOf(result).status).toBe('cancelled');
    expect(servers()).toEqual([]);
    await resumesWithoutRepeating(runId);
  });

  if (takesAll) {
    it('can be cancelled from another terminal', async () => {
      const started = startCli(home.path, run);
      const runId = await runIdOf(started);
      await started.line(/offline: batch size 1,/);
      // It stands still until it has been asked: on a busy machine it would be through before.
      started.child.kill('SIGSTOP');
      const asked = await cli(home.path, 'cancel', runId);
      started.child.kill('SIGCONT');
      expect(asked.code).toBe(0);
      expect((await started.result).code).toBe(130);
    });
  }

  it('survives kill -9 of the workbench: the next start ends its Triton, and resume goes on', async () => {
    const started = startCli(home.path, run);
    const runId = await runIdOf(started);
    await started.line(/offline: batch size 2,/);
    started.child.kill('SIGKILL');
    await started.result;
    expect(servers()).toHaveLength(1);
    const shown = await cli(home.path, 'show', runId, '--json');
    expect(documentOf(shown).status).toBe('interrupted');
    expect(servers()).toEqual([]);
    await resumesWithoutRepeating(runId);
  });
});
