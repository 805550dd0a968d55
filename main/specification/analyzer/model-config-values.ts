import type { AnalyzerRun } from '../../contract/study/analyzer-config';
import type { SearchSpace } from '../../contract/study/search';
import { isTree } from '../../contract/trees';
import { shortValue } from '../../platform/lines';
import type { AnalyzerFile, Path } from './analyzer-file';
import type { ChosenModel } from './model-of';
import { namesAt, sweptAt } from './values';

type Space = { -readonly [Field in keyof SearchSpace]: SearchSpace[Field] };

const notVaried = 'a search does not vary it; set it in the config.pbtxt of the run';

/** The items of a list, or the value that stands for a list of one. */
const itemsAt = (file: AnalyzerFile, path: Path): readonly Path[] => {
  const value = file.at(path);
  return Array.isArray(value) ? value.map((_item, at) => [...path, at]) : [path];
};

const unique = <Value>(values: readonly Value[]): Value[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
];

/** "KIND_GPU" where the run serves on a CPU, and the other way round. */
function readKind(file: AnalyzerFile, path: Path, { onGpu }: AnalyzerRun): void {
  const kinds = namesAt(file, path);
  const own = onGpu ? 'KIND_GPU' : 'KIND_CPU';
  if (kinds.every((kind) => kind === own || kind === 'KIND_AUTO')) file.take(path, 'the kind of the run');
  else file.leave(path, `the instances of the run are ${own}; run the model with another engine for others`);
}

/** A group of instances: its counts. */
function readGroup(file: AnalyzerFile, path: Path, run: AnalyzerRun): readonly number[] {
  let counts: readonly number[] = [1];
  for (const key of file.keysAt(path)) {
    const at = [...path, key];
    if (key === 'count') {
      counts = sweptAt(file, at);
      file.take(at, `instances ${counts.join(', ')}`);
    } else if (key === 'kind') readKind(file, at, run);
    else file.leave(at, key === 'gpus' ? 'the GPUs are those of the run' : notVaried);
  }
  return counts;
}

/** One configuration's groups; of several of them there is no counterpart. */
function readGroups(file: AnalyzerFile, path: Path, run: AnalyzerRun): readonly number[] {
  const groups = itemsAt(file, path);
  const [only, other] = groups;
  if (only === undefined || other === undefined) return only === undefined ? [] : readGroup(file, only, run);
  file.leave(path, 'several groups of instances in one configuration are not supported');
  return [];
}

function readInstances(file: AnalyzerFile, path: Path, run: AnalyzerRun, space: Space): void {
  const value = file.at(path);
  // A list of lists is a list of configurations.
  const isSwept = Array.isArray(value) && value.every(Array.isArray);
  const counts = (isSwept ? itemsAt(file, path) : [path]).flatMap((one) => readGroups(file, one, run));
  if (counts.length > 0) space.instances = unique(counts);
}

/** A list is one configuration's sizes, a list of lists several. */
function readPreferred(file: AnalyzerFile, path: Path): number[][] {
  const value = file.at(path);
  const isSwept = Array.isArray(value) && value.some(Array.isArray);
  const lists = (isSwept ? itemsAt(file, path) : [path]).map((one) => [...sweptAt(file, one)]);
  const text = lists.map((list) => (list.length === 0 ? 'none' : list.join(', '))).join(' or ');
  file.take(path, `preferred batch sizes ${text}`);
  return lists;
}

function readBatching(file: AnalyzerFile, path: Path, space: Space): void {
  const found = { kinds: [] as ('dynamic' | 'static')[], sizes: [] as number[][], delays: [] as number[] };
  for (const one of itemsAt(file, path)) {
    const value = file.at(one);
    const isOn = isTree(value);
    if (!isOn && value !== null) throw file.refused(one, `${shortValue(value)} is not a mapping`);
    found.kinds.push(isOn ? 'dynamic' : 'static');
    file.take(one, isOn ? 'dynamic batching' : 'static batching');
    for (const key of isOn ? file.keysAt(one) : []) {
      const at = [...one, key];
      if (key === 'preferred_batch_size') found.sizes.push(...readPreferred(file, at));
      else if (key === 'max_queue_delay_microseconds') {
        const delays = sweptAt(file, at, 0);
        found.delays.push(...delays);
        file.take(at, `maximum queue delays ${delays.join(', ')} µs`);
      } else file.leave(at, notVaried);
    }
  }
  space.batching = unique(found.kinds);
  space.preferredBatchSizes = found.sizes.length === 0 ? [[]] : unique(found.sizes);
  space.maxQueueDelayUs = found.delays.length === 0 ? [0] : unique(found.delays);
}

const threadNames: ReadonlySet<string> = new Set([
  'intra_op_thread_count',
  'INTRA_OP_THREAD_COUNT',
  'intra_op_threads',
]);

function readParameters(file: AnalyzerFile, path: Path, { onGpu }: AnalyzerRun, space: Space): void {
  for (const name of file.keysAt(path)) {
    const value = [...path, name, 'string_value'];
    if (!threadNames.has(name) || onGpu || !file.has(value)) {
      file.leave([...path, name], notVaried);
      continue;
    }
    space.threads = unique(sweptAt(file, value, 0));
    file.take(value, `threads ${space.threads.join(', ')}`);
  }
}

/** What the model's `model_config_parameters` state; fields that they do not name are absent. */
export function readModelConfig(file: AnalyzerFile, { path }: ChosenModel, run: AnalyzerRun): SearchSpace {
  const space: Space = {};
  const of: Path | null = path === null ? null : [...path, 'model_config_parameters'];
  for (const key of of === null ? [] : file.keysAt(of)) {
    const at = [...(of ?? []), key];
    if (key === 'max_batch_size') {
      space.maxBatchSize = unique(sweptAt(file, at, 0));
      file.take(at, `maximum batch sizes ${space.maxBatchSize.join(', ')}`);
    } else if (key === 'instance_group') readInstances(file, at, run, space);
    else if (key === 'dynamic_batching') readBatching(file, at, space);
    else if (key === 'parameters') readParameters(file, at, run, space);
    else file.leave(at, notVaried);
  }
  return space;
}
