import { invalidInput, WorkbenchError } from '../../contract/errors';
import type { CapacityAsk } from '../../contract/measured/capacity-ask';
import { formatRate } from '../../contract/numbers';
import type { RunState } from '../../contract/run/run-state';
import type { SearchCapacity } from '../../contract/study/study';
import { present } from '../../contract/trees';
import type { Core } from '../../core';
import { bestLevelText, p99Text } from '../../domain/measured/answer';
import {
  askOf,
  capacityOf,
  decisiveLevels,
  isCapacity,
  isProblem,
  targetText,
  usualHeadroom,
  usualSpare,
} from '../../domain/measured/capacity';
import { capacityDocument, capacityLines, capacityText } from '../../domain/measured/capacity-text';
import { budgetMsOf } from '../../domain/measured/points';
import { exitCodes, formatTable, type Output } from '../output';
import { readDuration, readNumber, runArgument, runIdOrText } from '../read-values';
import type { Verb } from '../verb';
import { cancelling, listenForStops } from '../work';

/** What replicas are planned with, beside the rate. */
export interface PlanOptions {
  readonly p99?: number;
  readonly headroom?: number;
  readonly spare?: number;
}

interface CapacityOptions extends PlanOptions {
  readonly rate: number;
  readonly pricePerHour?: number;
  readonly candidate?: number;
  readonly model?: string;
  readonly measureMemory?: boolean;
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
      `spare capacity above the rate; default: ${usualHeadroom * 100}%`,
      (text) => readNumber('--headroom', text.replace(/\s*%\s*$/, '')) / 100,
    )
    .option('--spare <count>', `replicas that may fail; default: ${usualSpare}`, (text) =>
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

/** What is planned with: a run, or a configuration of a search as one. */
interface Source {
  readonly state: RunState;
  readonly search: SearchCapacity | null;
}

const isUnknown = (error: unknown): boolean =>
  error instanceof WorkbenchError && (error.code === 'run-unknown' || error.code === 'study-unknown');

/** A run, else a search of this name. Throws run-unknown, input-invalid. */
async function sourceOf(core: Core, text: string, { candidate, model }: CapacityOptions): Promise<Source> {
  const runId = await runIdOrText(core, text);
  try {
    const { state } = await core.handlers['runs.show']({ runId });
    if (candidate === undefined && model === undefined) return { state, search: null };
    const [flag, thing] = candidate === undefined ? ['--model', 'model'] : ['--candidate', 'configuration'];
    throw invalidInput(flag, `A run has one ${thing}`, 'Name a search, or leave the option out.');
  } catch (unknown) {
    if (!isUnknown(unknown)) throw unknown;
    const asked = { name: text, ...present({ candidate, model }) };
    const search = await core.handlers['searches.capacity'](asked).catch((error: unknown) => {
      throw isUnknown(error) ? unknown : error;
    });
    return { state: search.state, search };
  }
}

/** How it was measured, and the plan with the present configuration. */
const searchLines = ({ note, present: state }: SearchCapacity, asked: CapacityAsk): readonly string[] =>
  state === null
    ? [note]
    : [note, '', `With the present configuration: ${capacityText(capacityOf(state, asked))}`];

const searchDocument = (search: SearchCapacity | null, asked: CapacityAsk) => {
  if (search === null) return {};
  const { name, candidate, configuration, present: state } = search;
  const found = state === null ? null : capacityOf(state, asked);
  return {
    search: { name, candidate, configuration },
    ...(found === null
      ? {}
      : { present: { replicas: isCapacity(found) ? found.replicas : null, text: capacityText(found) } }),
  };
};

/** Loads the model by itself; Ctrl-C ends it, and its Triton. */
async function measureMemory(core: Core, output: Output, { state, search }: Source): Promise<RunState> {
  if (search !== null) {
    const message = 'The memory of a model can be measured only for a run';
    throw invalidInput('--measure-memory', message, `Use capacity ${state.runId} --measure-memory.`);
  }
  const { runId } = state;
  output.say('Loading the model three times side by side to measure its memory…');
  const stop = new AbortController();
  const dispose = listenForStops(core, {
    ...{ runIds: () => [], isHandedOver: () => false, say: output.say, leave: () => stop.abort() },
    cancel: () => {
      output.say(cancelling);
      stop.abort();
    },
  });
  try {
    const memory = await core.handlers['memory.measure']({ runId, signal: stop.signal });
    return { ...state, memory };
  } finally {
    dispose();
  }
}

/** `capacity`: how many replicas a rate takes, by what the levels of a run or a search hold. */
export function addCapacity(program: Verb): void {
  const verb = program
    .command('capacity')
    .description(
      'Plan replicas, GPUs and cost for a rate within a p99 target, from the measured levels of a run or a search',
    )
    .argument('<run>', `${runArgument}; or the name of a search`)
    .requiredOption('--rate <inferences>', 'inferences per second of all replicas together', (text) =>
      readNumber('--rate', text),
    );
  addPlanOptions(verb)
    .option(
      '--price-per-hour <price>',
      'price of one replica with its GPUs per hour, in any currency; adds the cost',
      (text) => readNumber('--price-per-hour', text),
    )
    .option(
      '--candidate <number>',
      'with a search: the configuration with this number; default: the best',
      (text) => readNumber('--candidate', text),
    )
    .option(
      '--model <title>',
      'with a search of several models: the model that the rate applies to, by its title',
    )
    .option(
      '--measure-memory',
      'first load the model by itself, and measure the memory of context, weights and an instance',
    )
    .answer(async ({ core, output, exit }, run: string, options: CapacityOptions) => {
      const source = await sourceOf(core, run, options);
      const asked = planOf(source.state, options);
      const state = options.measureMemory === true ? await measureMemory(core, output, source) : source.state;
      const { search } = source;
      const found = capacityOf(state, asked);
      if (!isCapacity(found) && found.kind === 'unmeasured') {
        throw invalidInput(state.runId, found.text, 'Name a run that measured one model.');
      }
      if (!isCapacity(found)) exit(exitCodes.noAnswer);
      return {
        document: { ...capacityDocument(state, asked, found), ...searchDocument(search, asked) },
        lines: () => [
          ...capacityLines(state, found),
          ...(search === null ? [] : searchLines(search, asked)),
          '',
          levelsTable(state, asked.p99Ms),
        ],
      };
    });
}
