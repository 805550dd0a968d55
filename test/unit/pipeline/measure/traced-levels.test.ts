import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { JournalBody } from '../../../../main/contract/run/run-events';
import type { DeployedRun } from '../../../../main/contract/run/run-state';
import type { ServerHandle } from '../../../../main/engine/engine';
import { localTraces } from '../../../../main/engine/local/local-traces';
import type { MeasureInput } from '../../../../main/perf/load-tool';
import { readSlowRequests } from '../../../../main/perf/trace/read-slow-requests';
import { endLeftTracing, traceLevels } from '../../../../main/pipeline/measure/traced-levels';
import type { StepContext } from '../../../../main/pipeline/step';
import {
  createdBodies,
  measurementBody,
  pointFixture,
  specFixture,
  stateOf,
} from '../../../support/run-state';
import { startTracedTriton, type TracedTriton } from '../../../support/traced-triton';
import { httpStamps, traceFile } from '../../../support/triton-trace';
import { until } from '../../../support/until';

let dir: string;
let triton: TracedTriton;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'traced-levels-'));
  triton = await startTracedTriton();
});
afterEach(async () => {
  await triton.close();
  await rm(dir, { recursive: true, force: true });
});

const putBack = { trace_level: null, trace_rate: null, trace_count: null, log_frequency: null };
const point = pointFixture({ concurrency: 4, inferencesPerSecond: 1000 });
const level = measurementBody('online', point);

/** A Triton that traces what a load sends, until it is stopped. */
async function traceAll(signal: AbortSignal): Promise<never> {
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  await Promise.race([
    aborted,
    until('tracing is on', () => triton.own('resnet50').trace_level !== undefined),
  ]);
  const requests = [{ id: 1, model: 'resnet50', atUs: httpStamps(0, 5, 100) }];
  if (!signal.aborted) await writeFile(join(dir, 'trace.json.0'), traceFile(requests));
  triton.trace('resnet50', 200);
  await aborted;
  throw new Error('stopped');
}

interface Given {
  readonly bodies?: readonly JournalBody[];
  readonly server?: ServerHandle | null;
  readonly requests?: number;
  readonly measure?: (input: MeasureInput) => Promise<unknown>;
}

function stepWith({ bodies = [level], server, requests = 200, measure }: Given = {}) {
  const spec = specFixture((change) => {
    change.performance.traceRequests = requests;
  });
  const all: JournalBody[] = [...createdBodies(), ...bodies];
  const warnings: string[] = [];
  const own: ServerHandle = {
    ...{ httpAddress: triton.address, grpcAddress: '', metricsAddress: null, tritonVersion: '2.51.0' },
    ...{ forClients: { httpAddress: '', grpcAddress: '' }, pid: null, stop: () => Promise.resolve() },
    exited: new Promise(() => undefined),
    traces: localTraces(dir),
  };
  const run = {
    ...{ spec, server: server === undefined ? own : server, pauseAsked: () => false },
    state: () => stateOf(all) as DeployedRun,
    append: (body: JournalBody) => Promise.resolve(all.push(body)),
    services: {
      loadTools: { native: { measure: measure ?? (({ signal }: MeasureInput) => traceAll(signal)) } },
      readers: { slowRequests: ({ path }: { readonly path: string }) => readSlowRequests(path) },
    },
  };
  const context = {
    ...{ run, spec, dir, signal: new AbortController().signal },
    ...{ log: () => undefined, progress: () => undefined, warning: (text: string) => warnings.push(text) },
  } as unknown as StepContext;
  const inputOf = (_turn: unknown, { signal }: { readonly signal: AbortSignal }) =>
    ({ workDir: join(dir, 'level'), signal }) as MeasureInput;
  const events = () => all.flatMap((body) => (body.type === 'trace' ? [body.event.kind] : []));
  return { context, warnings, events, inputOf, state: run.state };
}

it('traces each measured level once, and puts the settings back', async () => {
  const { context, events, inputOf, state, warnings } = stepWith();
  expect(await traceLevels(context, 'online', inputOf)).toBe(true);
  expect(warnings).toEqual([]);
  expect(events()).toEqual(['begun', 'put-back', 'traced']);
  const [traced] = state().traces.levels;
  expect(traced?.slow).toMatchObject([{ model: 'resnet50', requests: 1 }]);
  expect(triton.own('resnet50')).toEqual({});
  expect(state().scenarios.online.points).toHaveLength(1);

  expect(await traceLevels(context, 'online', inputOf)).toBe(true);
  expect(events()).toHaveLength(3);
});

it('sends nothing where none is asked for', async () => {
  const { context, events, inputOf } = stepWith({ requests: 0 });
  expect(await traceLevels(context, 'online', inputOf)).toBe(true);
  expect(events()).toEqual([]);
  expect(triton.calls).toEqual([]);
});

it('warns of a Triton without a trace file, and of a load that fails: the results are complete', async () => {
  const others = stepWith({ server: null });
  expect(await traceLevels(others.context, 'online', others.inputOf)).toBe(true);
  expect(others.warnings).toHaveLength(1);
  const failing = stepWith({ measure: () => Promise.reject(new Error('no load')) });
  expect(await traceLevels(failing.context, 'online', failing.inputOf)).toBe(true);
  expect(failing.warnings[0]).toContain('no load');
  expect(failing.state().traces).toMatchObject({ pending: null, levels: [{ problem: 'no load' }] });
});

it('puts back what a killed attempt left on before anything is measured', async () => {
  await triton.close();
  triton = await startTracedTriton({
    models: { resnet50: { trace_level: ['TIMESTAMPS'], trace_rate: '1' } },
  });
  const begun: JournalBody = {
    ...{ type: 'trace', scenario: 'online', key: 'k' },
    event: { kind: 'begun', tracing: { model: 'resnet50', putBack } },
  };
  const { context, events, state } = stepWith({ bodies: [begun, level] });
  await endLeftTracing(context, 'online');
  expect(triton.own('resnet50')).toEqual({});
  expect(state().traces.pending).toBeNull();
  await endLeftTracing(context, 'online');
  expect(events()).toEqual(['begun', 'put-back']);
});
