import { existsSync } from 'node:fs';
import { basename, dirname, extname, resolve } from 'node:path';
import { invalidInput, WorkbenchError } from '../../contract/errors';
import { shellLine } from '../../contract/flag-text';
import { cellText, titleWithUnit } from '../../contract/measured/column';
import { formatMs } from '../../contract/numbers';
import type { JointRequest, JointStrategy, PlacedJointFile } from '../../contract/study/joint';
import type { Searched } from '../../contract/study/search';
import type { JointPlan, StudyEntry } from '../../contract/study/study';
import { present } from '../../contract/trees';
import type { Core } from '../../core';
import { durationText } from '../../domain/run/time-left';
import { factorText, jointAnswer, presentText } from '../../domain/study/joint/joint-answer';
import { jointColumns } from '../../domain/study/joint/joint-columns';
import { candidateIn, factorOf, partsOf, picksOf } from '../../domain/study/joint/joint-sets';
import { jointCommands, jointOf } from '../../domain/study/joint/joint-study';
import { setText } from '../../domain/study/joint/joint-tries';
import { candidateText } from '../../domain/study/search/candidates';
import { phaseText } from '../../domain/study/search/search-text';
import { exitCodes, formatTable, type Output } from '../output';
import { readText } from '../read-spec';
import { readDuration } from '../read-values';
import { sayReports, workOnOwn } from '../studies/own-study';
import { readSubject, type SearchSubject } from './search-subject';

/** Options of `search` that apply to several models; the others are of one. */
interface JointOptions {
  readonly name?: string;
  readonly budget?: string;
  readonly trust?: boolean;
  readonly dryRun?: boolean;
  readonly objective: string;
}
const applicable: ReadonlySet<string> = new Set(['name', 'budget', 'trust', 'dryRun', 'json']);

interface GivenJoint extends PlacedJointFile {
  readonly path: string;
}

