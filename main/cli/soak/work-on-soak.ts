import { shellLine } from '../../contract/flag-text';
import { cellText, titleWithUnit } from '../../contract/measured/column';
import { formatDuration, formatMs, formatRate } from '../../contract/numbers';
import type { ServedPlace } from '../../contract/study/search';
import type { Soaked, SoakSlice, SoakStrategy } from '../../contract/study/soak';
import type { SoakPlan, StudyEntry } from '../../contract/study/study';
import type { Core } from '../../core';
import { placeLines } from '../../domain/study/place-text';
import { type SoakAnswer, unansweredText } from '../../domain/study/soak/soak-answer';
import { soakColumns } from '../../domain/study/soak/soak-columns';
import { answerOfSoak, soakedOf } from '../../domain/study/soak/soak-study';
import { amountOf, judgedLine, sinceText, soakLevelText } from '../../domain/study/soak/soak-text';
import { exitOfOutcome } from '../compare/duel';
import { exitCodes, type Output, printText, progressOf } from '../output';
import { columnTable } from '../print/column-table';
import { sayReports, whileStoppable } from '../studies/own-study';

/** What is measured, before it is. */
export function soakPlanLines({ spec, soak, notes, asks }: SoakPlan): readonly string[] {
  return [
    `Soak ${spec.name}: ${soak.title} for ${formatDuration(soak.forMs * 1000)}, ${soakLevelText(soak.level)}`,
    ...[...notes, ...(asks?.facts ?? [])].map((note) => `  ${note}`),
  ];
}

const sliceText = (slice: SoakSlice, { blocks }: Soaked): string => {
  const { toMs, inferencesPerSecond, p99Us } = slice;
  const last = blocks.at(-1)?.readings ?? [];
  const memory = last
    .filter(({ role, rss }) => role !== 'client' && rss !== null)
    .map(({ role, model, rss }) => `${model ?? role} ${amountOf('rss', rss ?? 0)} MB`);
  return `  ${sinceText(toMs)}  ${formatRate(inferencesPerSecond)}/s p99 ${formatMs(p99Us)} ms${unansweredText(slice)}; ${memory.join(', ')}`;
};

/** The answer first, then what it rests on. */
export function soakLines(answer: SoakAnswer): readonly string[] {
  const { sentence, judged, loadSentence, rows, notes } = answer;
  return [
    '',
    ...sentence.split('; ').map((line) => `${line}.`),
    ...judged.map((one) => `${judgedLine(one)}.`),
    ...(loadSentence === null ? [] : [`${loadSentence}.`]),
    '',
    ...(rows.length === 0 ? [] : [columnTable(soakColumns, rows)]),
    'Resident memory after the warm-up part; intervals of 95 %; 1 MB is 1,000,000 bytes.',
    ...[...placeLines(answer), ...notes].map((line) => `${line}.`),
  ];
}

/** For the comment of a pull request. */
function markdownOf({ sentence, judged, loadSentence, rows }: SoakAnswer): string {
  const lines = [
    soakColumns.map(titleWithUnit),
    soakColumns.map(() => '---'),
    ...rows.map((row) => soakColumns.map((column) => cellText(column, row))),
  ].map((row) => `| ${row.join(' | ')} |`);
  const said = [
    ...sentence.split('; '),
    ...judged.map(judgedLine),
    ...(loadSentence === null ? [] : [loadSentence]),
  ];
  return [...lines, '', ...said.map((line) => `- ${line}.`)].join('\n');
}

/** The document of `--json`. */
export const soakDocumentOf = (soak: SoakStrategy, answer: SoakAnswer) => ({ soak, answer });

interface Known extends Soaked {
  readonly place: ServedPlace | null;
}

function withEntry(known: Known, entry: StudyEntry): Known {
  if (entry.type === 'soak-block') return { ...known, blocks: [...known.blocks, entry.block] };
  return entry.type === 'soak-slice' ? { ...known, slices: [...known.slices, entry.slice] } : known;
}

function codeOf(
  { outcome }: SoakAnswer,
  { isCancelled, isPaused }: { isCancelled: boolean; isPaused: boolean },
): number {
  if (isCancelled) return exitCodes.cancelled;
  if (isPaused) return exitCodes.paused;
  return outcome === null ? exitCodes.done : exitOfOutcome[outcome];
}

/** What was read until it failed: a server that ran out of memory is the answer that was asked for. */
async function saySoFar(core: Core, { spec, soak }: Pick<SoakPlan, 'spec' | 'soak'>, output: Output) {
  const study = await core.handlers['searches.get']({ name: spec.name }).catch(() => null);
  if (study === null || soakedOf(study).blocks.length === 0) return;
  for (const line of soakLines(answerOfSoak(study, soak))) output.say(line);
  await sayReports(core, spec.name, output);
}

/** Soaks to the end or a stop, with the progress. @returns the exit code */
export async function workOnSoak(
  core: Core,
  { spec, soak }: Pick<SoakPlan, 'spec' | 'soak'>,
  output: Output,
  { resume, markdown = false }: { readonly resume: boolean; readonly markdown?: boolean },
): Promise<number> {
  const { name } = spec;
  const progress = progressOf(output);
  const study = resume ? await core.handlers['searches.get']({ name }) : null;
  let known: Known = { ...soakedOf(study ?? {}), place: null };
  const stopped = await whileStoppable(core, output, async (stops) => {
    const unsubscribe = core.subscribe((event) => {
      if (event.type !== 'study' || event.name !== name) return;
      known = withEntry(known, event.entry);
      if (event.entry.type === 'soak-slice') progress.say(sliceText(event.entry.slice, known));
    });
    try {
      await core.handlers['soaks.work']({ spec, resume, stops });
    } catch (error) {
      await saySoFar(core, { spec, soak }, output);
      throw error;
    } finally {
      unsubscribe();
    }
  });
  const answer = answerOfSoak(await core.handlers['searches.get']({ name }), soak);
  for (const line of soakLines(answer)) output.say(line);
  const reports = await sayReports(core, name, output);
  if (stopped.isCancelled || stopped.isPaused) {
    output.say(`To continue: ${shellLine(['triton-workbench', 'studies', 'resume', name])}`);
  }
  if (output.json) output.document({ name, ...soakDocumentOf(soak, answer), reports });
  else if (markdown) printText(`${markdownOf(answer)}\n`);
  return codeOf(answer, stopped);
}
