import { afterEach, describe, expect, it, vi } from 'vitest';
import { linesSince } from '../../../../main/cli/runs/logs';
import type { Core } from '../../../../main/core';
import { programWith } from '../../../support/cli-program';

afterEach(() => vi.restoreAllMocks());

describe('linesSince', () => {
  it.each([
    ['nothing new', ['a', 'b'], ['a', 'b'], []],
    ['what was added', ['a'], ['a', 'b', 'c'], ['b', 'c']],
    ['what is behind a beginning that is read no more', ['a', 'b', 'a'], ['b', 'a', 'c'], ['c']],
    ['all of a log that begins anew', ['a', 'b'], ['x', 'y'], ['x', 'y']],
    ['all of the first look', [], ['a'], ['a']],
  ])('gives %s', (_what, before, now, since) => {
    expect(linesSince(before, now)).toEqual(since);
  });
});

/** A run whose log grows by what is in `looks`, and which ends with the last of them. */
function growing(contents: readonly Readonly<Partial<Record<string, readonly string[]>>>[]): Core {
  let poll = 0;
  return {
    handlers: {
      'runs.all': () => Promise.resolve({ runs: [{ runId: 'a', name: null }], unreadable: [] }),
      'runs.show': () => {
        poll += 1;
        return Promise.resolve({ state: { status: poll < contents.length ? 'running' : 'done' } });
      },
      'runs.log': ({ step }: { step: string }) =>
        Promise.resolve(contents[poll - 1]?.[step] ?? contents[0]?.[step] ?? []),
    },
  } as unknown as Core;
}

async function printed(core: Core, ...words: string[]): Promise<string> {
  const chunks: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    chunks.push(String(chunk));
    return true;
  });
  await programWith({ core: () => Promise.resolve(core) }).parseAsync(['logs', ...words], { from: 'user' });
  vi.restoreAllMocks();
  return chunks.join('');
}

describe('logs', () => {
  it('prints the end of each step, under its title', async () => {
    const core = growing([{ export: ['one', 'two'], deploy: ['three'] }]);
    expect(await printed(core, 'a', '--tail', '1')).toBe(
      '== Export model\ntwo\n== Deploy on Triton\nthree\n',
    );
  });

  it.each(['0', '2.5', '-3'])('refuses the last %s lines', async (tail) => {
    await expect(printed(growing([{}]), 'a', `--tail=${tail}`)).rejects.toMatchObject({
      code: 'input-invalid',
      where: '--tail',
    });
  });

  it('follows a run to its end, without what was printed', async () => {
    const core = growing([
      { export: ['one'] },
      { export: ['one', 'two'] },
      { export: ['one', 'two', 'three'] },
    ]);
    expect(await printed(core, 'a', 'export', '-f')).toBe('one\ntwo\nthree\n');
  });
});

it('follows no longer when nobody reads any more, as behind "| head"', async () => {
  let contents = 0;
  // As in the program: a pipe whose reader has gone does not end it by itself.
  const outlive = () => undefined;
  process.stdout.on('error', outlive);
  const core = {
    handlers: {
      'runs.all': () => Promise.resolve({ runs: [{ runId: 'a', name: null }], unreadable: [] }),
      'runs.show': () => Promise.resolve({ state: { status: contents < 3 ? 'running' : 'done' } }),
      'runs.log': () => {
        contents += 1;
        // As Node tells it of a pipe whose reader has gone.
        process.stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
        return Promise.resolve([]);
      },
    },
  } as unknown as Core;
  await programWith({ core: () => Promise.resolve(core) }).parseAsync(['logs', 'a', 'export', '-f'], {
    from: 'user',
  });
  process.stdout.off('error', outlive);
  expect(contents).toBe(1);
});
