import type { LoadTool as LoadToolId } from '../contract/run/run-spec';
import { requireLoad, sentFindings } from '../domain/run/load-rules';
import type { HomeLayout } from '../platform/layout';
import { createTritonClient } from '../triton/client';
import { readModelTraits } from '../triton/model-traits';
import { recognizeServer } from '../triton/open-inference';
import { readTls } from '../triton/tls';
import type { LevelInTurns, LoadTool, MeasureInput } from './load-tool';
import { measureLevel } from './native/level/measure-level';
import { levelInTurns, measureTogether } from './native/level/measure-together';
import { createPerfAnalyzerTool } from './perf-analyzer.load-tool';

interface LoadToolsOptions {
  readonly layout: Pick<HomeLayout, 'perfAnalyzer' | 'perfAnalyzerLibraries'>;
  /** Bundled worker thread entry of the built-in load generator. */
  readonly workerFile: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Adds the model's configuration; throws combination-unsupported for load that the model does not take. */
async function fitting(tool: LoadToolId, input: MeasureInput): Promise<MeasureInput> {
  // Callers that measure many levels read the model once.
  if (input.decoupled !== undefined) return input;
  const plain = createTritonClient(input.httpAddress, {
    tls: await readTls(input.httpTls),
    headers: input.headers,
  });
  const { client } = await recognizeServer(plain, { signal: input.signal });
  const model = { name: input.modelName, version: input.modelVersion };
  const traits = await readModelTraits(client, model, { signal: input.signal });
  const { protocol, settings, level } = input;
  const sent = { protocol, settings, batchSizes: [level.batchSize], tools: [tool] };
  requireLoad(sentFindings(sent, { name: model.name, maxBatchSize: null, traits }));
  return { ...input, decoupled: traits.decoupled };
}

/** Refuses load that the model does not take. */
function checked(tool: LoadTool): LoadTool {
  const measureTogether = tool.measureTogether?.bind(tool);
  const levelInTurns = tool.levelInTurns?.bind(tool);
  const fit = async (input: MeasureInput) => fitting(tool.id, input);
  return {
    id: tool.id,
    measure: async (input) => tool.measure(await fit(input)),
    ...(measureTogether === undefined
      ? {}
      : { measureTogether: async (inputs) => measureTogether(await Promise.all(inputs.map(fit))) }),
    ...(levelInTurns === undefined
      ? {}
      : {
          levelInTurns: (input) => {
            let level: LevelInTurns | null = null;
            return {
              next: async () => {
                level ??= levelInTurns(await fit(input));
                return level.next();
              },
            };
          },
        }),
  };
}

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
