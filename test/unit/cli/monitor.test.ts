import { expect, it } from 'vitest';
import { programWith } from '../../support/cli-program';
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
