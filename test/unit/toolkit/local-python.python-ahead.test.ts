import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createLocalPython, createPythonAhead, type PythonAhead } from '../../../main/toolkit/local-python';
import { createToolkit, type ToolkitArgument, type ToolkitListener } from '../../../main/toolkit/toolkit';

let dir: string;
let ahead: PythonAhead;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'python-ahead-'));
  ahead = createPythonAhead(['framework']);
});
afterEach(async () => {
  ahead.close();
  await rm(dir, { recursive: true });
});

const answer = z.object({ by: z.string(), words: z.array(z.string()).optional() });
const started = 'started.txt';
/** For a process to start or to end, on a busy machine too. */
const patient = { timeout: 30_000 };

/** A fake interpreter that tells how it was asked; `whenAhead` is what it does when it is started ahead. */
async function fakePython(whenAhead: string) {
  const python = join(dir, 'python');
  await writeFile(
    python,
    `#!/bin/sh
if [ "$3" = --ahead ]; then
  echo "$$ $*" >> ${join(dir, started)}
  ${whenAhead}
else
  echo '{"type":"result","by":"start"}'
fi
`,
  );
  await chmod(python, 0o755);
  const toolkit = createToolkit(createLocalPython({ python, resources: dir, env: process.env, ahead }));
  return (verb: string, args: readonly ToolkitArgument[] = [], signal = new AbortController().signal) => {
    const nothing = () => undefined;
    const listener: ToolkitListener = {
      signal,
      log: nothing,
      progress: nothing,
      fact: nothing,
      warning: nothing,
      command: () => Promise.resolve(),
    };
    return toolkit.call({ verb, args }, answer, listener);
  };
}

const answers = `read -r words; echo "{\\"type\\":\\"result\\",\\"by\\":\\"ahead\\",\\"words\\":$words}"`;
const startedLines = () =>
  readFile(join(dir, started), 'utf8').then(
    // A file that is just made has no line yet.
    (text) => text.split('\n').filter((line) => line !== ''),
    () => [],
  );

describe('an interpreter ahead', () => {
  it('takes the next verb with its arguments, whatever it was started for', async () => {
    const call = await fakePython(answers);
    expect(await call('train')).toEqual({ by: 'start' });
    expect(await call('export', [['--format', 'onnx'], ['--flag']])).toEqual({
      by: 'ahead',
      words: ['export', '--format', 'onnx', '--flag'],
    });
    expect(await call('metrics')).toMatchObject({ by: 'ahead' });
    const lines = await startedLines();
    expect(lines.map((line) => line.split(' ').slice(1).join(' '))).toEqual(
      expect.arrayContaining(['-m toolkit --ahead framework onnx', '-m toolkit --ahead onnx onnxruntime']),
    );
  });

  it('is not there after the last verb', async () => {
    const call = await fakePython(answers);
    await call('profile-data');
    expect(await call('profile-data')).toEqual({ by: 'start' });
    expect(await startedLines()).toEqual([]);
  });

  it('that ended is not missed', async () => {
    const call = await fakePython('exit 3');
    await call('train');
    await vi.waitFor(async () => {
      expect(await startedLines()).toHaveLength(1);
    }, patient);
    const pid = Number((await startedLines())[0]?.split(' ')[0]);
    await vi.waitFor(() => {
      expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    }, patient);
    expect(await call('export')).toEqual({ by: 'start' });
  });

  it('is cancelled like one that was started for its verb', async () => {
    const call = await fakePython('read -r words; sleep 60');
    await call('train');
    const controller = new AbortController();
    const ending = call('export', [], controller.signal);
    controller.abort();
    await expect(ending).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('ends when it is closed', async () => {
    const call = await fakePython('read -r words');
    await call('train');
    await vi.waitFor(async () => {
      expect(await startedLines()).toHaveLength(1);
    }, patient);
    const pid = Number((await startedLines())[0]?.split(' ')[0]);
    process.kill(pid, 0);
    ahead.close();
    await vi.waitFor(() => {
      expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    }, patient);
  });
});
