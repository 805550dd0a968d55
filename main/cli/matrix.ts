import { basename } from 'node:path';
import { toWire, type WireError, WorkbenchError } from '../contract/errors';
import { rowOf } from '../contract/fields/fields';
import { isJobEngine } from '../contract/job/run-job';
import { cellText, type Column, titleWithUnit } from '../contract/measured/column';
import {
  choiceColumns,
  endColumns,
  matrixColumns,
  matrixDocument,
  matrixReason,
  type MatrixResult,
  matrixSentence,
  matrixState,
} from '../contract/measured/matrix';
import { isEmptyReach, reachLines, reachOf } from '../contract/reach';
import type { Choice, MatrixEntry } from '../contract/run/spec-tools';
import type { Core } from '../core';
import { hashValue } from '../platform/files';
import { workedOffAsJobs } from './matrix/matrix-jobs';
import {
  type Ended,
  type MatrixOptions,
  type PlannedRun,
  type Session,
  started,
  withoutDocument,
} from './matrix/matrix-session';
import { exitCodeOf, exitCodes, formatError, formatTable, type Output, printText } from './output';
import { readText } from './read-spec';
import { settingProblems } from './settings/defaults';
import { readChoice } from './spec-options';
import { approveGiven, workOn } from './work';

interface MatrixPlan {
  readonly name: string;
  readonly runs: readonly PlannedRun[];
}

/** Of a file without a name in it. */
function nameOf(file: string): string {
  const stem = basename(file).replace(/\.(ya?ml|json)$/i, '');
  const name = stem.replace(/[^\w.-]+/g, '-').replace(/^[^\w]+|-+$/g, '');
  return name === '' ? 'matrix' : name.slice(0, 40);
}

/** What is said of several runs is said once: "Runs 1, 2: …". */
function createNotes() {
  const runs = new Map<string, number[]>();
  return {
    add: (number: number, notes: readonly string[]): void => {
      for (const note of notes) runs.set(note, [...(runs.get(note) ?? []), number]);
    },
    lines: (): readonly string[] =>
      [...runs].map(
        ([note, numbers]) => `Run${numbers.length === 1 ? '' : 's'} ${numbers.join(', ')}: ${note}`,
      ),
  };
}

type Notes = ReturnType<typeof createNotes>;

interface Planning {
  readonly core: Core;
  readonly options: MatrixOptions;
  /** The preset that is given beside the file. */
  readonly given: string | undefined;
  readonly notes: Notes;
}

/** What keeps a choice from being run wherever it is started; its warnings are noted. Throws preset-unknown. */
async function judged(
  { core, notes }: Planning,
  choice: Choice,
  number: number,
): Promise<Pick<PlannedRun, 'spec' | 'leftOut'>> {
  const { spec, problems } = await core.handlers['spec.preview'](choice);
  const against = problems.filter(({ severity }) => severity === 'problem');
  notes.add(
    number,
    problems.filter(({ severity }) => severity === 'warning').map(({ message }) => message),
  );
  if (against.length === 0 && spec !== null) return { spec, leftOut: null };
  const reasons = against.map(({ field, message, remedy }) =>
    [`${field === '' ? '' : `${field}: `}${message}`, remedy].filter((part) => part !== null).join('. '),
  );
  return { spec, leftOut: reasons.join('; ') };
}

/** The same choice twice is measured once. */
function withoutRepeats(runs: readonly PlannedRun[]): readonly PlannedRun[] {
  return runs.map((run, at) => {
    const first = runs.slice(0, at).find(({ entry, leftOut }) => leftOut === null && entry === run.entry);
    if (run.leftOut !== null || first === undefined) return run;
    const differ = run.axes.filter(({ value }, axis) => first.axes[axis]?.value !== value);
    const named = differ.map(({ field, value }) => `${field} ${value}`).join(', ');
    // Of a runner's file a name of weights or data; a field that differs was replaced by an option.
    const isField = differ.every(({ field }) => rowOf(field) !== undefined);
    const why = isField
      ? `an option of the command line takes the place of ${named}`
      : `no field of a run takes ${named}. Write "path: <file or folder>" beside its name in checkpoints and datasets`;
    return { ...run, leftOut: `The same as run ${first.number}: ${why}.` };
  });
}

