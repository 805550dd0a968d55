import { invalidInput } from '../../contract/errors';
import { isPredicted, whatIf, type WhatIfAsk } from '../../domain/predict/what-if';
import {
  type WhatIfField,
  whatIfLines,
  whatIfNotes,
  whatIfProblem,
  whatIfText,
} from '../../domain/predict/what-if-text';
import { exitCodes } from '../output';
import { readNumber, resolveRunId, runArgument } from '../read-values';
import type { Verb } from '../verb';

interface PredictOptions {
  readonly rate?: number;
  readonly concurrency?: number;
  readonly instances?: number;
  readonly maxBatchSize?: number;
  readonly queueDelayUs?: number;
  readonly batchSize?: number;
}

const flags: Readonly<Record<WhatIfField, string>> = {
  ...{ rate: '--rate', concurrency: '--concurrency', instances: '--instances' },
  ...{ maxBatchSize: '--max-batch-size', maxQueueDelayUs: '--queue-delay-us', batchSize: '--batch-size' },
};

/** `predict`: what a run's model would do under another load or configuration, at once and without a server. */
export function addPredict(program: Verb): void {
  const number = (flag: string) => (text: string) => readNumber(flag, text);
  program
    .command('predict')
    .description('Predict a run’s model under another load or configuration; nothing is measured')
    .argument('<run>', runArgument)
    .option('--rate <requests>', 'requests per second, with Poisson arrivals', number('--rate'))
    .option('--concurrency <n>', 'requests in flight, in place of a rate', number('--concurrency'))
    .option('--instances <n>', 'model instances; default: those of the run', number('--instances'))
    .option(
      '--max-batch-size <n>',
      'maximum batch size; default: that of the run',
      number('--max-batch-size'),
    )
    .option(
      '--queue-delay-us <us>',
      'maximum queue delay in microseconds; default: that of the run',
      number('--queue-delay-us'),
    )
    .option(
      '--batch-size <n>',
      'rows per request; default: those of the level with the highest throughput',
      number('--batch-size'),
    )
    .answer(async ({ core, exit }, run: string, options: PredictOptions) => {
      const { rate, concurrency, instances, maxBatchSize, queueDelayUs, batchSize } = options;
      const asked: WhatIfAsk = {
        ...{ rate, concurrency, instances, maxBatchSize, batchSize },
        maxQueueDelayUs: queueDelayUs,
      };
      const problem = whatIfProblem(asked);
      if (problem !== null) throw invalidInput(flags[problem.field], problem.message, problem.remedy);
      const runId = await resolveRunId(core, run);
      const { state } = await core.handlers['runs.show']({ runId });
      const found = whatIf(state, asked);
      if (!isPredicted(found)) exit(exitCodes.noAnswer);
      return {
        document: {
          ...{ kind: 'triton-workbench-prediction', version: 1, runId, asked, text: whatIfText(found) },
          ...(isPredicted(found) ? { ...found, notes: whatIfNotes(found) } : { predicted: null }),
        },
        lines: () => whatIfLines(found),
      };
    });
}
