import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WorkbenchError } from '../../../main/contract/errors';
import { localTraces } from '../../../main/engine/local/local-traces';
import { endTracing, recordTrace } from '../../../main/engine/record-trace';
import { rejection } from '../../support/rejection';
import { startTracedTriton, type TracedTriton } from '../../support/traced-triton';
import { until } from '../../support/until';

type RecordTrace = Parameters<typeof recordTrace>[0];

let dir: string;
let triton: TracedTriton;
let notes: string[];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-record-'));
  notes = [];
  triton = await startTracedTriton({
    onPost: (model, { trace_level: level }) => notes.push(`POST ${model} ${JSON.stringify(level)}`),
  });
});
afterEach(async () => {
  await triton.close();
  await rm(dir, { recursive: true, force: true });
});

const input = (more: Partial<RecordTrace> = {}): RecordTrace => ({
  server: triton,
  traces: localTraces(dir),
  ...{ model: 'm', requests: 20, dir: join(dir, 'taken'), limitMs: 10_000 },
  signal: new AbortController().signal,
  begun: ({ model }) => Promise.resolve(notes.push(`begun ${model}`)),
  putBack: () => Promise.resolve(notes.push('put back')),
  ...more,
});

/** Sends until it is stopped, and traces as Triton would. */
const sending = (requests: number) => async (signal: AbortSignal) => {
  await until('tracing is on', () => triton.own('m').trace_level !== undefined);
  triton.trace('m', requests);
  await writeFile(join(dir, 'trace.json.0'), '[]');
  // It may have ended while the file was written.
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  throw new WorkbenchError('cancelled', 'Cancelled');
};

it('journals what it switches on before it does, and what it put back after', async () => {
  await writeFile(join(dir, 'trace.json.7'), 'of an interrupted recording');
  expect(await recordTrace(input({ load: sending(20) }))).toBe(1);
  expect(notes).toEqual(['begun m', 'POST m ["TIMESTAMPS"]', 'POST m null', 'put back']);
  expect(triton.own('m')).toEqual({});
  expect(await readdir(join(dir, 'taken'))).toEqual(['trace.json.0']);
  expect(await readFile(join(dir, 'taken', 'trace.json.0'), 'utf8')).toBe('[]');
});

it('puts the settings back after its limit, a cancel and a failure of the load', async () => {
  expect(await recordTrace(input({ limitMs: 300, load: sending(3) }))).toBe(1);
  expect(triton.own('m')).toEqual({});

  const cancel = new AbortController();
  const cancelled = recordTrace(input({ signal: cancel.signal }));
  await until('tracing is on', () => triton.own('m').trace_level !== undefined);
  cancel.abort(new WorkbenchError('cancelled', 'Cancelled'));
  expect((await rejection(cancelled)).code).toBe('cancelled');
  expect(triton.own('m')).toEqual({});

  const failing = () => Promise.reject(new WorkbenchError('load-tool-failed', 'no'));
  expect((await rejection(recordTrace(input({ load: failing })))).code).toBe('load-tool-failed');
  expect(triton.own('m')).toEqual({});
  expect(notes.filter((note) => note === 'put back')).toHaveLength(3);
});

it('is put back by another process where its own was killed', async () => {
  const pending: Parameters<RecordTrace['begun']>[0][] = [];
  const killed = new AbortController();
  const recording = recordTrace(
    input({
      signal: killed.signal,
      begun: (tracing) => Promise.resolve(pending.push(tracing)),
    }),
  );
  await until('tracing is on', () => triton.own('m').trace_level !== undefined);
  for (const tracing of pending) await endTracing(triton, tracing);
  expect(triton.own('m')).toEqual({});
  killed.abort();
  await recording.catch(() => undefined);
});

it('switches nothing on that is already on', async () => {
  await triton.close();
  triton = await startTracedTriton({ models: { m: { trace_level: ['TENSORS'] } } });
  const error = await rejection(recordTrace(input()));
  expect(error.message).toContain('is already on');
  expect(notes).toEqual([]);
  expect(triton.own('m')).toEqual({ trace_level: ['TENSORS'] });
});
