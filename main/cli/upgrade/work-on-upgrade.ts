import type { DeploymentInfo } from '../../contract/deployment/deployment';
import { shellLine } from '../../contract/flag-text';
import { cellText, titleWithUnit } from '../../contract/measured/column';
import { formatCount, formatDuration, formatMs, formatRate } from '../../contract/numbers';
import type { Look } from '../../contract/study/search';
import type { StudyEntry, UpgradePlan } from '../../contract/study/study';
import type { UpgradeLoad, UpgradeOutputs, UpgradeStrategy } from '../../contract/study/upgrade';
import { present } from '../../contract/trees';
import type { Core } from '../../core';
import { durationText } from '../../domain/run/time-left';
import { duelLevelText, ratioText } from '../../domain/study/duel/duel-answer';
import { questionColumns } from '../../domain/study/duel/duel-columns';
import { pairsOf } from '../../domain/study/duel/duel-rounds';
import { placeLines } from '../../domain/study/place-text';
import { servingFailure } from '../../domain/study/upgrade/load-reason';
import type { UpgradeAnswer } from '../../domain/study/upgrade/upgrade-answer';
import { upgradeColumns, upgradeOutputColumns } from '../../domain/study/upgrade/upgrade-columns';
import { judgeUpgrade } from '../../domain/study/upgrade/upgrade-rounds';
import { answerOfUpgrade } from '../../domain/study/upgrade/upgrade-study';
import { exitOfOutcome } from '../compare/duel';
import { exitCodes, type Output, printText, progressOf } from '../output';
import { columnTable } from '../print/column-table';
import { type OwnStudyEnd, sayReports, whileStoppable } from '../studies/own-study';

/** What is compared, before it is. */
export function upgradePlanLines({ spec, upgrade, notes }: UpgradePlan): readonly string[] {
  const { sides, title, level, lookMs, budgetS } = upgrade;
  return [
    `Upgrade ${spec.name}: ${title}, ${duelLevelText(level)}, in turns of ${lookMs / 1000} s, at most ${durationText(budgetS)} of load`,
    ...sides.map(({ title: served }, at) => `  ${at === 0 ? 'A' : 'B'}: ${served}`),
    ...notes.map((note) => `  ${note}`),
  ];
}

const sideName = (side: number): string => (side === 1 ? 'A' : 'B');

const outputsText = ({ between }: UpgradeOutputs): string => {
  const differing = between.filter(({ outputs }) => outputs.some(({ passed }) => !passed));
  const at = between.map(({ batchSize }) => formatCount(batchSize)).join(', ');
  return differing.length === 0
    ? `  outputs agree at batch sizes ${at}`
    : `  outputs differ at batch size ${differing.map(({ batchSize }) => formatCount(batchSize)).join(', ')}`;
};

const loadText = ({ side, loadMs, firstUs }: UpgradeLoad): string =>
  `  ${sideName(side)} loaded in ${formatDuration(1000 * loadMs)}, first answer after ${formatMs(firstUs[0]?.us)} ms`;

/** A line per pair of looks. */
function pairText(upgrade: UpgradeStrategy, looks: readonly Look[]): string | null {
  const pairs = looks.length % 2 === 1 ? [] : pairsOf({ looks, failed: {} });
  const last = pairs.at(-1);
  if (last === undefined) return null;
  const figures = ({ inferencesPerSecond, latencyUs }: Look) =>
    `${formatRate(inferencesPerSecond)}/s p99 ${formatMs(latencyUs)} ms`;
  const seconds = looks.reduce((sum, look) => sum + look.seconds, 0);
  const spent = `${Math.round(seconds)} of ${Math.round(upgrade.budgetS)} s`;
  const judged = judgeUpgrade(upgrade, pairs).differences.at(-1);
  const told = judged === undefined ? '' : `; ${judged.metric} ${ratioText(judged)}`;
  return `  ${spent}  A ${figures(last.first)}, B ${figures(last.second)}${told}`;
}

function entryText(upgrade: UpgradeStrategy, entry: StudyEntry, looks: readonly Look[]): string | null {
  if (entry.type === 'look') return pairText(upgrade, looks);
  if (entry.type === 'upgrade-outputs') return outputsText(entry.outputs);
  if (entry.type === 'upgrade-load') return loadText(entry.load);
  if (entry.type === 'candidate-failed')
    return `  ${sideName(entry.candidate)}: ${servingFailure(entry.error)}`;
  if (entry.type !== 'upgrade-served') return null;
  const { side, place, startMs } = entry.served;
  const after = `ready after ${formatDuration(1000 * startMs)}`;
  return `  ${sideName(side)}: Triton ${place.tritonVersion} at ${place.address}, ${after}`;
}

