import { invalidInput } from '../../contract/errors';
import {
  leastTrialRounds,
  mostTrialRounds,
  usualTrialRounds,
  type WarmUpKind,
  warmUpKinds,
} from '../../contract/measured/cold-start';
import { cellText, type Column, titleWithUnit } from '../../contract/measured/column';
import { missing } from '../../contract/numbers';
import type { RunState } from '../../contract/run/run-state';
import { present } from '../../contract/trees';
import type { Core } from '../../core';
import { coldStartOf } from '../../domain/measured/cold/cold-start';
import { trialColumns, trialOf } from '../../domain/measured/cold/warm-up-trial';
import { coldStartDocument } from '../json/cold-start-document';
import { formatTable, type Output } from '../output';
import { readNumber, resolveRunId, runArgument } from '../read-values';
import type { Verb } from '../verb';
import { cancelling, listenForStops } from '../work';

interface ColdStartOptions {
  readonly try?: boolean;
  readonly kind?: WarmUpKind;
  readonly batchSizes?: readonly number[];
  readonly rounds?: number;
}

function readKind(text: string): WarmUpKind {
  const kind = warmUpKinds.find((one) => one === text);
  if (kind !== undefined) return kind;
  throw invalidInput(
    '--kind',
    `"${text}" is not a kind of warm-up`,
    `Use ${warmUpKinds.slice(0, -1).join(', ')} or ${warmUpKinds.at(-1) ?? ''}.`,
  );
}

function readSizes(text: string): readonly number[] {
  const sizes = text.split(',').map((part) => readNumber('--batch-sizes', part.trim()));
  if (sizes.every((size) => Number.isInteger(size) && size >= 1)) return sizes;
  throw invalidInput(
    '--batch-sizes',
    `"${text}" is not a list of batch sizes`,
    'For example --batch-sizes 1,4,8.',
  );
}

function readRounds(text: string): number {
  const rounds = readNumber('--rounds', text);
  if (Number.isInteger(rounds) && rounds >= leastTrialRounds && rounds <= mostTrialRounds) return rounds;
  throw invalidInput(
    '--rounds',
    `"${text}" is not a number of rounds, ${leastTrialRounds} to ${mostTrialRounds}`,
  );
}

/** Throws input-invalid for an option that nothing is tried with. */
function requireTry({ try: tries, ...options }: ColdStartOptions): void {
  const [given] = Object.entries({
    '--kind': options.kind,
    '--batch-sizes': options.batchSizes,
    '--rounds': options.rounds,
  }).flatMap(([flag, value]) => (value === undefined ? [] : [flag]));
  if (tries === true || given === undefined) return;
  throw invalidInput(given, `${given} applies only to a trial`, 'Add --try.');
}

const tableOf = <Of>(columns: readonly Column<Of>[], rows: readonly Of[]): readonly string[] =>
  rows.length === 0
    ? []
    : [
        '',
        formatTable(
          columns.map(titleWithUnit),
          rows.map((row) => columns.map((column) => cellText(column, row) || missing)),
        ),
      ];

function linesOf(state: RunState): readonly string[] {
  const [cold, trial] = [coldStartOf(state), trialOf(state)];
  const recorded =
    cold === null
      ? ['The cold start of this run was not recorded.']
      : [...cold.lines, ...tableOf(cold.columns, cold.rows)];
  if (trial === null) return recorded;
  return [...recorded, '', 'Tried with a warm-up', ...trial.lines, ...tableOf(trialColumns, trial.rows)];
}

/** Ctrl-C ends it, and its Triton. */
async function tryIt(
  core: Core,
  output: Output,
  runId: string,
  { kind, batchSizes, rounds }: ColdStartOptions,
): Promise<void> {
  const stop = new AbortController();
  const dispose = listenForStops(core, {
    ...{ runIds: () => [], isHandedOver: () => false, say: output.say, leave: () => stop.abort() },
    cancel: () => {
      output.say(cancelling);
      stop.abort();
    },
  });
  try {
    await core.handlers['warmUps.try']({
      runId,
      ...present({ kind, rounds }),
      ...(batchSizes === undefined ? {} : { batchSizes: [...batchSizes] }),
      signal: stop.signal,
      onRound: (round, all) => output.say(`Round ${round} of ${all}: loads without and with the warm-up…`),
    });
  } finally {
    dispose();
  }
}

/** `cold-start`: what a start of a run's model takes, and what a warm-up makes of its first requests. */
export function addColdStart(program: Verb): void {
  program
    .command('cold-start')
    .description(
      'Show how long a run’s model takes to load and to answer its first requests, and try a warm-up',
    )
    .argument('<run>', runArgument)
    .option('--try', 'measure first requests without and with a warm-up, in turns on fresh loads')
    .option(
      '--kind <kind>',
      'with --try: zero, random, or samples of a run that has them; default: those of the run, else zero',
      readKind,
    )
    .option(
      '-b, --batch-sizes <list>',
      'with --try: batch sizes of the warm-up; default: those of the run, else 1, 2, 4 and so on up to the maximum',
      readSizes,
    )
    .option(
      '--rounds <n>',
      `with --try: rounds of loads; default: ${usualTrialRounds}, the fewest that give a 95 % interval`,
      readRounds,
    )
    .checking((options: ColdStartOptions) => {
      requireTry(options);
    })
    .answer(async ({ core, output }, given: string, options: ColdStartOptions) => {
      const runId = await resolveRunId(core, given);
      if (options.try === true) await tryIt(core, output, runId, options);
      const { state } = await core.handlers['runs.show']({ runId });
      return { document: coldStartDocument(state), lines: () => linesOf(state) };
    });
}
