import { cellText, type Column, titleWithUnit } from '../contract/measured/column';
import type { StudyConsent, StudySpec } from '../contract/study/study';
import { present } from '../contract/trees';
import type { Core, OpenStudy, StudyStops } from '../core';
import { byLength, lengthColumns } from '../domain/measured/by-length';
import {
  choiceColumns,
  deviceColumns,
  endColumns,
  matrixColumns,
  matrixDocument,
  matrixReason,
  matrixSentence,
  matrixState,
} from '../domain/measured/matrix';
import { byGpu, isRelative, type MatrixResult } from '../domain/measured/matrix-result';
import { matrixBest } from '../domain/study/matrix-best';
import { createNotes } from '../domain/study/notes';
import { isComplete } from '../domain/study/study-state';
import { exitCodeOf, exitCodes, formatTable, type Output, printText } from './output';
import { noPdfLine } from './print/report-lines';
import { settingProblems } from './settings';
import { createStudyProgress, stopping } from './studies/study-progress';
import { type MatrixOptions, readStudySpec } from './studies/study-spec';
import { codeOf, detachesJobs, listenForStops } from './work';

type StudyEnd = Awaited<ReturnType<OpenStudy['work']>>;
type Results = NonNullable<StudyEnd['results']>;

/** A table of runs, with reasons for missing results below it. */
export function tableOf(columns: readonly Column<MatrixResult>[], results: readonly MatrixResult[]): string {
  const shown = columns.filter(({ id }) => id !== 'reason');
  const reasons = createNotes();
  for (const result of results) {
    const reason = matrixReason(result);
    if (reason !== null) reasons.add(result.number, [`${matrixState(result)}. ${reason}`]);
  }
  const table = formatTable(
    shown.map(titleWithUnit),
    results.map((result) => shown.map((column) => cellText(column, result))),
  );
  return [table, ...reasons.lines()].join('\n');
}

/** The planned runs: new, kept, or left out with a reason. */
const planTable = (runs: readonly MatrixResult[]): string =>
  tableOf([...choiceColumns(runs), ...endColumns], runs);

/** Runs by the GPU that measured them; null if it was the same for all. */
function gpuTable(results: readonly MatrixResult[]): string | null {
  const groups = byGpu(results);
  const rows = groups.flatMap((group) => group.rows);
  if (rows.length === 0) return null;
  const columns = deviceColumns(results);
  const table = formatTable(
    columns.map(titleWithUnit),
    rows.map((row) => columns.map((column) => cellText(column, row))),
  );
  return `By GPU${isRelative(groups) ? `; relative to ${groups[0]?.device ?? ''}` : ''}:\n${table}`;
}

/** Levels by the lengths of their texts; null without such an axis. */
export function lengthTable(results: readonly MatrixResult[]): string | null {
  const rows = byLength(results);
  if (rows.length === 0) return null;
  const columns = lengthColumns(rows);
  const table = formatTable(
    columns.map(titleWithUnit),
    rows.map((row) => columns.map((column) => cellText(column, row))),
  );
  return `By length:\n${table}`;
}

const sayNotes = (lines: readonly string[]): void => {
  for (const line of lines) printText(`${line}\n`, 'stderr');
};

/** `spec --matrix`: the table of its runs. */
export async function printMatrix(
  core: Core,
  preset: string | undefined,
  options: MatrixOptions,
  output: Output,
): Promise<number> {
  const { spec: study, consent, notes } = await readStudySpec(core, preset, options);
  const plan = await core.handlers['studies.planned']({ spec: study, consent });
  sayNotes([...notes, ...plan.notes]);
  const runs = plan.trials;
  if (output.json) {
    output.document({
      ...matrixDocument(study.name, runs),
      specs: runs.map(({ number, leftOut, spec }) => ({ number, spec: leftOut === null ? spec : null })),
    });
  } else output.say(planTable(runs));
  return runs.some(({ leftOut }) => leftOut === null) ? exitCodes.done : exitCodes.usage;
}

/** From best to worst. */
const ranks: readonly number[] = [
  exitCodes.done,
  exitCodes.paused,
  exitCodes.gate,
  exitCodes.usage,
  exitCodes.failed,
  exitCodes.cancelled,
];

const worst = (codes: readonly number[]): number =>
  codes.reduce((one, other) => (ranks.indexOf(other) > ranks.indexOf(one) ? other : one), exitCodes.done);

/** The exit code for one run. */
function codeOfTrial({ outcome, state, leftOut, error }: Results[number]): number {
  if (outcome !== null && state !== null) return codeOf({ outcome }, state);
  if (outcome !== null) return outcome === 'paused' ? exitCodes.paused : exitCodes.cancelled;
  return leftOut === null && error !== null ? exitCodeOf(error) : exitCodes.done;
}

