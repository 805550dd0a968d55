import type { LoadTool as LoadToolId } from '../contract/run/run-spec';
import type { HomeLayout } from '../platform/layout';
import { createTritonClient } from '../triton/client';
import { readModelTraits } from '../triton/model-traits';
import { readTls } from '../triton/tls';
import { assertLoadKind } from './load-kind';
import type { LevelInTurns, LoadTool, MeasureInput } from './load-tool';
import { measureLevel } from './native/level/measure-level';
import { levelInTurns, measureTogether } from './native/level/measure-together';
import { createPerfAnalyzerTool } from './perf-analyzer.load-tool';

/** The workbench's own load generator. @param options.workerFile bundled entry of its worker thread. */
function createNativeTool(options: { readonly workerFile: string }): LoadTool {
  return {
    id: 'native',
    measure: async (input) => (await measureLevel(options.workerFile, input)).point,
    measureTogether: (inputs) => measureTogether(options.workerFile, inputs),
    levelInTurns: (input) => levelInTurns(options.workerFile, input),
  };
}

interface LoadToolsOptions {
  readonly layout: Pick<HomeLayout, 'perfAnalyzer' | 'perfAnalyzerLibraries'>;
  /** Bundled entry of the native generator's worker thread. */
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
  return {
    native: checked(createNativeTool({ workerFile: options.workerFile })),
    perf_analyzer: checked(
      createPerfAnalyzerTool({
        binary: options.layout.perfAnalyzer,
        libraryPath: options.layout.perfAnalyzerLibraries,
        env: options.env,
      }),
    ),
  };
}
