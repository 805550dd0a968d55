import { expect, it } from 'vitest';
import { WorkbenchError } from '../../../main/contract/errors';
import type { Core } from '../../../main/core';
import { programWith } from '../../support/cli-program';
import { rejection } from '../../support/rejection';

const core = {
  handlers: {
    'runs.all': () => Promise.resolve({ runs: [{ runId: '20261125-a', name: 'nightly' }], unreadable: [] }),
    'runs.show': ({ runId }: { readonly runId: string }) =>
      runId === '20261125-a'
        ? Promise.resolve({})
        : Promise.reject(new WorkbenchError('run-unknown', `Unknown run "${runId}"`)),
  },
} as unknown as Core;

function opened(...words: string[]) {
  const calls: (readonly string[])[] = [];
  const program = programWith({
    core: () => Promise.resolve(core),
    output: () => ({
      ...{ json: false, live: false, rewrite: () => undefined, clearScreen: () => undefined },
      ...{ say: () => undefined, document: () => undefined },
    }),
    openWindow: (args) => {
      calls.push(args);
      return Promise.resolve();
    },
  });
  return { calls, done: program.parseAsync(['open', ...words], { from: 'user' }) };
}

it('starts the window at the run that is named, or as it is', async () => {
  const named = opened('nightly');
  await named.done;
  expect(named.calls).toEqual([['triton-workbench://run/20261125-a']]);
  const plain = opened();
  await plain.done;
  expect(plain.calls).toEqual([[]]);
});

it('starts nothing for a run that is not there', async () => {
  const { calls, done } = opened('gone');
  expect(await rejection(done)).toMatchObject({ code: 'run-unknown' });
  expect(calls).toEqual([]);
});
