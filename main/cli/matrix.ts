import { WorkbenchError } from '../contract/errors';
import { isJobEngine } from '../contract/job/run-job';
import { cellText, type Column, titleWithUnit } from '../contract/measured/column';
import type { Core } from '../core';
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
import { workedOffAsJobs } from './matrix/matrix-jobs';
import {
  type Ended,
  listenForStop,
  type MatrixOptions,
  type PlannedRun,
  type Session,
} from './matrix/matrix-session';
import { placed, type PlacedRun } from './matrix/place-runs';
import { createNotes, planMatrix } from './matrix/plan-matrix';
import { workedOff } from './matrix/work-off';
import { exitCodes, formatError, formatTable, type Output, printText } from './output';
import { settingProblems } from './settings';

/** A table of the runs, and below it why some of them have no result: a reason is longer than a cell. */
function tableOf(columns: readonly Column<MatrixResult>[], results: readonly MatrixResult[]): string {
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

/** The runs before they are started: which there are, which are kept, and which are left out for what reason. */
const planTable = (runs: readonly MatrixResult[]): string =>
  tableOf([...choiceColumns(runs), ...endColumns], runs);

/** The runs by what measured them; null where all were measured on the same. */
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

/** `spec --matrix`: the table of its runs. */
export async function printMatrix(
  core: Core,
  preset: string | undefined,
  options: MatrixOptions,
  output: Output,
): Promise<number> {
  const { name, runs } = await planMatrix(core, preset, options);
  if (output.json) {
    output.document({
      ...matrixDocument(name, runs),
      specs: runs.map(({ number, leftOut, spec }) => ({ number, spec: leftOut === null ? spec : null })),
    });
  } else output.say(planTable(runs));
  return runs.some(({ leftOut }) => leftOut === null) ? exitCodes.done : exitCodes.usage;
}

/** From the best to the worst. */
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

/** Runs of this matrix in the store, newest first, by what was chosen for them. */
async function runsOf(core: Core, name: string): Promise<ReadonlyMap<string, string>> {
  const { runs } = await core.handlers['runs.all'](undefined);
  const found = new Map<string, string>();
  for (const { matrix, runId } of runs) {
    if (matrix?.name === name && !found.has(matrix.entry)) found.set(matrix.entry, runId);
  }
  return found;
}

/** With the runs that are there already, and what stands in the way of the others, before anything is started. */
async function prepared(session: Session, runs: readonly PlannedRun[]): Promise<readonly PlacedRun[]> {
  const { core, name, options, output, stop } = session;
  const known = await runsOf(core, name);
  const isKnown = ({ entry }: PlannedRun): boolean => known.has(entry);
  if (options.resume !== true) {
    const count = runs.filter(isKnown).length;
    if (count > 0) {
      output.say(
        `Runs of the matrix "${name}" exist for ${count} of these; --resume continues them instead.`,
      );
    }
  }
  if (options.resume === true && known.size > 0 && !runs.some(isKnown)) {
    output.say(
      `The matrix "${name}" has ${known.size} ${known.size === 1 ? 'run' : 'runs'}, but of other choices: was it started with other options or hosts?`,
    );
  }
  const found: PlacedRun[] = [];
  const notes = createNotes();
  for (const run of runs) {
    const runId = options.resume === true ? known.get(run.entry) : undefined;
    const state = runId === undefined ? null : (await core.handlers['runs.show']({ runId })).state;
    const asItIs: PlacedRun = { ...run, state, placesThere: null, notes: [] };
    // Nothing more is asked of the machines.
    const one = stop.signal.aborted ? asItIs : await placed(session, { ...run, state });
    notes.add(run.number, one.notes);
    found.push(one);
  }
  for (const line of notes.lines()) output.say(line);
  return found;
}

async function report(session: Session, results: readonly Ended[]): Promise<void> {
  const { core, name, options, output } = session;
  const { files, problem } = await core.handlers['matrix.write']({
    name,
    results,
    ...(options.out === undefined ? {} : { out: options.out }),
  });
  output.say(`\n${tableOf(matrixColumns(results), results)}`);
  const byDevice = gpuTable(results);
  if (byDevice !== null) output.say(`\n${byDevice}`);
  output.say(`\n${matrixSentence(results)}.`);
  for (const { kind, path } of files) output.say(`  ${kind}: ${path}`);
  if (problem !== null) output.say(formatError(problem));
  if (output.json) output.document({ ...matrixDocument(name, results), reports: files });
}

const mixedMatrix = new WorkbenchError(
  'input-invalid',
  'A matrix has either runs that are jobs or other runs, not both',
  { where: 'engine.kind', remedy: 'Use a matrix for each, and compare their runs.' },
);

/** Whether its runs are jobs. Throws input-invalid where some are and some are not. */
function isOfJobs(runs: readonly PlannedRun[]): boolean {
  const kinds = runs
    .filter(({ leftOut }) => leftOut === null)
    .map(({ spec }) => spec !== null && isJobEngine(spec.engine));
  const asJobs = kinds.includes(true);
  if (asJobs && kinds.includes(false)) throw mixedMatrix;
  return asJobs;
}

/** `run --matrix`: every run of it, then one report. @returns the exit code of the worst run */
export async function runMatrix(
  core: Core,
  preset: string | undefined,
  options: MatrixOptions,
  output: Output,
): Promise<number> {
  // Once, not for each run.
  for (const line of await settingProblems(core)) printText(`${line}\n`, 'stderr');
  const { name, hosts, runs } = await planMatrix(core, preset, options);
  const stop = listenForStop(output);
  try {
    const session: Session = { core, output, options, name, hosts, stop };
    const all = await prepared(session, runs);
    output.say(planTable(all));
    if (all.every(({ leftOut }) => leftOut !== null)) return exitCodes.usage;
    const ended = await (isOfJobs(all) ? workedOffAsJobs : workedOff)(session, all);
    if (ended === null) return exitCodes.done;
    await report(session, ended);
    return worst(ended.map(({ code }) => code));
  } finally {
    stop.dispose();
  }
}
