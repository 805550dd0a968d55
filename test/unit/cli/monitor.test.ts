import { expect, it } from 'vitest';
import { exitCodes } from '../../../main/cli/output';
import type { CoreEvent } from '../../../main/contract/api';
import type { Alert } from '../../../main/contract/monitor/monitor';
import type { Core } from '../../../main/core';
import { programWith, said } from '../../support/cli-program';
import { rejection } from '../../support/rejection';
import { sample } from '../monitor/fixtures';

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

it('says at the end what fired, since when, and which files were written', async () => {
  const alert: Alert = {
    ...{ ruleId: 'probe-p99-ms-1', subject: 'echo/1', state: 'firing', sinceMs: Date.UTC(2026, 0, 5, 12) },
    text: 'p99 of the probes 45.16 ms, above 1 ms',
  };
  const pending: Alert = { ...alert, ruleId: 'queue-ms-2', state: 'pending' };
  const samples = [
    { ...alert, text: 'p99 of the probes 2.00 ms, above 1 ms' },
    alert,
    { ...alert, state: 'resolved' as const, sinceMs: alert.sinceMs + 9000 },
  ];
  const done = () => Promise.resolve(null);
  let tell: (event: CoreEvent) => void = () => undefined;
  const core = {
    handlers: {
      'monitor.replayFile': () => {
        for (const one of samples)
          tell({ type: 'monitor-sample', sample: sample(0), alerts: [one, pending] });
        return Promise.resolve(null);
      },
      'monitor.write': done,
    },
    subscribe: (listener: typeof tell) => {
      tell = listener;
      return () => undefined;
    },
  } as unknown as Core;
  const { text, codes } = await said(core, 'monitor', '--replay', 'a.jsonl', '--csv', '/tmp/watched.csv');
  expect(text.split('\n').slice(-2)).toEqual([
    'Alert fired: echo/1: p99 of the probes 45.16 ms, above 1 ms, since 2026-01-05T12:00:00Z',
    'Written: /tmp/watched.csv',
  ]);
  expect(codes).toEqual([exitCodes.alert]);
});

it('says that no sample of the server came in the time, in place of nothing', async () => {
  const core = {
    handlers: { 'monitor.watch': () => Promise.resolve(null) },
    subscribe: () => () => undefined,
  } as unknown as Core;
  const error = await rejection(said(core, 'monitor', '--url', 'localhost:8000', '--for', '0.05'));
  expect(error).toMatchObject({ code: 'server-unreachable', where: 'http://localhost:8000' });
});
