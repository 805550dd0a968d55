import type { SearchRequest } from '../../contract/study/search';
import type { AnalyzerFile, Path } from './analyzer-file';
import { type ChosenModel, ownOr } from './model-of';
import { concurrencyBounds } from './space-of';
import { flagAt, numbersAt } from './values';

const rateBounds: readonly Path[] = [
  ['run_config_search_min_request_rate'],
  ['run_config_search_max_request_rate'],
];
const searchedRate = 'open load: the highest rate that is held is found without a range';

/** Where a parameter is: the model's own replaces that of the file. */
function parameterAt(file: AnalyzerFile, model: ChosenModel, name: string): Path | null {
  const { path } = model;
  return ownOr(file, { ...model, path: path === null ? null : [...path, 'parameters'] }, name);
}

/** Requests that are sent at rates: whether the file asks for them, with every option that does. */
function readRates(file: AnalyzerFile, model: ChosenModel): boolean {
  const stated = parameterAt(file, model, 'request_rate');
  const asking = [...(stated === null ? [] : [stated]), ...rateBounds.filter((path) => file.has(path))];
  for (const path of asking) file.take(path, searchedRate);
  const enable: Path = ['request_rate_search_enable'];
  if (file.has(enable)) file.take(enable, flagAt(file, enable) ? searchedRate : 'closed load');
  return asking.length > 0 || flagAt(file, enable);
}

function readConcurrency(
  file: AnalyzerFile,
  model: ChosenModel,
  isOpen: boolean,
): readonly number[] | undefined {
  const stated = parameterAt(file, model, 'concurrency');
  const bounded = concurrencyBounds(file);
  if (stated === null) return isOpen ? undefined : bounded;
  if (isOpen) {
    file.leave(stated, 'the load is open: requests are sent at a rate');
    return undefined;
  }
  const values = numbersAt(file, stated);
  file.take(stated, `concurrencies ${values.join(', ')}`);
  return values;
}

/** Batch sizes of requests; none: that of the run. */
function readBatchSizes(file: AnalyzerFile, model: ChosenModel): readonly number[] {
  const path = parameterAt(file, model, 'batch_sizes');
  if (path === null) return [];
  const values = [...new Set(numbersAt(file, path))];
  file.take(path, `batch size${values.length === 1 ? '' : 's'} ${values.join(', ')} of each request`);
  return values;
}

/** What is sent: the load, and the batch sizes of its requests. */
export interface AnalyzerLoad {
  readonly load: SearchRequest['load'];
  readonly concurrency: readonly number[] | undefined;
  readonly batchSizes: readonly number[];
}

/** Throws input-invalid with the line. */
export function loadOf(file: AnalyzerFile, model: ChosenModel): AnalyzerLoad {
  const isOpen = readRates(file, model);
  const concurrency = readConcurrency(file, model, isOpen);
  const batchSizes = readBatchSizes(file, model);
  for (const key of model.path === null ? [] : file.keysAt([...model.path, 'parameters'])) {
    const at = [...(model.path ?? []), 'parameters', key];
    if (!file.isSaid(at)) file.leave(at, 'unknown: not a parameter of Model Analyzer');
  }
  return { load: isOpen ? 'open' : 'closed', concurrency, batchSizes };
}