async function sayResults(
  core: Core,
  output: Output,
  {
    name,
    results,
    out,
  }: { readonly name: string; readonly results: readonly MatrixResult[]; readonly out?: string | undefined },
): Promise<void> {
  const { files, problem } = await core.handlers['matrix.write']({
    name,
    results,
    ...(out === undefined ? {} : { out }),
  });
  output.say(`\n${tableOf(matrixColumns(results), results)}`);
  const byDevice = gpuTable(results);
  for (const text of [byDevice, lengthTable(results)]) if (text !== null) output.say(`\n${text}`);
  output.say(`\n${matrixSentence(results)}.`);
  const best = matrixBest(results);
  if (best !== null) output.say(best.sentence);
  for (const { kind, path } of files) output.say(`  ${kind}: ${path}`);
  if (problem !== null) output.say(noPdfLine(problem));
  if (output.json) output.document({ ...matrixDocument(name, results), reports: files });
}

/** Lists existing runs of the study that the request does not cover. */
function sayExisting(output: Output, name: string, { existing }: OpenStudy, resume: boolean): void {
  const { ofTrials, all } = existing;
  if (!resume && ofTrials > 0) {
    output.say(
      `Runs of the matrix "${name}" exist for ${ofTrials} of these; --resume continues them instead.`,
    );
  }
  if (resume && all > 0 && ofTrials === 0) {
    output.say(
      `The matrix "${name}" has ${all} ${all === 1 ? 'run' : 'runs'}, but of other configurations. Was it started with other options or hosts?`,
    );
  }
}

const howToFollow = 'The jobs continue. To follow them, run the same command with --resume.';

function sayJobs(output: Output, { results, isCutShort }: StudyEnd): void {
  if (isCutShort) {
    output.say('Not every run was submitted. To submit the others, run the same command with --resume.');
  }
  if (results === null || results.some(({ state }) => state?.status === 'running')) output.say(howToFollow);
}

interface WorkOptions extends Pick<MatrixOptions, 'resume' | 'out' | 'detach' | 'verbose'> {
  readonly consent: StudyConsent;
}

export const createStops = (): StudyStops => ({
  pause: new AbortController(),
  cancel: new AbortController(),
  leave: new AbortController(),
  close: new AbortController(),
});

/** Active work, as far as Ctrl-C needs it. */
function listenForStudy(core: Core, output: Output, stops: StudyStops) {
  const at: { isOfJobs: boolean; progress: ReturnType<typeof createStudyProgress> | null } = {
    isOfJobs: false,
    progress: null,
  };
  const dispose = listenForStops(core, {
    runIds: () => at.progress?.runIds() ?? [],
    isHandedOver: () => at.isOfJobs,
    say: output.say,
    cancel: () => {
      if (at.progress === null) output.say(stopping);
      else at.progress.sayStop();
      stops.cancel.abort();
    },
    leave: () => stops.leave.abort(),
  });
  return { at, dispose };
}

async function worked(
  opened: OpenStudy,
  detach: boolean,
  progress: ReturnType<typeof createStudyProgress>,
): Promise<StudyEnd> {
  try {
    return await opened.work({ detach });
  } finally {
    await progress.close();
  }
}

/** Drives a study to its end, then writes one report. @returns the exit code of the worst run */
export async function workOnStudy(
  core: Core,
  spec: StudySpec,
  output: Output,
  { consent, resume = false, out, detach = false, verbose = false }: WorkOptions,
): Promise<number> {
  const { name } = spec;
  const plan = await core.handlers['studies.planned']({ spec, consent });
  sayNotes(plan.notes);
  const stops = createStops();
  const { at, dispose } = listenForStudy(core, output, stops);
  try {
    const opened = await core.handlers['studies.open']({ spec, plan, resume, consent, stops });
    try {
      const { trials } = opened;
      sayExisting(output, name, opened, resume);
      for (const line of opened.notes) output.say(line);
      output.say(planTable(trials));
      if (trials.every(({ leftOut }) => leftOut !== null)) {
        output.say('None of the runs is possible: nothing was started.');
        if (output.json) output.document(matrixDocument(name, trials));
        return exitCodes.usage;
      }
      at.isOfJobs = opened.isOfJobs();
      if (detach && !at.isOfJobs) output.say(detachesJobs);
      const progress = createStudyProgress(core, output, { name, trials, verbose });
      at.progress = progress;
      const end = await worked(opened, detach, progress);
      if (at.isOfJobs) sayJobs(output, end);
      const { results } = end;
      if (results === null) return exitCodes.done;
      await sayResults(core, output, { name, results, out });
      if (!at.isOfJobs && !results.every(isComplete))
        output.say(`To continue: triton-workbench studies resume ${name}`);
      return worst(results.map(codeOfTrial));
    } finally {
      await opened.close();
    }
  } finally {
    dispose();
  }
}

/** `run --matrix`. @returns the exit code of the worst run */
export async function runMatrix(
  core: Core,
  preset: string | undefined,
  options: MatrixOptions,
  output: Output,
): Promise<number> {
  // Once, not for each run.
  sayNotes(await settingProblems(core));
  const { spec, consent, notes } = await readStudySpec(core, preset, options);
  sayNotes(notes);
  const { resume, out, detach, verbose } = options;
  return workOnStudy(core, spec, output, { consent, ...present({ resume, out, detach, verbose }) });
}
