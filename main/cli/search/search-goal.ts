import { invalidInput } from '../../contract/errors';
import {
  type MemoryLimits,
  objectiveKinds,
  type SearchObjective,
  type SearchRequest,
} from '../../contract/study/search';
import { present } from '../../contract/trees';
import { readBytes, readNumber, readOneOf } from '../read-values';
import type { Verb } from '../verb';

/** What a search is for, and what its answer has to keep beside the latency. */
export interface GoalOptions {
  readonly objective: string;
  readonly rate?: string;
  readonly pricePerHour?: string;
  readonly gpuMemory?: string;
  readonly hostMemory?: string;
}

export const addGoalOptions = (verb: Verb): Verb =>
  verb
    .option(
      '--objective <name>',
      'throughput: the highest load; latency: the lowest latency at --rate; cost: the lowest cost per inference',
      'throughput',
    )
    .option('--rate <requests>', 'with --objective latency: requests per second, the only load')
    .option(
      '--price-per-hour <price>',
      'with --objective cost: price of one replica with its GPUs per hour, in any currency',
    )
    .option('--gpu-memory <size>', 'maximum GPU memory of a configuration, e.g. 8GiB')
    .option('--host-memory <size>', 'maximum host memory of a configuration, e.g. 2GiB');

function objectiveOf({ objective, pricePerHour }: GoalOptions): SearchObjective {
  const kind = readOneOf('--objective', objectiveKinds, objective);
  if (kind !== 'cost') {
    if (pricePerHour === undefined) return { kind };
    const message = 'A price applies only to the objective "cost"';
    throw invalidInput('--price-per-hour', message, 'Add --objective cost, or leave the price out.');
  }
  if (pricePerHour === undefined) {
    const message = '--objective cost needs a price';
    const remedy = 'Give the price of one replica with its GPUs per hour, for example --price-per-hour 2.5.';
    throw invalidInput('--price-per-hour', message, remedy);
  }
  const price = readNumber('--price-per-hour', pricePerHour);
  if (price > 0) return { kind, pricePerHour: price };
  throw invalidInput('--price-per-hour', `"${pricePerHour}" is not a price`, 'Give a number above 0.');
}

function rateOf({ rate }: GoalOptions): number | undefined {
  if (rate === undefined) return undefined;
  const value = readNumber('--rate', rate);
  if (value > 0) return value;
  throw invalidInput('--rate', `"${rate}" is not a rate`, 'Give the requests per second, for example 500.');
}

function limitsOf({ gpuMemory, hostMemory }: GoalOptions): MemoryLimits | undefined {
  const limits = present({
    gpuBytes: gpuMemory === undefined ? undefined : readBytes('--gpu-memory', gpuMemory),
    hostBytes: hostMemory === undefined ? undefined : readBytes('--host-memory', hostMemory),
  });
  return Object.keys(limits).length === 0 ? undefined : limits;
}

/** Throws input-invalid. */
export function goalOf(options: GoalOptions): Pick<SearchRequest, 'objective' | 'rate' | 'memory'> {
  const objective = objectiveOf(options);
  return present({
    objective: objective.kind === 'throughput' ? undefined : objective,
    rate: rateOf(options),
    memory: limitsOf(options),
  });
}
