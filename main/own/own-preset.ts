import { constants, copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { servedTensors } from '../contract/run/own-model';
import type { Preset } from '../contract/run/preset';
import { type ModelSource, type ServedRepository, sourceSchema } from '../contract/run/run-spec';
import { ownFields } from '../formats/own-config';
import { makeFolder } from '../platform/files';
import { fileError } from '../platform/plain-entry';
import { type LoadedPreset, type Presets, requirePreset } from '../presets/presets';
import { inputRanges } from './input-ranges';
import type { ModelReaders } from './model-readers';

export interface InitOutcome {
  readonly folder: string;
  readonly written: readonly string[];
  readonly kept: readonly string[];
}

const isThere = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EEXIST';

/** Writes the template of a model folder; existing files stay. Throws disk-full, file-unwritable. */
export async function initModelFolder(dir: string, resources: string): Promise<InitOutcome> {
  const folder = resolve(dir);
  const template = join(resources, 'own', 'template');
  const written: string[] = [];
  const kept: string[] = [];
  try {
    await makeFolder(folder);
    for (const name of (await readdir(template)).sort()) {
      if (name.startsWith('__')) continue;
      const target = join(folder, name);
      try {
        if (name === 'preset.yaml') {
          const text = await readFile(join(template, name), 'utf8');
          const named = text.replace(/^id: .*$/m, `id: ${presetName(basename(folder))}`);
          await writeFile(target, named, { flag: 'wx' });
        } else await copyFile(join(template, name), target, constants.COPYFILE_EXCL);
        written.push(name);
      } catch (error) {
        if (!isThere(error)) throw error;
        kept.push(name);
      }
    }
  } catch (error) {
    throw fileError(error, folder);
  }
  return { folder, written, kept };
}

/** "Silero VAD.v5" -> "silero-vad-v5". */
function presetName(title: string): string {
  const plain = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64);
  return plain === '' ? 'own-model' : plain;
}

/** Generic names of exporters, less telling than the folder's. */
const plainNames = /^(model|saved_?model|network|net|inference|weights|export|\d+)$/i;

/** The file's name without ending, or its folder's where that is generic. */
export function modelTitle(path: string): string {
  const name = basename(path, extname(path));
  const folder = basename(dirname(path));
  return plainNames.test(name) && folder !== '' ? folder : name;
}

type FileKind = Exclude<ModelSource['kind'], 'folder' | 'repository'>;
/** Of `resources`: code that makes samples, and of a Hugging Face folder or a file of trees the module. */
const codeFolder = ({ kind }: ModelSource): string =>
  kind === 'huggingface' || kind === 'trees' ? kind : 'own';

const kinds: Readonly<
  Record<FileKind, Pick<Preset, 'formats' | 'accelerators' | 'framework'> & { readonly what: string }>
> = {
  onnx: { what: 'an ONNX file', formats: ['onnx', 'trt'], accelerators: ['none', 'cuda', 'trt'] },
  torchscript: { what: 'a TorchScript file', formats: ['ts-trace'], accelerators: ['none', 'cuda'] },
  savedmodel: {
    what: 'a SavedModel',
    framework: 'tf',
    formats: ['tf-savedmodel', 'onnx', 'trt'],
    accelerators: ['none', 'cuda', 'trt', 'amp'],
  },
  // A TensorRT plan is built in a container, which lacks transformers; a trace has the masks of the library on the CPU.
  huggingface: {
    what: 'a Hugging Face folder',
    formats: ['onnx'],
    accelerators: ['none', 'cuda', 'trt'],
  },
  // In fp16 a threshold is another one, and ONNX Runtime has the operators of trees on the CPU only.
  trees: { what: 'a file of rows', formats: ['onnx'], accelerators: ['none'] },
};

const smallestOpset = 9;
const largestOpset = 25;
/** tf2onnx: newest opset that recent TensorRT and Triton images support. */
const convertedOpset = 13;

/** Batch sizes up to this maximum. */
const sizesUpTo = (maxBatchSize: number) => [1, 2, 4, 8].filter((size) => size <= Math.max(1, maxBatchSize));

/** Of sums of leaves. A row whose value rounds to the other side of a threshold may differ: one in a thousand. */
const rowTolerance = { atol: { '*': 1e-5 }, rtol: { '*': 1e-5 }, maxMismatch: { '*': 0.001 } };
const oneTenThousandth = { atol: { '*': 1e-4 }, rtol: { '*': 1e-4 } };

/** Values of the form as the repository has them, and lengths of measurements. */
function repositoryPreset(source: ModelSource, repository: ServedRepository): Preset {
  const configure = ownFields({ ...source, repository });
  // The sequence batcher takes one item per request.
  const isSequence = configure.configPatch['sequenceBatching'] !== undefined;
  const levels = {
    batchSizes: sizesUpTo(isSequence ? 1 : configure.maxBatchSize),
    ...{ concurrency: [1, 2, 4], onlineBatchSize: 1, inputData: 'random' },
    ...(repository.with.length === 0 ? {} : { blsModels: repository.with }),
  };
  return {
    id: presetName(source.title),
    title: source.title,
    summary: `A model of your Triton repository: ${source.path}`,
    ...(repository.models.some(({ backend }) => backend === 'tensorflow') ? { framework: 'tf' } : {}),
    ...{ formats: ['repository'], precisions: ['as-is'], accelerators: ['none'], metrics: [] },
    origin: { dataset: 'random numbers', checkpoint: source.path, paper: 'none' },
    signature: {
      inputs: source.inputs.map(({ name, datatype, shape }) => ({ name, datatype, shape })),
      outputs: source.outputs,
    },
    defaults: {
      model: { shapes: Object.fromEntries(source.inputs.map(({ name, sample }) => [name, sample])) },
      ...{ format: 'repository', precision: 'as-is', configure, accuracy: oneTenThousandth },
    },
    profiles: {
      quick: {
        summary: 'Short windows.',
        args: {},
        defaults: { performance: { ...levels, measurementIntervalMs: 1000, maxTrials: 6, warmupMs: 500 } },
      },
      full: {
        summary: 'Windows of the usual length.',
        args: {},
        defaults: { performance: { ...levels, measurementIntervalMs: 5000 } },
      },
    },
  };
}