/** Throws input-invalid for an option of one model. */
function refuseOthers({ objective, ...options }: JointOptions): void {
  const given = Object.entries({ ...options, objective: objective === 'throughput' ? undefined : objective });
  const other = given.find(([name, value]) => value !== undefined && !applicable.has(name));
  if (other === undefined) return;
  const flag = `--${other[0].replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw invalidInput(
    flag,
    `${flag} applies only to a search of one model`,
    'Set it in the file: at the top for all models, or beside one model.',
  );
}

/** The file of several models; null: another file, or none. Throws input-invalid with the line. */
export async function jointFile(
  core: Core,
  path: string | undefined,
  options: JointOptions,
): Promise<GivenJoint | null> {
  const isFile = path !== undefined && /^\.(ya?ml|json)$/i.test(extname(path)) && existsSync(path);
  if (!isFile) return null;
  const text = await readText(path, '[subject]');
  const found = await core.handlers['searches.readJoint']({ text, fileName: basename(path) }).catch(
    (cause: unknown) => {
      // What is no YAML is refused by who reads a specification.
      if (/^\s*["']?models["']?\s*:/m.test(text)) throw cause;
      return null;
    },
  );
  if (found === null) return null;
  refuseOthers(options);
  return { ...found, path };
}

/** "shared.yaml, line 4, models.0.space": a place of the request in the file. @param at of a model whose place is not said */
function placed({ path, lines }: GivenJoint, cause: unknown, at: number | null): unknown {
  if (!(cause instanceof WorkbenchError)) return cause;
  const { code, message, where = '', remedy, details } = cause;
  const [, number] = /^models\.(\d+)/.exec(where) ?? [];
  const model = number === undefined ? at : Number(number);
  const field = number === undefined && model !== null ? `models.${model}.model` : where;
  const line = model === null ? '' : `, line ${lines[model] ?? 1}`;
  return new WorkbenchError(code, message, {
    where: `${basename(path)}${line}${field === '' ? '' : `, ${field}`}`,
    ...present({ remedy, details }),
    cause,
  });
}

/** A path counts from the folder of the file, or from the working directory. */
function subjectText({ path }: GivenJoint, model: string): string {
  const beside = resolve(dirname(path), model);
  return /[./]/.test(model) && existsSync(beside) ? beside : model;
}

async function planOf(core: Core, given: GivenJoint, { name, budget, trust }: JointOptions) {
  const { models, ...rest } = given.file;
  const subjects: SearchSubject[] = [];
  for (const [at, { model }] of models.entries()) {
    const options = present({ trust: /[./]/.test(model) ? trust : undefined });
    const subject = await readSubject(core, subjectText(given, model), options).catch((cause: unknown) => {
      throw placed(given, cause, at);
    });
    subjects.push(subject);
  }
  const request: JointRequest = {
    ...rest,
    ...present({ name, budgetS: budget === undefined ? undefined : readDuration('--budget', budget, 's') }),
    models: models.map(({ title, rate, share, p99Ms, batchSize, space }, at) => ({
      ...present({ title, rate, share, p99Ms, batchSize, space }),
      of: subjects[at]?.of ?? {},
    })),
  };
  const plan = await core.handlers['searches.planJoint'](request).catch((cause: unknown) => {
    throw placed(given, cause, null);
  });
  return { plan, subjects };
}

function planLines({ spec, joint, notes }: JointPlan): readonly string[] {
  const { models, budgetS, lookMs, fullMs } = joint;
  return [
    `Search ${spec.name}: ${models.length} models together on one Triton`,
    ...notes.map((note) => `  ${note}`),
    '  Load: open, all models at the same time with Poisson arrivals',
    `  At most ${durationText(budgetS)} of load: ${lookMs / 1000} s for each measurement of all, ${fullMs / 1000} s in the last comparison`,
  ];
}

function entryText(joint: JointStrategy, entry: StudyEntry, seconds: number): string | null {
  if (entry.type === 'candidate-failed') {
    const { model, present: first, own } = candidateIn(joint, entry.candidate);
    return `  ${model.title}, ${candidateText(first, own)}: not measured: ${entry.error.message}`;
  }
  if (entry.type !== 'look') return null;
  const { look } = entry;
  const latencies = partsOf(look).map(({ candidate, latencyUs }) => {
    const { title, percentile } = candidateIn(joint, candidate).model;
    return `${title} p${percentile} ${formatMs(latencyUs)} ms`;
  });
  const spent = `${Math.round(seconds)} of ${joint.budgetS} s`;
  return `  ${spent}  ${phaseText[look.phase]}: ${factorText(joint, factorOf(joint, look))}, ${setText(joint, picksOf(look))}: ${latencies.join(', ')}`;
}

/** The answer first, then what it rests on. */
export function jointLines(joint: JointStrategy, searched: Searched): readonly string[] {
  const answer = jointAnswer(joint, searched);
  const { sentence, rows, seconds, untried, isConfirmed, factor } = answer;
  const beside = presentText(joint, answer);
  const commands = jointCommands({ searched }, joint);
  return [
    '',
    `${sentence}.`,
    ...(beside === null ? [] : [`${beside}.`]),
    ...(isConfirmed || factor === null
      ? []
      : ['It was not measured at full length at its reported load. Give more time with --budget.']),
    '',
    formatTable(
      jointColumns.map(titleWithUnit),
      rows.map((row) => jointColumns.map((column) => cellText(column, row))),
    ),
    `${Math.round(seconds)} s of load.`,
    ...untried.map((line) => `${line}.`),
    ...(commands.length === 0 ? [] : ['To run them:', ...commands.map((argv) => `  ${shellLine(argv)}`)]),
  ];
}

/** Works on a search of several models to its end or a stop, with its progress. @returns the exit code */
export async function workOnJoint(
  core: Core,
  { spec, joint }: Pick<JointPlan, 'spec' | 'joint'>,
  output: Output,
  resume: boolean,
): Promise<number> {
  const end = await workOnOwn(core, { spec, resume }, output, (entry, { seconds }) =>
    entryText(joint, entry, seconds),
  );
  // With the runs that it made.
  const done = jointOf(await core.handlers['searches.get']({ name: spec.name })) ?? joint;
  const answer = jointAnswer(done, end.searched);
  for (const line of jointLines(done, end.searched)) output.say(line);
  const reports = await sayReports(core, spec.name, output);
  if (output.json) output.document({ name: spec.name, joint: done, answer, reports });
  if (end.isCancelled) return exitCodes.cancelled;
  if (answer.factor === null) return end.isPaused ? exitCodes.paused : exitCodes.noAnswer;
  return answer.isConfirmed && !answer.isCutShort ? exitCodes.done : exitCodes.paused;
}

/** Says what is measured, and measures it. @returns the exit code. Throws input-invalid with the line. */
export async function startJoint(
  core: Core,
  given: GivenJoint,
  options: JointOptions,
  output: Output,
): Promise<number> {
  const { plan, subjects } = await planOf(core, given, options);
  for (const line of planLines(plan)) output.say(line);
  if (options.dryRun === true) {
    if (output.json) output.document(plan);
    return exitCodes.done;
  }
  for (const { approve } of subjects) await approve();
  return workOnJoint(core, plan, output, false);
}
