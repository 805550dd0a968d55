import type { Look, Searched } from '../../contract/study/search';
import type { StudyEntry, StudyReports, StudySpec } from '../../contract/study/study';
import type { Core, StudyStops } from '../../core';
import { type Output, progressOf } from '../output';
import { noPdfLine } from '../print/report-lines';
import { createStops } from '../study';
import { listenForStops } from '../work';
import { createPreparingProgress } from './preparing-progress';

/** How a study that measures by itself ended. */
export interface OwnStudyEnd {
  readonly searched: Searched;
  readonly isCancelled: boolean;
  readonly isPaused: boolean;
}

/** Ctrl-C cancels, and a scheduler’s end of a job leaves. @returns which of them came */
export async function whileStoppable(
  core: Core,
  output: Output,
  work: (stops: StudyStops) => Promise<void>,
): Promise<Pick<OwnStudyEnd, 'isCancelled' | 'isPaused'>> {
  const stops = createStops();
  const dispose = listenForStops(core, {
    ...{ runIds: () => [], isHandedOver: () => false, say: output.say },
    cancel: () => {
      output.say('Cancelling. Press Ctrl-C again to quit immediately.');
      stops.cancel.abort();
    },
    leave: () => stops.leave.abort(),
  });
  try {
    await work(stops);
    const isCancelled = stops.cancel.signal.aborted;
    return { isCancelled, isPaused: !isCancelled && stops.pause.signal.aborted };
  } finally {
    dispose();
  }
}

/**
 * Works on it to its end or a stop, a line for each look.
 * @param textOf of a journal entry; null: nothing to print. `seconds` of load so far, `looks` so far
 */
export async function workOnOwn(
  core: Core,
  { spec, resume }: { readonly spec: StudySpec; readonly resume: boolean },
  output: Output,
  textOf: (
    entry: StudyEntry,
    known: { readonly seconds: number; readonly looks: readonly Look[] },
  ) => string | null,
): Promise<OwnStudyEnd> {
  const { name } = spec;
  const progress = progressOf(output);
  const looks: Look[] = resume ? [...(await core.handlers['searches.get']({ name })).searched.looks] : [];
  const onPreparing = createPreparingProgress(progress, spec);
  const unsubscribe = core.subscribe((event) => {
    onPreparing(event);
    if (event.type !== 'study' || event.name !== name) return;
    if (event.entry.type === 'look') looks.push(event.entry.look);
    const seconds = looks.reduce((sum, look) => sum + look.seconds, 0);
    const text = textOf(event.entry, { seconds, looks });
    if (text !== null) progress.say(text);
  });
  const found: { searched: Searched } = { searched: { looks: [], failed: {} } };
  const stopped = await whileStoppable(core, output, async (stops) => {
    found.searched = await core.handlers['searches.work']({ spec, resume, stops });
  }).finally(unsubscribe);
  return { ...found, ...stopped };
}

/** Writes the report of a study, and prints where. */
export async function sayReports(core: Core, name: string, output: Output): Promise<StudyReports['files']> {
  const { files, problem } = await core.handlers['searches.report']({ name });
  for (const { kind, path } of files) output.say(`  ${kind}: ${path}`);
  if (problem !== null) output.say(noPdfLine(problem));
  return files;
}