async function plannedRun(
  planning: Planning,
  { preset, overrides, axes, refusal, notes }: MatrixEntry,
  number: number,
): Promise<PlannedRun> {
  const { core, options, given } = planning;
  const { typed, ...choice } = await readChoice(core, preset ?? given, options, overrides);
  const entry = hashValue(choice);
  const shared = { number, axes, choice, typed, entry, state: null, error: null };
  if (refusal !== null) return { ...shared, spec: null, leftOut: refusal };
  planning.notes.add(number, notes);
  return { ...shared, ...(await judged(planning, choice, number)) };
}

/** Reads the file and judges each of its runs; nothing is started. Throws input-invalid, preset-unknown. */
async function planMatrix(
  core: Core,
  preset: string | undefined,
  options: MatrixOptions,
): Promise<MatrixPlan> {
  const { matrix: file } = options;
  if (options.spec !== undefined || options.configuration !== undefined) {
    const remedy = 'Put the fields of the specification into the matrix file, or name them as options.';
    throw new WorkbenchError('input-invalid', '--matrix takes the place of --spec', {
      where: '--spec',
      remedy,
    });
  }
  const presets = core.presets().map(({ id, title }) => ({ id, title }));
  const fileName = file === '-' ? '' : basename(file);
  const text = await readText(file, '--matrix');
  const { name, entries } = await core.readers.matrix({ text, fileName, preset: preset ?? null, presets });
  const planning: Planning = { core, options, given: preset, notes: createNotes() };
  const runs: PlannedRun[] = [];
  for (const [at, entry] of entries.entries()) runs.push(await plannedRun(planning, entry, at + 1));
  for (const line of planning.notes.lines()) printText(`${line}\n`, 'stderr');
  return { name: name ?? nameOf(file), runs: withoutRepeats(runs) };
}

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
  const { runs } = await core.listRuns();
  const found = new Map<string, string>();
  for (const { matrix, runId } of runs) {
    if (matrix?.name === name && !found.has(matrix.entry)) found.set(matrix.entry, runId);
  }
  return found;
}

/** What it would reach that nobody agreed to, or what the machine has against starting it now. */
async function startError(
  { core, options }: Session,
  { spec, leftOut, typed }: PlannedRun,
): Promise<WireError | null> {
  if (spec === null || leftOut !== null) return null;
  await approveGiven(core, spec, options, { typed, specFile: options.matrix });
  const missing = await core.approvals.missing(reachOf(spec));
  if (!isEmptyReach(missing)) {
    const message = `The run would do this: ${reachLines(missing).join('; ')}`;
    const remedy = 'To approve, add --trust, and for another machine --allow-remote-load.';
    return { code: 'not-trusted', message, remedy };
  }
  if (options.skipPreflight === true) return null;
  const [first] = (await core.handlers['runs.check']({ spec })).filter(
    ({ severity }) => severity === 'problem',
  );
  if (first === undefined) return null;
  const { code, message, field: where, remedy } = first;
  return { code, message, where, ...(remedy === null ? {} : { remedy }) };
}

/** With the runs that are there already, and what stands in the way of the others, before anything is started. */
async function prepared(session: Session, runs: readonly PlannedRun[]): Promise<readonly PlannedRun[]> {
  const { core, name, options, output } = session;
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
  const found: PlannedRun[] = [];
  for (const run of runs) {
    const runId = options.resume === true ? known.get(run.entry) : undefined;
    const state = runId === undefined ? null : (await core.getRun(runId)).state;
    const error = state?.status === 'done' ? null : await startError(session, run);
    found.push({ ...run, state, error });
  }
  return found;
}