const hasTexts = ({ inputs, outputs }: ModelSource): boolean =>
  [...inputs, ...outputs].some(({ datatype }) => datatype === 'BYTES');

/** It has no texts. */
const withoutTensorRt = ({ formats, accelerators }: Pick<Preset, 'formats' | 'accelerators'>) => ({
  formats: formats.filter((format) => format !== 'trt'),
  accelerators: accelerators.filter((accelerator) => accelerator !== 'trt'),
});

function tolerances(kind: ModelSource['kind']): Preset['defaults']['accuracy'] {
  if (kind === 'trees') return rowTolerance;
  // Logits are larger than what other files mostly give, and sums are of thousands of products.
  return kind === 'huggingface' ? { atol: { '*': 2e-4 }, rtol: { '*': 1e-3 } } : oneTenThousandth;
}

/** Preset of a file: its tensors, random samples, and comparison with the file's own runtime instead of a metric. */
export function filePreset(source: ModelSource): Preset {
  const { kind, repository } = source;
  if (repository !== undefined) return repositoryPreset(source, repository);
  const { what, framework, ...served } = kinds[kind === 'folder' || kind === 'repository' ? 'onnx' : kind];
  const { formats, accelerators } = hasTexts(source) ? withoutTensorRt(served) : served;
  const opset = Math.min(largestOpset, Math.max(smallestOpset, source.opset ?? convertedOpset));
  const converts =
    kind !== 'trees' && [...source.inputs, ...source.outputs].some(({ datatype }) => datatype === 'FP32');
  const sizes = source.batched ? [1, 2, 4, 8] : [1];
  // Samples are also the measured input, as their values affect some models.
  const ranges = inputRanges(source);
  // Rows are small, and each falls into other leaves.
  const [few, many] = kind === 'trees' ? ['256', '2048'] : ['16', '64'];
  const ofSamples = (samples: string) => ({ samples, ...(ranges === null ? {} : { ranges }) });
  const levels = { batchSizes: sizes, concurrency: [1, 2, 4], onlineBatchSize: 1, inputData: 'dataset' };
  return {
    id: presetName(source.title),
    title: source.title,
    summary: `Your own model, ${what}: ${source.path}`,
    ...(framework === undefined ? {} : { framework }),
    formats: [...formats],
    precisions: converts ? ['fp32', 'fp16'] : ['fp32'],
    accelerators: [...accelerators],
    metrics: [],
    origin: { dataset: 'random numbers', checkpoint: source.path, paper: 'none' },
    signature: servedTensors(source),
    defaults: {
      // Explicit, so that a person sees and can change it.
      model: { shapes: Object.fromEntries(source.inputs.map(({ name, sample }) => [name, sample])) },
      format: formats[0],
      precision: 'fp32',
      onnxOpset: opset,
      configure: source.batched
        ? { maxBatchSize: 8, batching: 'dynamic', preferredBatchSizes: [4, 8] }
        : { maxBatchSize: 0, batching: 'disabled' },
      accuracy: tolerances(kind),
    },
    // After a conversion another runtime adds up in another order.
    byFormat: Object.fromEntries(
      formats
        .filter((format) => format !== formats[0])
        .map((format) => [format, { accuracy: { atol: { '*': 1e-3 }, rtol: { '*': 1e-3 } } }]),
    ),
    profiles: {
      quick: {
        summary: 'A few samples, short windows.',
        args: ofSamples(few),
        defaults: {
          performance: { ...levels, measurementIntervalMs: 1000, maxTrials: 6, warmupMs: 500 },
        },
        byPrecision: { fp16: { accuracy: { atol: { '*': 0.05 }, rtol: { '*': 0.05 } } } },
      },
      full: {
        summary: 'More samples, windows of the usual length.',
        args: ofSamples(many),
        defaults: { performance: { ...levels, measurementIntervalMs: 5000 } },
        byPrecision: { fp16: { accuracy: { atol: { '*': 0.05 }, rtol: { '*': 0.05 } } } },
      },
    },
  };
}

/** A folder's preset.yaml, or one made from a file. Throws model-folder-invalid where it is unusable. */
export async function ownPreset(
  source: ModelSource,
  resources: string,
  readers: ModelReaders,
): Promise<LoadedPreset> {
  if (source.kind === 'folder') return readers.preset({ path: source.path });
  return { preset: filePreset(source), dir: join(resources, codeFolder(source)) };
}

/** Preset of a specification's model: its own where it names one, else the published one. */
export type PresetOf = (model: {
  readonly preset: string;
  readonly source?: ModelSource | undefined;
}) => Promise<LoadedPreset>;

/** Throws preset-unknown, and model-folder-invalid for a missing or damaged preset.yaml. */
export function createPresetOf(presets: Presets, resources: string, readers: ModelReaders): PresetOf {
  return async ({ preset, source }) =>
    source === undefined ? requirePreset(presets(), preset) : ownPreset(source, resources, readers);
}

/** undefined where a partial specification names no own model. */
export function sourceOf(model: unknown): ModelSource | undefined {
  const { source } = (model ?? {}) as { source?: unknown };
  const parsed = sourceSchema.safeParse(source);
  return parsed.success ? parsed.data : undefined;
}
