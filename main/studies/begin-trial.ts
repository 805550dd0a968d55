import { localHost } from '../contract/host/host-name';
import type { Choice } from '../contract/run/spec-tools';
import { mergeTrees } from '../contract/trees';
import type {
  EndedTrial,
  HostAllocation,
  PlacedTrial,
  PlannedTrial,
  StudyHands,
  StudySession,
  StudyStops,
} from './study-hands';

/** The trial's choice, at the given place. */
function choiceAt({ preset, overrides }: Choice, allocation: HostAllocation | null): Choice {
  if (allocation === null) return { preset, overrides };
  const host = allocation.host === localHost ? {} : { host: allocation.host };
  const gpus = allocation.gpus === null ? {} : { gpus: [...allocation.gpus] };
  return { preset, overrides: mergeTrees(overrides, { engine: { kind: 'docker', ...host, ...gpus } }) };
}

/** Finds or creates the run. @param allocation null: as its specification says */
export async function createdRun(
  { hands, spec: study }: StudySession,
  trial: PlannedTrial,
  allocation: HostAllocation | null = null,
): Promise<string> {
  if (trial.state !== null) return trial.state.runId;
  const { name, p99BudgetMs, skipPreflight = false } = study;
  const spec = await hands.resolve(choiceAt(trial.choice, allocation));
  const matrix = { name, entry: trial.entry };
  const how = { skipPreflight, matrix, p99BudgetMs, ofFile: true };
  const runId = await hands.runs.create(spec, undefined, how);
  await hands.runs.annotate(runId, { tags: [name], note: '' });
  return runId;
}

/** Adds the journaled state. */
export const withState = async <Trial extends PlannedTrial>(
  { hands }: Pick<StudySession, 'hands'>,
  trial: Trial,
  runId: string | null,
): Promise<Trial> => ({
  ...trial,
  state: runId === null ? null : (await hands.store.load(runId)).state,
});

/** Passes the study's stops to the run. @returns the disposer */
export function stopWith(
  {
    hands,
    stops,
  }: Pick<StudySession, 'stops'> & {
    readonly hands: { readonly runs: Pick<StudyHands['runs'], 'cancel' | 'pause'> };
  },
  runId: string,
  asks: Readonly<Partial<Record<keyof StudyStops, 'pause' | 'cancel'>>>,
): () => void {
  const listening = Object.entries(asks).map(([stop, how]) => {
    const { signal } = stops[stop as keyof StudyStops];
    const ask = (): void => {
      hands.runs[how](runId).catch(() => undefined);
    };
    if (signal.aborted) ask();
    signal.addEventListener('abort', ask);
    return () => signal.removeEventListener('abort', ask);
  });
  return () => {
    for (const dispose of listening) dispose();
  };
}

/** Stopped before it began. */
export const notBegun = ({ stops: { pause, cancel } }: StudySession, trial: PlannedTrial): EndedTrial => ({
  ...trial,
  outcome: pause.signal.aborted && !cancel.signal.aborted ? 'paused' : 'cancelled',
});

export const isDue = ({ leftOut, error, state }: PlannedTrial): boolean =>
  leftOut === null && error === null && state?.status !== 'done';

/** Left unchanged. */
export const notDue = (trial: PlacedTrial): EndedTrial => ({ ...trial, outcome: null });
