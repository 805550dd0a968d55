import { WorkbenchError } from '../contract/errors';
import { largestOf } from '../contract/statistics';
import type { ModelTraits } from '../triton/model-traits';
import type { MeasureInput } from './load-tool';

/** What is asked of a model beside its tensors. */
export type LoadKind = Pick<MeasureInput, 'modelName' | 'protocol'> & {
  readonly batchSizes: readonly number[];
  readonly settings: Pick<MeasureInput['settings'], 'sequences' | 'streaming' | 'sharedMemory'>;
};

const refusal = (where: string, message: string, remedy: string) =>
  new WorkbenchError('combination-unsupported', message, { where, remedy });

/** Of load that passes its tensors through shared memory. */
function assertOneResponse(streaming: boolean, inSequences: boolean): void {
  if (!streaming && !inSequences) return;
  throw refusal(
    '--shared-memory',
    streaming
      ? 'Several responses to a request would overwrite each other in shared memory'
      : 'Responses within a sequence cannot be compared with those of a single request',
    'Remove --shared-memory.',
  );
}

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
      `${modelName} is stateful and does not accept requests outside a sequence`,
      'Set the length of the sequences, for example --sequence-length 20.',
    );
  }
  if (!traits.sequences && sequences !== undefined) {
    throw refusal(
      '--sequence-length',
      `${modelName} has no sequence_batching in its configuration and ignores sequences`,
      'Remove the sequence options, or add sequence_batching to config.pbtxt.',
    );
  }
  if (traits.decoupled && !streaming) {
    throw refusal(
      'model_transaction_policy',
      `${modelName} is decoupled: a request can have any number of responses, which a unary call does not support`,
      'Measure with --streaming and --protocol grpc.',
    );
  }
  if (streaming && protocol !== 'grpc') {
    throw refusal('--streaming', 'Streaming requires gRPC', 'Measure with --protocol grpc.');
  }
  const largest = largestOf(batchSizes);
  if (sequences !== undefined && largest > 1) {
    throw refusal(
      '--batch-sizes',
      `The sequence batcher accepts only batch size 1, not ${largest}`,
      'Use batch size 1. The batcher combines several sequences into batches.',
    );
  }
  if (sharedMemory !== 'none') assertOneResponse(streaming, sequences !== undefined);
}
