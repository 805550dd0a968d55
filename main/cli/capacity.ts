import { invalidInput } from '../contract/errors';
import type { CapacityAsk } from '../contract/measured/capacity-ask';
import { formatRate } from '../contract/numbers';
import type { RunState } from '../contract/run/run-state';
import { bestLevelText, p99Text } from '../domain/measured/answer';
import {
  askOf,
  capacityOf,
  decisiveLevels,
  isCapacity,
  isProblem,
  targetText,
  usualHeadroom,
  usualSpare,
} from '../domain/measured/capacity';
import { capacityDocument, capacityLines } from '../domain/measured/capacity-text';
import { budgetMsOf } from '../domain/measured/points';
import { exitCodes, formatTable } from './output';
import { readDuration, readNumber, resolveRunId, runArgument } from './read-values';
import type { Verb } from './verb';

/** What replicas are planned with, beside the rate. */
export interface PlanOptions {
  readonly p99?: number;
  readonly headroom?: number;
  readonly spare?: number;
}

interface CapacityOptions extends PlanOptions {
  readonly rate: number;
  readonly pricePerHour?: number;
}

const flags: Readonly<Record<keyof CapacityAsk, string>> = {
  ...{ rate: '--rate', p99Ms: '--p99', headroom: '--headroom', spare: '--spare' },
  pricePerHour: '--price-per-hour',
};

/** The options of {@link PlanOptions}; a percentage as "30%" or "30". */
export const addPlanOptions = (verb: Verb): Verb =>
  verb
    .option(
      '--p99 <time>',
      'highest acceptable p99 latency, for example 20ms; default: the p99 budget of the run',
      (text) => readDuration('--p99', text, 'ms'),
    )
    .option(
      '--headroom <percent>',
      `share that is planned beyond the rate; default: ${usualHeadroom * 100}%`,
      (text) => readNumber('--headroom', text.replace(/\s*%\s*$/, '')) / 100,
    )
    .option('--spare <count>', `replicas that may be missing; default: ${usualSpare}`, (text) =>
      readNumber('--spare', text),
    );

/** What the options ask of a run. Throws input-invalid, which names the option. @param rateFlag that of the rate */
export function planOf(
  state: RunState,
  { rate, p99, headroom, spare, pricePerHour }: CapacityOptions,
  rateFlag = flags.rate,
): CapacityAsk {
  const asked = askOf({
    ...{ rate, p99Ms: p99 ?? budgetMsOf(state) },
    ...{ headroom: headroom ?? usualHeadroom, spare: spare ?? usualSpare },
    pricePerHour: pricePerHour ?? null,
  });
  if (!isProblem(asked)) return asked;
  const { field, message, remedy } = asked;
  throw invalidInput(field === 'rate' ? rateFlag : flags[field], message, remedy);
}

const levelsTable = (state: RunState, p99Ms: number): string =>
  formatTable(
    ['Level', 'Inferences/s', 'p99', 'Target'],
    decisiveLevels(state).map((level) => [
      bestLevelText(level),
      formatRate(level.point.inferencesPerSecond),
      p99Text(level.point),
      targetText(level.point, p99Ms),
    ]),
  );

/** `capacity`: how many replicas a rate takes, by what the levels of a run hold. */
export function addCapacity(program: Verb): void {
  const verb = program
    .command('capacity')
    .description(
      'Plan replicas, GPUs and cost of a rate within a p99 target, by the measured levels of a run',
    )
    .argument('<run>', runArgument)
    .requiredOption('--rate <inferences>', 'inferences per second of all replicas together', (text) =>
      readNumber('--rate', text),
    );
  addPlanOptions(verb)
    .option(
      '--price-per-hour <price>',
      'price of one replica with its GPUs per hour, in any currency; adds the cost',
      (text) => readNumber('--price-per-hour', text),
    )
    .answer(async ({ core, exit }, run: string, options: CapacityOptions) => {
      const { state } = await core.handlers['runs.show']({ runId: await resolveRunId(core, run) });
      const asked = planOf(state, options);
      const found = capacityOf(state, asked);
      if (!isCapacity(found) && found.kind === 'unmeasured') {
        throw invalidInput(state.runId, found.text, 'Name a run that measured one model.');
      }
      if (!isCapacity(found)) exit(exitCodes.noAnswer);
      return {
        document: capacityDocument(state, asked, found),
        lines: () => [...capacityLines(state, found), '', levelsTable(state, asked.p99Ms)],
      };
    });
}