/** Works on one run to its end. Never throws: what keeps it from its start is its result. */
async function worked(session: Session, run: PlannedRun): Promise<Ended> {
  const { core, output, options, stop } = session;
  let runId = run.state?.runId ?? null;
  try {
    runId = await started(session, run);
    if (stop.asked) return { ...run, state: (await core.getRun(runId)).state, code: exitCodes.cancelled };
    const { verbose = false, skipPreflight = false } = options;
    const code = await workOn(core, runId, withoutDocument(output), { verbose, skipPreflight });
    return { ...run, state: (await core.getRun(runId)).state, code };
  } catch (cause) {
    const error = toWire(cause);
    output.say(formatError(error));
    const state = runId === null ? null : (await core.getRun(runId)).state;
    return { ...run, state, error, code: exitCodeOf(error) };
  }
}

/** One after the other: one measures on a device at a time, and a failed one stops no other. */
async function workedOff(session: Session, runs: readonly PlannedRun[]): Promise<readonly Ended[]> {
  const due = runs.filter(({ leftOut, error }) => leftOut === null && error === null);
  const ended: Ended[] = [];
  for (const run of runs) {
    const place = due.indexOf(run) + 1;
    if (run.leftOut !== null) ended.push({ ...run, code: exitCodes.done });
    else if (run.error !== null) ended.push({ ...run, code: exitCodeOf(run.error) });
    else if (run.state?.status === 'done') ended.push({ ...run, code: exitCodes.done });
    else if (session.stop.asked) ended.push({ ...run, code: exitCodes.cancelled });
    else {
      const words = run.axes.map(({ value }) => value).join(', ');
      session.output.say(`\n${place} of ${due.length}: ${words}`);
      ended.push(await worked(session, run));
    }
  }
  return ended;
}

async function report(session: Session, results: readonly Ended[]): Promise<void> {
  const { core, name, options, output } = session;
  const { files, problem } = await core.writeMatrix({
    name,
    results,
    ...(options.out === undefined ? {} : { out: options.out }),
  });
  output.say(`\n${tableOf(matrixColumns(results), results)}`);
  output.say(`\n${matrixSentence(results)}.`);
  for (const { kind, path } of files) output.say(`  ${kind}: ${path}`);
  if (problem !== null) output.say(formatError(problem));
  if (output.json) output.document({ ...matrixDocument(name, results), reports: files });
}

/** `run --matrix`: every run of it, then one report. @returns the exit code of the worst run */
const mixedMatrix = new WorkbenchError(
  'input-invalid',
  'A matrix has either runs that are jobs or other runs, not both',
  { where: 'engine.kind', remedy: 'Use a matrix for each, and compare their runs.' },
);

export async function runMatrix(
  core: Core,
  preset: string | undefined,
  options: MatrixOptions,
  output: Output,
): Promise<number> {
  // Once, not for each run.
  for (const line of await settingProblems(core)) printText(`${line}\n`, 'stderr');
  const { name, runs } = await planMatrix(core, preset, options);
  const stop = { asked: false };
  const ask = () => {
    stop.asked = true;
  };
  process.on('SIGINT', ask);
  process.on('SIGTERM', ask);
  try {
    const session: Session = { core, output, options, name, stop };
    const all = await prepared(session, runs);
    output.say(planTable(all));
    if (all.every(({ leftOut }) => leftOut !== null)) return exitCodes.usage;
    const kinds = all
      .filter(({ leftOut }) => leftOut === null)
      .map(({ spec }) => spec !== null && isJobEngine(spec.engine));
    const asJobs = kinds.includes(true);
    if (asJobs && kinds.includes(false)) throw mixedMatrix;
    const ended = await (asJobs ? workedOffAsJobs : workedOff)(session, all);
    if (ended === null) return exitCodes.done;
    await report(session, ended);
    return worst(ended.map(({ code }) => code));
  } finally {
    process.off('SIGINT', ask);
    process.off('SIGTERM', ask);
  }
}
