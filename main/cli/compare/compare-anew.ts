import { invalidInput } from '../../contract/errors';
import { present } from '../../contract/trees';
import type { Core } from '../../core';
import type { Output } from '../output';
import { readDuration, readNumber, resolveRunId } from '../read-values';
import { searchAt, type SearchAtOptions } from '../search/search-at';
import { startDuel } from './duel';

/** Options of `compare --measure`. */
export interface AnewOptions extends Omit<SearchAtOptions, 'host'> {
  readonly failIf?: readonly string[];
  readonly markdown?: boolean;
  readonly out?: string;
  readonly measure?: boolean;
  readonly budget?: string;
  readonly concurrency?: string;
  readonly requestRate?: string;
  readonly batchSize?: string;
  readonly name?: string;
  readonly dryRun?: boolean;
}

const flags = {
  ...{ budget: '--budget', concurrency: '--concurrency', requestRate: '--request-rate' },
  ...{ batchSize: '--batch-size', name: '--name', dryRun: '--dry-run' },
  ...{ url: '--url', metricsUrl: '--metrics-url', allowRemoteLoad: '--allow-remote-load', yes: '--yes' },
} as const;

/** Throws input-invalid for options of one form of `compare` that were given to the other. */
export function requireAnew(options: AnewOptions, runs: readonly string[]): void {
  if (options.measure !== true) {
    const given = Object.entries(flags).find(([key]) => options[key as keyof typeof flags] !== undefined);
    if (given === undefined) return;
    throw invalidInput(given[1], `${given[1]} applies only with --measure`, 'Add --measure.');
  }
  if (options.out !== undefined) {
    throw invalidInput(
      '--out',
      '--out does not apply to --measure, which writes its own report',
      'Leave --out out. The paths of the report are printed at the end.',
    );
  }
  if (runs.some((run) => /^published(?::\w+)?$/.test(run))) {
    throw invalidInput('--measure', 'Published figures cannot be measured again', 'Name two runs.');
  }
}

export function wholeOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = readNumber(flag, text);
  if (Number.isInteger(value) && value > 0) return value;
  throw invalidInput(flag, `"${text}" is not a whole number of at least 1`);
}

function rateOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = readNumber(flags.requestRate, text);
  if (value > 0) return value;
  throw invalidInput(
    flags.requestRate,
    `"${text}" is not a rate`,
    'Give requests per second, for example 200.',
  );
}

/** What is measured in turns, and how long. Throws input-invalid. */
export const turnsOf = ({
  failIf,
  budget,
  concurrency,
  requestRate,
  batchSize,
}: Pick<AnewOptions, 'failIf' | 'budget' | 'concurrency' | 'requestRate' | 'batchSize'>) =>
  present({
    criteria: failIf === undefined ? undefined : [...failIf],
    budgetS: budget === undefined ? undefined : readDuration(flags.budget, budget, 's'),
    concurrency: wholeOf(flags.concurrency, concurrency),
    requestRate: rateOf(requestRate),
    batchSize: wholeOf(flags.batchSize, batchSize),
  });

/** `compare --measure`. @returns the exit code */
export async function compareAnew(
  core: Core,
  [a, b]: readonly [string, string],
  options: AnewOptions,
  output: Output,
): Promise<number> {
  const { name, dryRun, markdown, yes } = options;
  const { server } = await searchAt(core, options);
  const turns = turnsOf(options);
  const plan = await core.handlers['duels.plan']({
    between: { first: await resolveRunId(core, a), second: await resolveRunId(core, b) },
    ...turns,
    ...present({ name, server }),
  });
  return startDuel(core, plan, output, present({ dryRun, markdown, yes }));
}
