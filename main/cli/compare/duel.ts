import { shellLine } from '../../contract/flag-text';
import { cellText, type Column, titleWithUnit } from '../../contract/measured/column';
import { formatMs, formatRate } from '../../contract/numbers';
import type { DuelStrategy } from '../../contract/study/duel';
import type { Look, Searched } from '../../contract/study/search';
import type { DuelPlan, StudyEntry } from '../../contract/study/study';
import type { Core } from '../../core';
import type { Outcome } from '../../domain/measured/comparison-gate';
import { durationText } from '../../domain/run/time-left';
import { type DuelAnswer, duelAnswer, duelLevelText, ratioText } from '../../domain/study/duel/duel-answer';
import { duelColumns } from '../../domain/study/duel/duel-columns';
import { pairsOf } from '../../domain/study/duel/duel-rounds';
import { duelWinner } from '../../domain/study/duel/duel-study';
import { judgedOf } from '../../domain/study/duel/judge-duel';
import { placeLines } from '../../domain/study/place-text';
import { exitCodes, formatTable, type Output, printText } from '../output';
import { agreedToLoad } from '../search/search-at';
import { type OwnStudyEnd, sayReports, workOnOwn } from '../studies/own-study';

export const exitOfOutcome: Readonly<Record<Outcome, number>> = {
  within: exitCodes.done,
  outside: exitCodes.outside,
  unclear: exitCodes.unclear,
};

/** What is measured, before it is. */
function planLines({ spec, duel, notes, asks }: DuelPlan): readonly string[] {
  const [a, b] = duel.sides;
  return [
    `Comparison ${spec.name}: A and B in turns of ${duel.lookMs / 1000} s, at most ${durationText(duel.budgetS)} of load`,
    ...[...notes, ...(asks?.facts ?? [])].map((note) => `  ${note}`),
    ...[a, b].map(
      ({ title, runId, level }, at) =>
        `  ${at === 0 ? 'A' : 'B'}: ${title} (${runId}), ${duelLevelText(level)}`,
    ),
  ];
}

function entryText(
  duel: DuelStrategy,
  entry: StudyEntry,
  looks: readonly Look[],
  seconds: number,
): string | null {
  if (entry.type === 'candidate-failed')
    return `  ${entry.candidate === 1 ? 'A' : 'B'}: ${entry.error.message}`;
  if (entry.type !== 'look' || looks.length % 2 === 1) return null;
  const pairs = pairsOf({ looks, failed: {} });
  const last = pairs.at(-1);
  const [judged] = judgedOf(duel, pairs);
  if (last === undefined || judged === undefined) return null;
  const figures = ({ inferencesPerSecond, latencyUs }: Look) =>
    `${formatRate(inferencesPerSecond)}/s p99 ${formatMs(latencyUs)} ms`;
  const spent = `${Math.round(seconds)} of ${duel.budgetS} s`;
  return `  ${spent}  A ${figures(last.first)}, B ${figures(last.second)}; ${judged.metric} ${ratioText(judged)}`;
}

const tableOf = <Of>(columns: readonly Column<Of>[], rows: readonly Of[]): string =>
  formatTable(
    columns.map(titleWithUnit),
    rows.map((row) => columns.map((column) => cellText(column, row))),
  );

/** The answer first, then what it rests on. */
export function duelLines(duel: DuelStrategy, searched: Searched): readonly string[] {
  const answer = duelAnswer(duel, searched);
  const { sentence, rows, seconds } = answer;
  const winner = duelWinner({ searched }, duel);
  return [
    '',
    ...sentence.split('; ').map((line) => `${line}.`),
    '',
    tableOf(duelColumns, rows),
    `${Math.round(seconds)} s of load; intervals of 95 %, valid whenever it ends.`,
    ...placeLines(answer).map((line) => `${line}.`),
    ...(winner === null ? [] : [`To keep the change: ${shellLine(winner.argv)}`]),
  ];
}

function markdownOf({ sentence, rows }: DuelAnswer): string {
  const lines = [
    duelColumns.map(titleWithUnit),
    duelColumns.map(() => '---'),
    ...rows.map((row) => duelColumns.map((column) => cellText(column, row))),
  ].map((row) => `| ${row.join(' | ')} |`);
  return [...lines, '', ...sentence.split('; ').map((line) => `- ${line}.`)].join('\n');
}

function codeOf({ outcome, rows }: DuelAnswer, { isCancelled, isPaused }: OwnStudyEnd): number {
  if (isCancelled) return exitCodes.cancelled;
  if (rows.some(({ reason }) => reason !== null)) return exitCodes.failed;
  if (isPaused) return exitCodes.paused;
  return outcome === null ? exitCodes.done : exitOfOutcome[outcome];
}

/** Measures both in turns to the end or a stop, with the progress. @returns the exit code */
export async function workOnDuel(
  core: Core,
  { spec, duel }: Pick<DuelPlan, 'spec' | 'duel'>,
  output: Output,
  { resume, markdown = false }: { readonly resume: boolean; readonly markdown?: boolean },
): Promise<number> {
  const end = await workOnOwn(core, { spec, resume }, output, (entry, { looks, seconds }) =>
    entryText(duel, entry, looks, seconds),
  );
  const { searched } = end;
  const answer = duelAnswer(duel, searched);
  for (const line of duelLines(duel, searched)) output.say(line);
  const reports = await sayReports(core, spec.name, output);
  if (end.isCancelled || end.isPaused) {
    output.say(`To continue: ${shellLine(['triton-workbench', 'studies', 'resume', spec.name])}`);
  }
  if (output.json) output.document({ name: spec.name, duel, answer, reports });
  else if (markdown) printText(`${markdownOf(answer)}\n`);
  return codeOf(answer, end);
}

/** Says what is measured, and measures it. @returns the exit code */
export async function startDuel(
  core: Core,
  plan: DuelPlan,
  given: Output,
  {
    dryRun = false,
    markdown = false,
    yes = false,
  }: { readonly dryRun?: boolean; readonly markdown?: boolean; readonly yes?: boolean },
): Promise<number> {
  // Standard output is for the comment of a pull request.
  const say = (line: string) => {
    printText(`${line}\n`, 'stderr');
  };
  const output = markdown && !given.json ? { ...given, say, live: false } : given;
  for (const line of planLines(plan)) output.say(line);
  if (dryRun) {
    if (output.json) output.document(plan);
    return exitCodes.done;
  }
  if (await agreedToLoad(output, 'compare', plan.asks, yes)) {
    return workOnDuel(core, plan, output, { resume: false, markdown });
  }
  output.say('Nothing was loaded.');
  return exitCodes.done;
}
