import { rm } from 'node:fs/promises';
import { WorkbenchError } from '../contract/errors';
import { reduceRun, type RunState } from '../contract/run/run-state';
import { type JournalContent, JournalWriter } from '../store/journal';
import { acquireLease } from '../store/lease';
import { sweepRunFiles } from '../store/run-files';
import { requireSameRun } from '../store/run-key';
import type { AttemptStops } from './attempt';
import { ContinueNow } from './hold';
import type { ExecuteOptions, RunsOptions } from './run-options';
import type { RunContext } from './step';

/** A run whose lease and journal are ours. */
export interface OpenedRun extends Pick<RunContext, 'runId' | 'folder' | 'state' | 'append' | 'emit'> {
  readonly content: JournalContent;
  readonly stops: AttemptStops;
  /** Gives back both. */
  close(): Promise<void>;
}

/**
 * Takes lease and journal of a run. Throws run-unknown, run-busy, journal-corrupt, run-folder-unsafe.
 * @param requireOwnWork throws for a run that may not be worked on
 */
export async function openRun(
  { store, emit }: Pick<RunsOptions, 'store' | 'emit'>,
  runId: string,
  requireOwnWork: (state: RunState) => Promise<void>,
): Promise<OpenedRun> {
  const folder = await store.folderOf(runId);
  const release = await acquireLease(folder.dir);
  const journal: { writer: JournalWriter | null } = { writer: null };
  const close = async () => {
    await journal.writer?.close();
    await release();
  };
  try {
    for (const request of [folder.cancelRequest, folder.pauseRequest]) await rm(request, { force: true });
    await sweepRunFiles(folder);
    const { writer, content } = await JournalWriter.open(folder.journal);
    journal.writer = writer;
    let state = await store.stateOf(content, folder.journal);
    requireSameRun(state.runId, runId, folder.dir);
    await requireOwnWork(state);
    return {
      ...{ runId, folder, content, emit, close },
      stops: {
        cancel: new AbortController(),
        pause: new AbortController(),
        continueNow: new ContinueNow(),
      },
      state: () => state,
      async append(body) {
        const entry = await writer.append(body);
        state = reduceRun(state, entry) ?? state;
        emit({ type: 'journal', runId, entry });
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Ends what a run waits for that is worked on here: it may be there without a look having found it. Throws run-busy where
 * it waits for nothing, or something else is asked of it.
 */
export function continued<End>(
  runId: string,
  { stops, end }: { readonly stops: AttemptStops; readonly end: Promise<End> },
  { spec, from }: ExecuteOptions,
): { readonly end: Promise<End> } {
  const onlyContinues = from === undefined && spec === undefined;
  if (onlyContinues && stops.continueNow.ask()) return { end };
  throw new WorkbenchError('run-busy', 'The run is in progress in this workbench', {
    where: runId,
    remedy: spec === undefined ? undefined : 'Pause or cancel the run, then change it.',
  });
}
