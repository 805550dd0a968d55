import { expect, it } from 'vitest';
import type { Core } from '../../../main/core';
import { programWith, said } from '../../support/cli-program';
import { rejection } from '../../support/rejection';

const run = (...words: readonly string[]) =>
  rejection(programWith().parseAsync(['monitor', ...words], { from: 'user' }));

it('watches a server or replays a recording, and not both', async () => {
  for (const words of [[], ['--url', 'localhost:8000', '--replay', 'a.jsonl']])
    expect(await run(...words)).toMatchObject({ code: 'input-invalid', where: 'monitor' });
});

it.each([
  ['--metrics-url', 'localhost:8002'],
  ['--host', 'rack'],
  ['--header', 'A: b'],
  ['--probe', 'resnet50'],
  ['--shape', 'x:3'],
  ['--record', 'b.jsonl'],
])('does not pass over %s beside --replay', async (flag, value) => {
  const error = await run('--replay', 'a.jsonl', flag, value);
  expect(error).toMatchObject({ code: 'input-invalid', where: flag });
});

it('says that no sample of the server came in the time, in place of nothing', async () => {
  const core = {
    handlers: { 'monitor.watch': () => Promise.resolve(null) },
    subscribe: () => () => undefined,
  } as unknown as Core;
  const error = await rejection(said(core, 'monitor', '--url', 'localhost:8000', '--for', '0.05'));
  expect(error).toMatchObject({ code: 'server-unreachable', where: 'http://localhost:8000' });
});
