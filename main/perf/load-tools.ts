import { WorkbenchError } from '../contract/errors';
import type { LoadTool as LoadToolId } from '../contract/run/run-spec';
import { largestOf } from '../domain/statistics';
import type { HomeLayout } from '../platform/layout';
import { createTritonClient } from '../triton/client';
import { type ModelTraits, readModelTraits } from '../triton/model-traits';
import { readTls } from '../triton/tls';
import type { LevelInTurns, LoadTool, MeasureInput } from './load-tool';
import { measureLevel } from './native/level/measure-level';
import { levelInTurns, measureTogether } from './native/level/measure-together';
import { createPerfAnalyzerTool } from './perf-analyzer.load-tool';

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

interface LoadToolsOptions {
  readonly layout: Pick<HomeLayout, 'perfAnalyzer' | 'perfAnalyzerLibraries'>;
  /** Bundled entry of the built-in load generator's worker thread. */
  readonly workerFile: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The input with what the model's configuration says; throws combination-unsupported for load that it does not take. */
async function fitting(input: MeasureInput): Promise<MeasureInput> {
  const client = createTritonClient(input.httpAddress, {
    tls: await readTls(input.httpTls),
    headers: input.headers,
  });
  const model = { name: input.modelName, version: input.modelVersion };
  const traits = await readModelTraits(client, model, { signal: input.signal });
  assertLoadKind(traits, { ...input, batchSizes: [input.level.batchSize] });
  return { ...input, decoupled: traits.decoupled };
}

/** Refuses load that the model does not take. */
function checked(tool: LoadTool): LoadTool {
  const measureTogether = tool.measureTogether?.bind(tool);
  const levelInTurns = tool.levelInTurns?.bind(tool);
  return {
    id: tool.id,
    measure: async (input) => tool.measure(await fitting(input)),
    ...(measureTogether === undefined
      ? {}
      : { measureTogether: async (inputs) => measureTogether(await Promise.all(inputs.map(fitting))) }),
    ...(levelInTurns === undefined
      ? {}
      : {
          levelInTurns: (input) => {
            let level: LevelInTurns | null = null;
            return {
              next: async () => {
                level ??= levelInTurns(await fitting(input));
                return level.next();
              },
            };
          },
        }),
  };
}

/** Every load tool by its id. */
export function createLoadTools(options: LoadToolsOptions): Readonly<Record<LoadToolId, LoadTool>> {
  const { workerFile } = options;
  return {
    native: checked({
      id: 'native',
      measure: async (input) => (await measureLevel(workerFile, input)).point,
      measureTogether: (inputs) => measureTogether(workerFile, inputs),
      levelInTurns: (input) => levelInTurns(workerFile, input),
    }),
    perf_analyzer: checked(
      createPerfAnalyzerTool({
        binary: options.layout.perfAnalyzer,
        libraryPath: options.layout.perfAnalyzerLibraries,
        env: options.env,
      }),
    ),
  };
}
