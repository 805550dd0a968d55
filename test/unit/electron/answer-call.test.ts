import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerCall } from '../../../electron/answer-call';
import { api, type Handlers } from '../../../main/contract/api';
import { WorkbenchError } from '../../../main/contract/errors';

/** Handlers that only note what reached them. */
function notingHandlers(): { readonly handlers: Promise<Handlers>; readonly reached: [string, unknown][] } {
  const reached: [string, unknown][] = [];
  const entries = Object.keys(api).map((name) => [
    name,
    (input: unknown) => {
      reached.push([name, input]);
      return Promise.resolve(`answer of ${name}`);
    },
  ]);
  return { handlers: Promise.resolve(Object.fromEntries(entries) as Handlers), reached };
}

describe('a call from the window', () => {
  it('reaches its handler with parsed input', async () => {
    const { handlers, reached } = notingHandlers();
    expect(await answerCall(handlers, 'runs.past', { runId: 'a' })).toEqual({
      ok: true,
      value: 'answer of runs.past',
    });
    expect(reached).toEqual([['runs.past', { runId: 'a' }]]);
  });

  it('has the answer as its text where the contract says so', async () => {
    const { handlers } = notingHandlers();
    expect(await answerCall(handlers, 'runs.get', { runId: 'a' })).toEqual({
      ok: true,
      text: { json: '"answer of runs.get"', lists: [] },
    });
  });

  it('keeps code, place and details of an error', async () => {
    const handlers = Promise.resolve({
      'runs.get': () =>
        Promise.reject(new WorkbenchError('run-unknown', 'None', { where: 'here', details: 'd' })),
    } as unknown as Handlers);
    expect(await answerCall(handlers, 'runs.get', { runId: 'a' })).toEqual({
      ok: false,
      error: { code: 'run-unknown', message: 'None', where: 'here', details: 'd' },
    });
  });

  it('is answered when the core could not be made', async () => {
    const failed = Promise.reject<Handlers>(new WorkbenchError('file-unwritable', 'No home'));
    expect(await answerCall(failed, 'app.info', undefined)).toMatchObject({
      ok: false,
      error: { code: 'file-unwritable' },
    });
  });

  it('does nothing for a name that is not in the contract', async () => {
    const { handlers, reached } = notingHandlers();
    for (const name of ['__proto__', 'constructor', 'toString', 'runs.remove', '', 7, null, ['runs.list']]) {
      expect(await answerCall(handlers, name, undefined)).toMatchObject({ ok: false });
    }
    expect(reached).toEqual([]);
  });

  it('never lets through what the schema does not know, and never rejects', async () => {
    const { handlers, reached } = notingHandlers();
    const name = fc.oneof(fc.constantFrom<unknown>(...Object.keys(api)), fc.anything());
    await fc.assert(
      fc.asyncProperty(
        name,
        fc.anything({ withNullPrototype: true, withBigInt: true }),
        async (call, input) => {
          const before = reached.length;
          const answer = await answerCall(handlers, call, input);
          if (reached.length === before) {
            expect(answer.ok).toBe(false);
          } else {
            const [reachedName, value] = reached.at(-1) ?? [''];
            expect(reachedName).toBe(call);
            expect(api[reachedName as keyof typeof api].input.safeParse(value).success).toBe(true);
          }
        },
      ),
      { numRuns: 10_000 },
    );
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
