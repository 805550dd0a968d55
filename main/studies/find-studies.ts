import { WorkbenchError } from '../contract/errors';
import type { RunSummary } from '../contract/run/run-outcome';
import type { Study, StudySummary } from '../contract/study/study';
import { isOfNewer, summaryOf, unkeptSummary } from '../domain/study/study-state';
import type { RunStore } from '../store/run-store';
import type { StudyStore } from './study-store';

interface StudiesToRead {
  readonly store: Pick<RunStore, 'list'>;
  readonly studies: StudyStore;
}

/** A study of the list; `study` null: its journal is missing, damaged, or of a newer version. `own`: its runs, oldest first. */
export interface FoundStudy {
  readonly summary: StudySummary;
  readonly study: Study | null;
  readonly own: readonly RunSummary[];
}

/** Runs of this name, oldest first; `runs` newest first. */
export const ownRuns = (runs: readonly RunSummary[], name: string): readonly RunSummary[] =>
  runs.filter(({ matrix }) => matrix?.name === name).toReversed();

/** null if unknown. Throws errors of reading. */
export async function findStudy(
  { studies }: Pick<StudiesToRead, 'studies'>,
  runs: readonly RunSummary[],
  name: string,
): Promise<FoundStudy | null> {
  const own = ownRuns(runs, name);
  const study = await studies.load(name).catch((error: unknown) => {
    if (!(error instanceof WorkbenchError)) throw error;
    if (error.code === 'journal-corrupt') return 'damaged' as const;
    if (error.code === 'journal-newer') return 'newer' as const;
    throw error;
  });
  if (study === 'damaged' || study === 'newer') {
    const summary = { ...unkeptSummary(name, own), state: study, ...(await studies.timesOf(name)) };
    return { summary, study: null, own };
  }
  if (study === null) {
    if (own.length === 0 || (await studies.isDropped(name))) return null;
    return { summary: unkeptSummary(name, own), study, own };
  }
  if (isOfNewer(study)) {
    const { createdAt, updatedAt } = study;
    const summary = { ...unkeptSummary(name, own), state: 'newer' as const, createdAt, updatedAt };
    return { summary, study: null, own };
  }
  const status = new Map(runs.map((run) => [run.runId, run.status]));
  const isHeld = await studies.isHeld(name);
  return { summary: summaryOf(study, (runId) => status.get(runId), isHeld), study, own };
}

/** Newest first, including matrices of earlier versions. */
export async function listStudies({ store, studies }: StudiesToRead): Promise<readonly StudySummary[]> {
  const { runs } = await store.list();
  const names = new Set(runs.flatMap(({ matrix }) => (matrix === undefined ? [] : [matrix.name])));
  for (const name of await studies.names()) names.add(name);
  const found = await Promise.all(
    [...names].map((name) => findStudy({ studies }, runs, name).catch(() => null)),
  );
  return found
    .flatMap((one) => one?.summary ?? [])
    .toSorted((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
}
