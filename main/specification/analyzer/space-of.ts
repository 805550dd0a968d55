import type { AnalyzerRun } from '../../contract/study/analyzer-config';
import type { SearchSpace } from '../../contract/study/search';
import { present } from '../../contract/trees';
import type { AnalyzerFile, Path } from './analyzer-file';
import { readModelConfig } from './model-config-values';
import type { ChosenModel } from './model-of';
import { flagAt, numberAt } from './values';

/** A field of a search takes no more. */
const mostValues = 64;
const prefix = 'run_config_search_';

interface Bounds {
  readonly least: number;
  readonly most: number;
  /** Where they are stated; none: those that Model Analyzer has by default. */
  readonly paths: readonly Path[];
}

const boundsAt = (file: AnalyzerFile, name: string, usual: readonly [number, number]): Bounds => {
  const [least, most] = [[`${prefix}min_${name}`], [`${prefix}max_${name}`]] as const;
  return {
    least: file.has(least) ? numberAt(file, least) : usual[0],
    most: file.has(most) ? numberAt(file, most) : usual[1],
    paths: [least, most].filter((path) => file.has(path)),
  };
};

const everyValue = ({ least, most }: Bounds): readonly number[] =>
  Array.from({ length: Math.max(0, most - least + 1) }, (_unused, at) => least + at);

/** 1, 2, 4 and so on from the least one. */
function doubled({ least, most }: Bounds): readonly number[] {
  const values: number[] = [];
  for (let value = least; value <= most; value *= 2) values.push(value);
  return values;
}

/** The values of a range, with what becomes of its bounds; undefined where the range is not taken. */
function ranged(
  file: AnalyzerFile,
  bounds: Bounds,
  values: (bounds: Bounds) => readonly number[],
  what: string,
): readonly number[] | undefined {
  const { least, most, paths } = bounds;
  if (least > most) throw file.refused(paths[0] ?? [], `The least value ${least} is above the most, ${most}`);
  // Counted first: a bound of the file may be of any size.
  const isLong = values === everyValue && most - least >= mostValues;
  const found = isLong ? [] : values(bounds);
  for (const path of paths) {
    if (isLong) file.leave(path, `${most - least + 1} values are more than the ${mostValues} of a search`);
    else file.take(path, `${what} ${found.join(', ')}`);
  }
  return isLong ? undefined : found;
}

/** Concurrencies between the bounds of the file; undefined where it has none. */
export function concurrencyBounds(file: AnalyzerFile): readonly number[] | undefined {
  const bounds = boundsAt(file, 'concurrency', [1, 1024]);
  return bounds.paths.length === 0 ? undefined : ranged(file, bounds, doubled, 'concurrencies');
}

/**
 * Whether Model Analyzer itself varies what the file says nothing of. Its brute mode stops to do so as soon as anything is
 * stated.
 */
function variesAlone(file: AnalyzerFile, { path }: ChosenModel): boolean {
  const off: Path = [`${prefix}disable`];
  if (file.has(off)) file.take(off, flagAt(file, off) ? 'only what the file names is varied' : 'off');
  if (flagAt(file, off)) return false;
  const isBrute = (file.at([`${prefix}mode`]) ?? 'brute') === 'brute';
  const states = (name: string) => path !== null && file.keysAt([...path, name]).length > 0;
  return !isBrute || !(states('model_config_parameters') || states('parameters'));
}

const unused = 'not used: the values are in model_config_parameters, or the search is off';

/** The values to try: those that Model Analyzer would try of the file; other fields stay as they are. */
export function spaceOf(file: AnalyzerFile, model: ChosenModel, run: AnalyzerRun): SearchSpace {
  const stated = readModelConfig(file, model, run);
  const isAlone = variesAlone(file, model);
  const range = (
    isStated: boolean,
    bounds: Bounds,
    values: (bounds: Bounds) => readonly number[],
    what: string,
  ): number[] | undefined => {
    if (isAlone && !isStated) {
      const found = ranged(file, bounds, values, what);
      return found === undefined ? undefined : [...found];
    }
    for (const path of bounds.paths) file.leave(path, unused);
    return undefined;
  };
  const isBatched = run.present.maxBatchSize > 0;
  const bounds = {
    instances: boundsAt(file, 'instance_count', [1, 5]),
    maxBatchSize: boundsAt(file, 'model_batch_size', [1, 128]),
  };
  const varied = present({
    instances: range(stated.instances !== undefined, bounds.instances, everyValue, 'instances'),
    maxBatchSize: range(
      stated.maxBatchSize !== undefined || !isBatched,
      bounds.maxBatchSize,
      doubled,
      'maximum batch sizes',
    ),
  });
  const { instances, maxBatchSize, batching, preferredBatchSizes, maxQueueDelayUs, threads } = run.present;
  // An automatic search of Model Analyzer has dynamic batching without a delay.
  const isDynamic = isAlone && isBatched && stated.batching === undefined;
  return {
    ...{ instances: [instances], maxBatchSize: [maxBatchSize], threads: [threads] },
    ...{ batching: [isDynamic ? 'dynamic' : batching] },
    preferredBatchSizes: [isDynamic ? [] : preferredBatchSizes],
    maxQueueDelayUs: [isDynamic ? 0 : maxQueueDelayUs],
    ...varied,
    ...stated,
  };
}
