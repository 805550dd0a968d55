import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { exec } from '../../../main/platform/exec';
import {
  childOfText,
  childOfVariable,
  endLeftChildren,
  readChildOf,
} from '../../../main/platform/left-children';
import { ownIdentity, pidNamespace, processStartTime } from '../../../main/platform/process';
import { bundleChild, startChild as startProgram } from '../../support/child-program';

/** For a process to start or to end, on a busy machine too. */
const patient = { timeout: 30_000 };
const started: ChildProcess[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

const own = { ...ownIdentity(), pidNamespace: pidNamespace() };
/** An id that runs, under a start time that is not its own, as after reuse. */
const dead = { ...own, startTime: '1' };

function carrying(mark: string, script = 'exec sleep 600'): number {
  const child = spawn('sh', ['-c', script], { env: { ...process.env, [childOfVariable]: mark } });
  started.push(child);
  return child.pid ?? 0;
}

it('marks a child and all that it starts with its workbench', async () => {
  const lines: string[] = [];
  await exec({
    argv: ['sh', '-c', `sh -c 'echo $${childOfVariable}'`],
    env: { PATH: process.env['PATH'] },
    onStdoutLine: (line) => lines.push(line),
  });
  expect(lines.map(readChildOf)).toEqual([own]);
});

const startTimes = (pids: readonly number[]) => pids.map(processStartTime);

it('ends what a dead workbench started, and nothing else', async () => {
  const left = [
    carrying(childOfText(dead)),
    carrying(childOfText(dead), `trap '' INT TERM; sleep 600; true`),
  ];
  const kept = [
    carrying(childOfText(own)),
    carrying(childOfText({ ...dead, pidNamespace: '1' })),
    carrying('of nobody'),
    carrying(''),
  ];
  await endLeftChildren();
  expect(startTimes(left)).toEqual([null, null]);
  expect(startTimes(kept)).not.toContain(null);
});

describe('a program and what it starts', () => {
  let dir: string;
  let file: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'children-'));
    file = await bundleChild('start-sleep', dir);
  });
  afterAll(() => rm(dir, { recursive: true }));

  const started = async (then: string) => {
    const workbench = startProgram(file, [then]);
    await vi.waitFor(() => {
      expect(workbench.lines).toHaveLength(1);
    }, patient);
    return { workbench, pids: (workbench.lines[0] ?? '').split(' ').map(Number) };
  };

  it('outlive a kill -9 of their workbench until another one looks', async () => {
    const { workbench, pids } = await started('wait');
    await endLeftChildren();
    expect(startTimes(pids)).not.toContain(null);
    await workbench.kill();
    expect(startTimes(pids)).not.toContain(null);
    expect(await endLeftChildren()).toEqual(expect.arrayContaining(pids));
    expect(startTimes(pids)).toEqual([null, null]);
  });

  it('end with a workbench that exits without waiting for them', async () => {
    const { workbench, pids } = await started('exit');
    await workbench.ended;
    await vi.waitFor(() => {
      expect(startTimes(pids)).toEqual([null, null]);
    }, patient);
  });
});

it('goes on where a child may not be ended, and says so', async () => {
  const controller = new AbortController();
  const pids: number[] = [];
  const kill = process.kill.bind(process);
  vi.spyOn(process, 'kill').mockImplementation(() => {
    throw Object.assign(new Error('a fault of this test: kill EPERM'), { code: 'EPERM' });
  });
  const result = await exec({
    argv: ['sleep', '600'],
    env: process.env,
    signal: controller.signal,
    killGraceMs: 1,
    onStart: (pid) => {
      pids.push(pid);
      queueMicrotask(() => {
        controller.abort();
      });
    },
  });
  vi.restoreAllMocks();
  for (const pid of pids) kill(pid, 'SIGKILL');
  expect(result).toMatchObject({ exitCode: null, aborted: true });
  expect(result.stderrTail.join()).toContain(`Process group ${pids[0] ?? ''} runs as another user`);
});
