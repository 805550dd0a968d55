import { constants, copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { servedTensors } from '../contract/run/own-model';
import type { Preset } from '../contract/run/preset';
import { type ModelSource, sourceSchema } from '../contract/run/run-spec';
import { makeFolder } from '../platform/files';
import { fileError } from '../platform/plain-entry';
import { type LoadedPreset, type Presets, requirePreset } from '../presets/presets';
import type { ModelReaders } from './model-readers';

export interface InitOutcome {
  readonly folder: string;
  readonly written: readonly string[];
  /** Files of the same name that were there. */
  readonly kept: readonly string[];
}

const isThere = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EEXIST';

/** Writes the template of a model folder; a file that is there stays. Throws disk-full, file-unwritable. */
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

/** A name of a preset from a name of a file: "Silero VAD.v5" -> "silero-vad-v5". */
function presetName(title: string): string {
  const plain = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64);
  return plain === '' ? 'own-model' : plain;
}

/** What exporters call every file; the folder's name says more. */
const plainNames = /^(model|saved_?model|network|net|inference|weights|export|\d+)$/i;

/** A title from a path: the file's name without its ending, or its folder's where the file has none of its own. */
export function modelTitle(path: string): string {
  const name = basename(path, extname(path));
  const folder = basename(dirname(path));
  return plainNames.test(name) && folder !== '' ? folder : name;
}

type FileKind = Exclude<ModelSource['kind'], 'folder'>;

/** What a file of each kind can become; the first format is the default. */
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
};

const smallestOpset = 9;
const largestOpset = 25;
/** Of what tf2onnx writes: the newest that TensorRT and Triton's images of the last years all take. */
const convertedOpset = 13;

/**
 * A file as a preset: tensors from the file, samples of random numbers, outputs compared with the file's own runtime
 * in place of a metric. Pure.
 */
export function filePreset(source: ModelSource): Preset {
  const { what, formats, accelerators, framework } = kinds[source.kind === 'folder' ? 'onnx' : source.kind];
  const opset = Math.min(largestOpset, Math.max(smallestOpset, source.opset ?? convertedOpset));
  const converts = [...source.inputs, ...source.outputs].some(({ datatype }) => datatype === 'FP32');
  const sizes = source.batched ? [1, 2, 4, 8] : [1];
  // The samples, generated or given, are what is measured with as well: their values decide what some models do.
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
      // Written out, so that a person sees what is sent and can change it.
      model: { shapes: Object.fromEntries(source.inputs.map(({ name, sample }) => [name, sample])) },
      format: formats[0],
      precision: 'fp32',
      onnxOpset: opset,
      configure: source.batched
        ? { maxBatchSize: 8, batching: 'dynamic', preferredBatchSizes: [4, 8] }
        : { maxBatchSize: 0, batching: 'disabled' },
      accuracy: { atol: { '*': 1e-4 }, rtol: { '*': 1e-4 } },
    },
    // After a conversion another runtime computes, which adds up in another order.
    byFormat: Object.fromEntries(
      formats
        .filter((format) => format !== formats[0])
        .map((format) => [format, { accuracy: { atol: { '*': 1e-3 }, rtol: { '*': 1e-3 } } }]),
    ),
    profiles: {
      quick: {
        summary: 'A few samples, short windows.',
        args: { samples: '16' },
        defaults: {
          performance: { ...levels, measurementIntervalMs: 1000, maxTrials: 6, warmupMs: 500 },
        },
        byPrecision: { fp16: { accuracy: { atol: { '*': 0.05 }, rtol: { '*': 0.05 } } } },
      },
      full: {
        summary: 'More samples, windows of the usual length.',
        args: { samples: '64' },
        defaults: { performance: { ...levels, measurementIntervalMs: 5000 } },
        byPrecision: { fp16: { accuracy: { atol: { '*': 0.05 }, rtol: { '*': 0.05 } } } },
      },
    },
  };
}

/**
 * The preset of the engineer's own model: of a folder its own preset.yaml, of a file one made from what was read of it.
 * Throws model-folder-invalid where the folder's preset.yaml cannot be used.
 */
export async function ownPreset(
  source: ModelSource,
  resources: string,
  readers: ModelReaders,
): Promise<LoadedPreset> {
  if (source.kind === 'folder') return readers.preset({ path: source.path });
  return { preset: filePreset(source), dir: join(resources, 'own') };
}

/** The preset that a specification's model leads to: its own file or folder where it names one, else the published one. */
export type PresetOf = (model: {
  readonly preset: string;
  readonly source?: ModelSource | undefined;
}) => Promise<LoadedPreset>;

/** Throws preset-unknown, and model-folder-invalid for an own folder whose preset.yaml is gone or damaged. */
export function createPresetOf(presets: Presets, resources: string, readers: ModelReaders): PresetOf {
  return async ({ preset, source }) =>
    source === undefined ? requirePreset(presets(), preset) : ownPreset(source, resources, readers);
}

/** The own model in the model part of a partial specification; undefined where it names none. */
export function sourceOf(model: unknown): ModelSource | undefined {
  const { source } = (model ?? {}) as { source?: unknown };
  const parsed = sourceSchema.safeParse(source);
  return parsed.success ? parsed.data : undefined;
}