/** The answer first, then what it rests on. */
export function upgradeLines({
  sentence,
  rows,
  outputs,
  judged,
  differences,
  seconds,
  places,
  notes,
}: UpgradeAnswer): readonly string[] {
  const isMeasured = rows.some(({ looks }) => looks > 0);
  return [
    '',
    `${sentence}.`,
    ...notes.map((line) => `${line}.`),
    '',
    columnTable(upgradeColumns, rows),
    ...(outputs.length === 0 ? [] : ['', columnTable(upgradeOutputColumns, outputs)]),
    ...(isMeasured ? ['', columnTable(questionColumns, [...judged, ...differences])] : []),
    ...(isMeasured ? [`${Math.round(seconds)} s of load; intervals of 95 %, valid whenever it ends.`] : []),
    ...places.flatMap((place) => placeLines({ place })).map((line) => `${line}.`),
  ];
}

/** For the comment of a pull request. */
function markdownOf({ sentence, rows, notes }: UpgradeAnswer): string {
  const lines = [
    upgradeColumns.map(titleWithUnit),
    upgradeColumns.map(() => '---'),
    ...rows.map((row) => upgradeColumns.map((column) => cellText(column, row))),
  ].map((row) => `| ${row.join(' | ')} |`);
  return [...lines, '', ...[sentence, ...notes].map((line) => `- ${line}.`)].join('\n');
}

function codeOf(
  { outcome }: UpgradeAnswer,
  { isCancelled, isPaused }: Pick<OwnStudyEnd, 'isCancelled' | 'isPaused'>,
): number {
  if (isCancelled) return exitCodes.cancelled;
  if (isPaused) return exitCodes.paused;
  return outcome === null ? exitCodes.failed : exitOfOutcome[outcome];
}

/** The command that moves a deployment after an answer. */
export const moveLine = (name: string): string => shellLine(['triton-workbench', 'upgrade', '--move', name]);

/** Says how a deployment that may move is moved later. */
function sayMove({ spec, upgrade }: Pick<UpgradePlan, 'spec' | 'upgrade'>, output: Output): Promise<null> {
  if (upgrade.subject.kind === 'deployment') output.say(`To move it: ${moveLine(spec.name)}`);
  return Promise.resolve(null);
}

interface WorkHow {
  readonly resume: boolean;
  readonly markdown?: boolean;
  /** Where it may move; the deployment as it serves then, or null. Absent: it is said how. */
  readonly move?: () => Promise<DeploymentInfo | null>;
}

/** Works on it to its end or a stop, with the progress. @returns the exit code */
export async function workOnUpgrade(
  core: Core,
  plan: Pick<UpgradePlan, 'spec' | 'upgrade'>,
  output: Output,
  { resume, markdown = false, move = () => sayMove(plan, output) }: WorkHow,
): Promise<number> {
  const { spec, upgrade } = plan;
  const { name } = spec;
  const progress = progressOf(output);
  const before = resume ? await core.handlers['searches.get']({ name }) : null;
  const looks: Look[] = [...(before?.searched.looks ?? [])];
  const stopped = await whileStoppable(core, output, async (stops) => {
    const unsubscribe = core.subscribe((event) => {
      if (event.type !== 'study' || event.name !== name) return;
      if (event.entry.type === 'look') looks.push(event.entry.look);
      const text = entryText(upgrade, event.entry, looks);
      if (text !== null) progress.say(text);
    });
    try {
      await core.handlers['upgrades.work']({ spec, resume, stops });
    } finally {
      unsubscribe();
    }
  });
  const answer = answerOfUpgrade(await core.handlers['searches.get']({ name }), upgrade);
  for (const line of upgradeLines(answer)) output.say(line);
  const reports = await sayReports(core, name, output);
  if (stopped.isCancelled || stopped.isPaused) {
    output.say(`To continue: ${shellLine(['triton-workbench', 'studies', 'resume', name])}`);
  }
  if (markdown && !output.json) printText(`${markdownOf(answer)}\n`);
  const deployment = answer.verdict === 'may-move' ? await move() : null;
  if (output.json) output.document({ name, upgrade, answer, reports, ...present({ deployment }) });
  return codeOf(answer, stopped);
}
