import type { Command } from 'commander';
import { WorkbenchError } from '../contract/errors';
import { sequenceSchema } from '../contract/sequences';
import type { SequenceSettings } from '../contract/sequences';
import { readNumber } from './read-spec';

/** Options of stateful and of streaming models, named as perf_analyzer's. */
export interface KindOptions {
  readonly sequenceLength?: string;
  readonly sequenceLengthVariation?: string;
  readonly numOfSequences?: string;
  readonly sequenceIdRange?: string;
  readonly streaming?: boolean;
}

export function addKindOptions(command: Command): Command {
  return command
    .option(
      '--sequence-length <n>',
      'stateful models: requests of a sequence; 20 beside another sequence option',
    )
    .option('--sequence-length-variation <percent>', 'sequences are so much shorter or longer; default 20')
    .option('--num-of-sequences <n>', 'sequences at once with a request rate; default 4')
    .option(
      '--sequence-id-range <start:end>',
      'correlation ids, the end left out; default from 1 without end',
    )
    .option('--streaming', 'requests over a gRPC stream, for models that answer any number of times');
}

function readIds(text: string): { readonly firstId: number; readonly endId?: number } {
  const [first = '', end, ...rest] = text.split(':');
  const flag = '--sequence-id-range';
  const firstId = readNumber(flag, first);
  if (rest.length === 0 && end === undefined) return { firstId };
  const endId = readNumber(flag, end ?? '');
  if (rest.length === 0 && endId > firstId) return { firstId, endId };
  throw new WorkbenchError('input-invalid', `"${text}" is no range of ids`, {
    where: flag,
    remedy: 'Give START:END, for example 1:1000; the end is left out.',
  });
}

/** undefined: no sequences. Throws input-invalid. */
export function readSequences(options: KindOptions): SequenceSettings | undefined {
  const { sequenceLength, sequenceLengthVariation, numOfSequences, sequenceIdRange } = options;
  const given = [sequenceLength, sequenceLengthVariation, numOfSequences, sequenceIdRange];
  if (given.every((value) => value === undefined)) return undefined;
  const numbers = {
    ...(sequenceLength === undefined ? {} : { length: readNumber('--sequence-length', sequenceLength) }),
    ...(sequenceLengthVariation === undefined
      ? {}
      : { lengthVariation: readNumber('--sequence-length-variation', sequenceLengthVariation) }),
    ...(numOfSequences === undefined ? {} : { concurrent: readNumber('--num-of-sequences', numOfSequences) }),
    ...(sequenceIdRange === undefined ? {} : readIds(sequenceIdRange)),
  };
  const parsed = sequenceSchema.safeParse(numbers);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new WorkbenchError(
    'input-invalid',
    `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not valid'}`,
    {
      where: '--sequence-length',
    },
  );
}
