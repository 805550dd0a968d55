import { expect, it } from 'vitest';
import type { WireAnswer } from '../../../main/contract/api';
import { toWireText } from '../../../main/contract/calls/wire-text';
import { createClient } from '../../../renderer/client';

const clientOf = (answer: WireAnswer) =>
  createClient({ call: () => Promise.resolve(answer), on: () => () => undefined, pathOf: () => '' });

it('reads an answer that comes as its text as it reads one that comes as a value', async () => {
  const log = ['a', 'b'];
  for (const answer of [
    { ok: true, value: log },
    { ok: true, text: toWireText(log) },
  ] as const) {
    expect(await clientOf(answer).call('support.log', { limit: 2 })).toEqual(log);
  }
});

it('rejects with the error of an answer', async () => {
  const error = { code: 'run-unknown', message: 'None' } as const;
  await expect(clientOf({ ok: false, error }).call('runs.get', { runId: 'a' })).rejects.toMatchObject(error);
});
