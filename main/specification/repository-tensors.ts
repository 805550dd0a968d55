import { join } from 'node:path';
import { fileLimits } from '../contract/reader-limits';
import type { RunSpec } from '../contract/run/run-spec';
import type { RepositorySource } from '../formats/own-config';
import { varyingShapes, type WantedTensors, wantedTensors } from '../perf/input/wanted-tensor';
import { readBoundedFile } from '../platform/plain-entry';
import { parseConfigPbtxt } from '../triton/config/config-pbtxt';
import { datatypeOf, type ModelConfig, optionalInputs } from '../triton/model-config';

/** Backends whose models have the tensors of config.pbtxt, or without them those of their file. */
const asWritten: ReadonlySet<string> = new Set([
  'ensemble',
  'onnxruntime',
  'tensorflow',
  'tensorrt',
  'pytorch',
]);

/** A Python model may add tensors and the batch dimension when Triton loads it. */
async function isCompletedByCode(
  config: ModelConfig,
  { path, repository }: RepositorySource,
  mayRead: (path: string) => Promise<boolean>,
): Promise<boolean> {
  const file = config.defaultModelFilename ?? 'model.py';
  const code = join(path, String(repository.version), file === '' ? 'model.py' : file);
  if (!(await mayRead(code))) return true;
  const read = await readBoundedFile(code, fileLimits.sourceCode.bytes, { links: 'follow' });
  return !('text' in read) || read.text.includes('auto_complete_config');
}

async function isKnown(
  config: ModelConfig,
  source: RepositorySource,
  mayRead: (path: string) => Promise<boolean>,
): Promise<boolean> {
  const [model] = source.repository.models;
  const backend = model?.backend ?? '';
  if ((config.input.length === 0) !== (config.output.length === 0)) return false;
  if (backend !== 'python') return asWritten.has(backend);
  return config.input.length > 0 && !(await isCompletedByCode(config, source, mayRead));
}

interface RepositoryTensors {
  readonly wanted: WantedTensors;
  /** By input name, for shapes that a file of input values lacks. */
  readonly shapes: Readonly<Record<string, readonly number[]>>;
}

/**
 * Tensors of a request, as the Triton of the run will have them; null where they are known only once it has loaded the
 * model. Throws combination-unsupported.
 */
export async function repositoryTensors(
  { shapes = {} }: Pick<RunSpec['model'], 'shapes'>,
  source: RepositorySource,
  mayRead: (path: string) => Promise<boolean>,
): Promise<RepositoryTensors | null> {
  const config = parseConfigPbtxt(source.repository.config ?? '');
  if (!(await isKnown(config, source, mayRead))) return null;
  const { batched, inputs: needed, outputs } = source;
  const optional = optionalInputs(config);
  const others = config.input
    .filter(({ name }) => optional.has(name))
    .map(({ name, dataType, dims }) => ({
      ...{ name, datatype: datatypeOf(dataType) },
      shape: batched ? [-1, ...dims] : dims,
    }));
  const inputs = [...needed, ...others];
  if (inputs.length === 0 || outputs.length === 0) return null;
  return {
    wanted: {
      inputs: wantedTensors(inputs, { batched, optional }),
      outputs: wantedTensors(outputs, { batched }),
    },
    shapes: varyingShapes(inputs, shapes, batched),
  };
}
