import { join } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import type { InputData } from '../contract/input-data';
import type { LoadLevel } from '../contract/scenario-levels';
import type { LoadPoint } from '../contract/results';
import type { LoadTool, MeasureInput } from '../perf/load-tool';
import type { Readers } from '../core/readers';
import type { TritonClient } from '../triton/client';
import { readPerfInput } from './perf-input';

/** A model that `perf` drives. */
export interface PerfModel {
  readonly name: string;
  /** Of the level's concurrency or request rate so many times as much. */
  readonly weight: number;
  readonly batched: boolean;
  readonly inputData: InputData;
  readonly inputDataDir: string;
}

interface NamedModel {
  readonly name: string;
  readonly weight: number;
}

/** `NAME` or `NAME:weight`, any number of them, each once. Throws input-invalid. */
export function readModelNames(texts: readonly string[]): NamedModel[] {
  const models = texts.map((text) => {
    const [, name = '', weight = '1'] = /^(.+?)(?::([\d.]+))?$/.exec(text) ?? [];
    return { name, weight: Number(weight) };
  });
  for (const [index, { name, weight }] of models.entries()) {
    if (name === '' || !(weight > 0) || !Number.isFinite(weight)) {
      throw new WorkbenchError(
        'input-invalid',
        `"${texts[index] ?? ''}" is not of the form NAME or NAME:weight`,
        {
          where: '--model',
          remedy: 'For example --model resnet50 --model bert:2.',
        },
      );
    }
    if (models.findIndex((other) => other.name === name) !== index) {
      throw new WorkbenchError('input-invalid', `${name} is there twice`, {
        where: '--model',
        remedy: `Give it a weight: --model ${name}:2.`,
      });
    }
  }
  return models;
}

/**
 * Throws combination-unsupported where the load tool cannot drive these models at once, and input-invalid where a weight or a
 * version has no meaning.
 */
export function checkModels(
  tool: LoadTool,
  models: readonly NamedModel[],
  load: { readonly modelVersion: string; readonly byIntervals: boolean },
): void {
  if (load.byIntervals && models.some(({ weight }) => weight !== 1)) {
    throw new WorkbenchError('input-invalid', 'Intervals are one schedule: a weight cannot change them', {
      where: '--model',
      remedy: 'Give --request-rate in place of --request-intervals.',
    });
  }
  if (models.length === 1) return;
  if (tool.measureTogether === undefined) {
    throw new WorkbenchError(
      'combination-unsupported',
      `${tool.id} drives one model at a time: the windows of two of its processes would not fall together`,
      { where: '--model', remedy: 'Measure with --load-tool native, or one model after the other.' },
    );
  }
  if (load.modelVersion !== '') {
    throw new WorkbenchError('input-invalid', 'A version is of one model', {
      where: '--model-version',
      remedy: 'Leave it out: the server chooses a version of each.',
    });
  }
}

/** One model by itself, or several at the same time; a result each, in the order of `inputs`. */
export async function measureModels(
  tool: LoadTool,
  inputs: readonly MeasureInput[],
): Promise<readonly LoadPoint[]> {
  const [first, ...others] = inputs;
  if (first === undefined) return [];
  return tool.measureTogether === undefined || others.length === 0
    ? [await tool.measure(first)]
    : tool.measureTogether(inputs);
}

/** What `--input-data` says for a model: `NAME=source` for that one alone, the last without a name for all others. */
function sourceFor(model: string, sources: readonly string[], models: readonly NamedModel[]): string {
  const nameOf = (source: string) => models.find(({ name }) => source.startsWith(`${name}=`))?.name;
  const own = sources.filter((source) => nameOf(source) === model).at(-1);
  if (own !== undefined) return own.slice(model.length + 1);
  return sources.filter((source) => nameOf(source) === undefined).at(-1) ?? 'random';
}

/** Metadata and input data of every model. Throws model-not-ready, and input-invalid. */
export async function readPerfModels(
  client: TritonClient,
  models: readonly NamedModel[],
  options: {
    readonly modelVersion: string;
    readonly sources: readonly string[];
    readonly shapes: Readonly<Record<string, readonly number[]>>;
    readonly dir: string;
    readonly readers: Readers;
  },
): Promise<PerfModel[]> {
  const read: PerfModel[] = [];
  for (const [index, model] of models.entries()) {
    const metadata = await client.modelMetadata(model.name, options.modelVersion);
    const config = await client.modelConfig(model.name, options.modelVersion);
    const dir = join(options.dir, `input-${index}`);
    const source = sourceFor(model.name, options.sources, models);
    const { shapes, readers } = options;
    const inputData = await readPerfInput(source, { metadata, config, shapes, dir, readers });
    read.push({ ...model, batched: config.maxBatchSize > 0, inputData, inputDataDir: dir });
  }
  return read;
}

/** The level times the model's weight: more requests at once, or more a second. */
export function weightedLevel(level: LoadLevel, weight: number): LoadLevel {
  return level.requestRate === undefined
    ? { ...level, concurrency: Math.max(1, Math.round(level.concurrency * weight)) }
    : { ...level, requestRate: level.requestRate * weight };
}
