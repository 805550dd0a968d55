import { expect, it, vi } from 'vitest';
import { WorkbenchError } from '../../../../main/contract/errors';
import type { Core } from '../../../../main/core';
import { said } from '../../../support/cli-program';
import { rejection } from '../../../support/rejection';
import { completeBodies, stateOf } from '../../../support/run-state';

const state = stateOf(completeBodies());
const damaged = '20991231-235959-resnet50-onnx-fp32-ffffff';
const reason = 'The journal does not begin with the creation of a run';

const core = (ids: readonly string[]) => {
  const handlers = {
    'runs.ids': () => Promise.resolve(ids),
    'runs.all': vi.fn(() =>
      Promise.resolve({
        runs: [{ runId: state.runId, name: 'nightly' }],
        unreadable: ids.includes(damaged) ? [{ runId: damaged, dir: '/damaged', reason }] : [],
      }),
    ),
    'runs.show': ({ runId }: { readonly runId: string }) =>
      runId === damaged
        ? Promise.reject(new WorkbenchError('journal-corrupt', reason))
        : Promise.resolve({ state, dir: '/run' }),
    'runs.past': () => Promise.resolve([]),
    'presets.differences': () => Promise.resolve([]),
  };
  return { handlers, given: { handlers } as unknown as Core };
};

it('reads the newest run without the list of all', async () => {
  const { handlers, given } = core([state.runId]);
  expect((await said(given, 'show', 'latest')).text).toContain(`${state.runId}: `);
  expect(handlers['runs.all']).not.toHaveBeenCalled();
});

it('looks up a name in the list', async () => {
  const { handlers, given } = core([state.runId]);
  expect((await said(given, 'show', 'nightly')).text).toContain(`${state.runId}: `);
  expect(handlers['runs.all']).toHaveBeenCalled();
});

it('says of a damaged run what the list says, by latest and by its id', async () => {
  const { given } = core([state.runId, damaged]);
  expect(await rejection(said(given, 'show', 'latest'))).toMatchObject({
    code: 'input-invalid',
    message: `"latest" is ${damaged}, which cannot be read: ${reason}`,
  });
  expect(await rejection(said(given, 'show', damaged))).toMatchObject({ code: 'journal-corrupt' });
});
