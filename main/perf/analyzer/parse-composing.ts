import type { ComposingModelColumns } from '../../contract/composing-model';

const summary = /^\s*Server:\s*$/;
const heading = /^\s*Composing models:\s*$/;
const end = /^Inferences\/Second vs\./;
const modelLine = /^\s*(\S.*), version:\s*(\d*)\s*$/;

/** The first number that the pattern finds in these lines; null where none does. */
function numberOf(lines: readonly string[], pattern: RegExp): number | null {
  for (const line of lines) {
    const [, value] = pattern.exec(line) ?? [];
    if (value !== undefined) return Number(value);
  }
  return null;
}

/** Without a cache the times stand beside the queue's, with one behind the cache misses; of an inner ensemble they do not. */
function columnsOf(modelName: string, modelVersion: string, lines: readonly string[]): ComposingModelColumns {
  const count = (label: string) => numberOf(lines, new RegExp(`^\\s*${label}: (\\d+)\\s*$`));
  const us = (label: string) => numberOf(lines, new RegExp(`\\b${label} (\\d+) usec`));
  return {
    modelName,
    modelVersion,
    requestCount: count('Successful request count'),
    inferenceCount: count('Inference count'),
    executionCount: count('Execution count'),
    queueUs: us('queue'),
    computeInputUs: us('compute input'),
    computeInferUs: us('compute infer'),
    computeOutputUs: us('compute output'),
    cacheHitCount: count('Cache hit count'),
    cacheMissCount: count('Cache miss count'),
  };
}

/**
 * The models of an ensemble in perf_analyzer's `-v` output, by its last summary, each once, those of inner ensembles too;
 * none of a model that is no ensemble. Times are microseconds, cut down to whole ones.
 */
export function parseComposing(lines: readonly string[]): readonly ComposingModelColumns[] {
  const last = lines.slice(lines.findLastIndex((line) => summary.test(line)) + 1);
  const start = last.findIndex((line) => heading.test(line));
  if (start < 0) return [];
  const models = new Map<string, { readonly name: string; readonly version: string; lines: string[] }>();
  let current: string[] = [];
  for (const line of last.slice(start + 1)) {
    if (end.test(line)) break;
    const [, name, version = ''] = modelLine.exec(line) ?? [];
    if (name === undefined) {
      current.push(line);
      continue;
    }
    current = [];
    const key = `${name}/${version}`;
    if (!models.has(key)) models.set(key, { name, version, lines: current });
  }
  return [...models.values()].map(({ name, version, lines: own }) => columnsOf(name, version, own));
}
