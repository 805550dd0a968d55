import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createLocalPython } from '../../../main/toolkit/local-python';
import { createProgressFilter, createToolkit, type ToolkitListener } from '../../../main/toolkit/toolkit';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'toolkit-'));
});
afterEach(async () => {
  await rm(dir, { recursive: true });
});

/** A fake interpreter that misbehaves as told: the faults of a toolkit command, not its work. */
async function faultyPython(script: string) {
  const python = join(dir, 'python');
  await writeFile(python, `#!/bin/sh\n${script}\n`);
  await chmod(python, 0o755);
  return createToolkit(createLocalPython({ python, resources: dir, env: process.env }));
}

function listener(signal = new AbortController().signal) {
  const received: string[] = [];
  const value: ToolkitListener = {
    signal,
    log: (lines) => received.push(...lines.map((line) => `log ${line}`)),
    progress: (fraction, text) => received.push(`progress ${fraction ?? '?'} ${text}`),
    fact: (name, text) => received.push(`fact ${name} ${text}`),
    warning: (text) => received.push(`warning ${text}`),
    command: (argv) => {
      received.push(`command ${argv.slice(1).join(' ')}`);
      return Promise.resolve();
    },
  };
  return { value, received };
}

const result = z.object({ samples: z.int() });

describe('toolkit.call', () => {
  it('passes lines on and gives the result', async () => {
    const toolkit = await faultyPython(
      `echo '{"type":"fact","name":"a","value":"b"}'; echo noise; echo '{"type":"progress","fraction":null,"text":"t"}'; echo '{"type":"result","samples":3}'`,
    );
    const { value, received } = listener();
    expect(
      await toolkit.call({ verb: 'verify', args: [['--atol', 'x=1'], ['--flag']] }, result, value),
    ).toEqual({
      samples: 3,
    });
    expect(received).toEqual([
      'command -m toolkit verify --atol x=1 --flag',
      'fact a b',
      'log noise',
      'progress ? t',
      'log t',
    ]);
  });

  it.each([
    [
      'the error of the verb',
      `echo '{"type":"error","code":"checkpoint-invalid","message":"m","where":null}'; exit 1`,
      'checkpoint-invalid',
    ],
    ['an exit code without an error', `echo trace >&2; exit 3`, 'toolkit-failed'],
    ['success without a result', `exit 0`, 'toolkit-failed'],
    ['a result of another form', `echo '{"type":"result","samples":"many"}'`, 'toolkit-failed'],
    ['a result and a failing exit', `echo '{"type":"result","samples":3}'; exit 1`, 'toolkit-failed'],
    ['death by a signal', `kill -9 $$`, 'toolkit-failed'],
  ])('throws on %s', async (_name, script, code) => {
    const toolkit = await faultyPython(script);
    await expect(toolkit.call({ verb: 'verify', args: [] }, result, listener().value)).rejects.toMatchObject({
      code,
    });
  });

  it('keeps the last log lines as evidence', async () => {
    const toolkit = await faultyPython(`echo first >&2; echo last >&2; exit 1`);
    await expect(toolkit.call({ verb: 'verify', args: [] }, result, listener().value)).rejects.toMatchObject({
      details: 'first\nlast',
    });
  });

  it('is cancelled by its signal, children included', async () => {
    const controller = new AbortController();
    const toolkit = await faultyPython(
      `echo '{"type":"progress","fraction":0,"text":"on"}'; sleep 600 & wait`,
    );
    const { value } = listener(controller.signal);
    const call = toolkit.call({ verb: 'verify', args: [] }, result, {
      ...value,
      progress: () => {
        controller.abort();
      },
    });
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('says that Python is not installed', async () => {
    const toolkit = createToolkit(
      createLocalPython({ python: join(dir, 'none'), resources: dir, env: process.env }),
    );
    await expect(toolkit.call({ verb: 'verify', args: [] }, result, listener().value)).rejects.toMatchObject({
      code: 'toolchain-missing',
    });
  });
});

it('logs new words at once, the same words with other numbers once per second, and nothing twice', () => {
  let nowMs = 0;
  const logged = createProgressFilter(() => nowMs);
  const isReported = (text: string, atMs: number): boolean => {
    nowMs = atMs;
    return logged(text);
  };
  expect(isReported('Loading the model', 0)).toBe(true);
  expect(isReported('Epoch 1 of 3, loss 2.301', 10)).toBe(true);
  expect(isReported('Epoch 1 of 3, loss 1.950', 210)).toBe(false);
  expect(isReported('Epoch 2 of 3, loss 1.100', 1010)).toBe(true);
  expect(isReported('Epoch 2 of 3, loss 1.100', 9000)).toBe(false);
  expect(isReported('Weights saved', 9001)).toBe(true);
});
