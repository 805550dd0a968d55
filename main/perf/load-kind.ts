import { WorkbenchError } from '../contract/errors';
import type { ModelTraits } from '../triton/model-traits';
import type { MeasureInput } from './load-tool';
import { largestOf } from '../contract/extremes';

/** What is asked of a model beside its tensors. */
export type LoadKind = Pick<MeasureInput, 'modelName' | 'protocol'> & {
  readonly batchSizes: readonly number[];
  readonly settings: Pick<MeasureInput['settings'], 'sequences' | 'streaming' | 'sharedMemory'>;
};

const refusal = (where: string, message: string, remedy: string) =>
  new WorkbenchError('combination-unsupported', message, { where, remedy });

/**
 * Refuses load that the model does not take, before anything is sent: Triton would refuse each request, or take what is no
 * sequence for one. Throws combination-unsupported with the remedy.
 */
export function assertLoadKind(traits: ModelTraits, kind: LoadKind): void {
  const { modelName, protocol, batchSizes, settings } = kind;
  const { sequences, streaming = false, sharedMemory = 'none' } = settings;
  if (traits.sequences && sequences === undefined) {
    throw refusal(
      'sequence_batching',
      `${modelName} keeps state between the requests of a sequence: single requests are refused`,
      'Say how long sequences are: --sequence-length 20.',
    );
  }
  if (!traits.sequences && sequences !== undefined) {
    throw refusal(
      '--sequence-length',
      `${modelName} has no sequence_batching in its configuration: it does not see which requests belong together`,
      'Leave the sequence options out, or add sequence_batching to config.pbtxt.',
    );
  }
  if (traits.decoupled && !streaming) {
    throw refusal(
      'model_transaction_policy',
      `${modelName} is decoupled: a request may have any number of answers, which a single call cannot take`,
      'Measure with --streaming and --protocol grpc.',
    );
  }
  if (streaming && protocol !== 'grpc') {
    throw refusal(
      '--streaming',
      'Streams are of gRPC: HTTP has no counterpart',
      'Measure with --protocol grpc.',
    );
  }
  const largest = largestOf(batchSizes);
  if (sequences !== undefined && largest > 1) {
    throw refusal(
      '--batch-sizes',
      `The sequence batcher takes requests of batch size 1, not ${largest}`,
      'Use batch size 1: it makes batches of several sequences by itself.',
    );
  }
  if (sharedMemory !== 'none' && (streaming || sequences !== undefined)) {
    throw refusal(
      '--shared-memory',
      streaming
        ? 'Several answers to a request would be written to one place in shared memory'
        : 'Responses within a sequence cannot be compared with those of a single request',
      'Leave --shared-memory out.',
    );
  }
}
