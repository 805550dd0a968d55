import { visibleGpus } from '../contract/run/engine-kinds';
import type { RunSpec } from '../contract/run/run-spec';
import type { AnalyzerConfig, AnalyzerRun } from '../contract/study/analyzer-config';
import type { Core, TrustedCalls } from './core-interface';
import type { CoreParts } from './core-parts';
import { measurableRun } from './server-calls';

function analyzerRun({ configure, engine, performance }: RunSpec): AnalyzerRun {
  const { modelName, instances, maxBatchSize, batching, preferredBatchSizes, maxQueueDelayUs, threads } =
    configure;
  return {
    modelName,
    present: { instances, maxBatchSize, batching, preferredBatchSizes, maxQueueDelayUs, threads },
    onGpu: (visibleGpus(engine) ?? []).length > 0,
    protocol: performance.online?.protocol ?? performance.protocol,
  };
}

/** Reads configurations of Model Analyzer, against what is to be searched. */
export function createAnalyzerCalls(
  parts: CoreParts,
  resolve: Core['handlers']['spec.resolve'],
): Pick<TrustedCalls, 'searches.fromAnalyzer' | 'searches.analyzerModel'> {
  const { readers } = parts.reading;
  return {
    'searches.analyzerModel': (input) => readers.analyzerModel(input),
    'searches.fromAnalyzer': async ({
      of,
      isOfRepository,
      text,
      fileName,
      model,
    }): Promise<AnalyzerConfig> => {
      const { runId = '', choice } = of;
      const spec =
        choice === undefined ? (await measurableRun(parts, runId)).state.source.spec : await resolve(choice);
      const run = { ...analyzerRun(spec), isOfRepository };
      return readers.analyzerConfig({ text, fileName, model, run });
    },
  };
}
