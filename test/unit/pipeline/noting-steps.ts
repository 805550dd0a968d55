import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { type JournalBody, type StepId, stepsOf } from '../../../main/contract/run/run-events';
import { reduceRun, type RunState } from '../../../main/contract/run/run-state';
import { stepKeys } from '../../../main/pipeline/plan';
import { runPipeline } from '../../../main/pipeline/runner';
import type { RunContext, Step, StepContext, StepOutcome } from '../../../main/pipeline/step';
import { ArtefactCache } from '../../../main/store/artefact-cache';
import { StepManifests } from '../../../main/store/file-manifest';
import { runFolder } from '../../../main/store/run-folder';
import { RunKey } from '../../../main/store/run-key';
import { deployed, runCreated, specFixture } from '../../support/run-state';

/** Of a run without containers, as the state in these tests is. */
export const stepIds = stepsOf(specFixture());

/** Where the runs of a test are, and what its steps have noted. */
export const noted: { dir: string; done: string[] } = { dir: '', done: [] };

/** To be called once in each file of tests. */
export function noteSteps(): void {
  beforeEach(async () => {
    noted.dir = await mkdtemp(join(tmpdir(), 'pipeline-'));
    noted.done = [];
  });
  afterEach(async () => {
    await rm(noted.dir, { recursive: true });
  });
}

type Doing = (context: StepContext) => Promise<StepOutcome>;

/** Steps that only note that they ran: the machinery is under test, not the steps. */
export function notingSteps(doing: Partial<Record<StepId, Doing>> = {}, extra: Partial<Step> = {}): Step[] {
  return stepIds.map((id, index) => ({
    id,
    kind: id === 'deploy' ? 'session' : id === 'export' ? 'files' : 'record',
    needs: [
      ...stepIds.slice(Math.max(0, index - 1), index),
      ...(id === 'offline' ? (['deploy'] as const) : []),
    ],
    deadlineS: 60,
    inputs: () => Promise.resolve(id),
    run: async (context) => {
      noted.done.push(id);
      return (await doing[id]?.(context)) ?? {};
    },
    undo: () => {
      noted.done.push(`undo ${id}`);
      return Promise.resolve();
    },
    ...extra,
  }));
}

export async function attempt(
  steps: readonly Step[],
  before: RunState | null,
  signal = new AbortController().signal,
  pauseAsked = () => false,
  until?: StepId,
) {
  let state: RunState = before ?? runCreated();
  const seen: JournalBody[] = [];
  const partial = {
    runId: state.runId,
    folder: runFolder(join(noted.dir, 'run')),
    spec: deployed(state).source.spec,
    state: () => state,
    append: (body: JournalBody) => {
      seen.push(body);
      state = reduceRun(state, { seq: state.seq + 1, at: '2026-01-01T00:00:00.000Z', ...body }) ?? state;
      return Promise.resolve();
    },
    manifests: new StepManifests(new RunKey(join(noted.dir, 'run-key')), state.runId),
    emit: () => undefined,
    pauseAsked,
    until,
    holdOf: () => Promise.resolve(null),
    away: new AbortController().signal,
    server: null,
  };
  const keys = await stepKeys(steps, partial as unknown as RunContext);
  const run = { ...partial, keys } as unknown as RunContext;
  await run.append({ type: 'run-started', attempt: state.attempt + 1, pid: 1 });
  const end = await runPipeline(run, steps, signal, new ArtefactCache(join(noted.dir, 'cache')));
  return { ...end, state, seen };
}

/** The state after these steps were asked for again. */
export function forgetting(state: RunState, forgotten: readonly StepId[]): RunState {
  const body = { type: 'steps-forgotten' as const, steps: [...forgotten] };
  const entry = { seq: state.seq + 1, at: '2026-01-01T00:00:00.000Z', ...body };
  return reduceRun(state, entry) ?? state;
}

export const working = () => noted.done.filter((entry) => !entry.startsWith('undo'));
export const undone = () => noted.done.filter((entry) => entry.startsWith('undo'));
