import type { AnalyzerRun } from '../../contract/study/analyzer-config';
import type { SearchRequest } from '../../contract/study/search';
import { sameValue } from '../../contract/trees';
import type { AnalyzerFile, Path } from './analyzer-file';
import { type ChosenModel, ownOr } from './model-of';
import { amountAt } from './values';

/** In the order in which one is taken; `perf_latency` is an earlier name of the p99. */
const percentiles = {
  perf_latency_p99: 99,
  perf_latency: 99,
  perf_latency_p95: 95,
  perf_latency_p90: 90,
} as const;
const latencies = Object.keys(percentiles) as (keyof typeof percentiles)[];

const noLeast = 'a search finds the highest load; its result shows whether that is enough';
const otherConstraints: Readonly<Record<string, string>> = {
  perf_latency_avg: 'a target is a percentile: give --p50 for the median',
  perf_throughput: noLeast,
  gpu_used_memory: 'the run serves on the CPU',
};
const noTokens = 'tokens of a language model are measured with "perf --endpoint"';
const isOfTokens = (name: string): boolean => /token/.test(name);

const otherObjectives: Readonly<Record<string, string>> = {
  perf_latency_p99: 'the lowest latency needs a rate: give --objective latency --rate N',
  gpu_used_memory: 'memory is a limit and not an objective: give --gpu-memory',
  cpu_used_ram: 'memory is a limit and not an objective: give --host-memory',
};

interface Limit {
  readonly path: Path;
  readonly percentile: number;
}

/** Limits of a latency, the one that is taken first. */
function limitsOf(file: AnalyzerFile, of: Path | null): readonly Limit[] {
  const budget: Path = ['latency_budget'];
  const stated = latencies
    .map((name) => ({ path: [...(of ?? []), name, 'max'], percentile: percentiles[name] }))
    .filter(({ path }) => of !== null && file.has(path));
  return file.has(budget) ? [{ path: budget, percentile: 99 }, ...stated] : stated;
}

/** Megabytes of 10^6 bytes, as there. */
function readMemory(file: AnalyzerFile, path: Path): Pick<SearchRequest, 'memory'> {
  if (!file.has(path)) return {};
  const megabytes = amountAt(file, path);
  file.take(path, `GPU memory of a configuration at most ${megabytes} MB`);
  return { memory: { gpuBytes: Math.max(1, Math.round(megabytes * 1e6)) } };
}

/** Every bound of the constraints that is not a limit of a latency. */
function leaveConstraints(file: AnalyzerFile, of: Path, limits: readonly Limit[]): void {
  for (const name of file.keysAt(of)) {
    const reason = otherConstraints[name] ?? (isOfTokens(name) ? noTokens : 'unknown constraint');
    for (const bound of file.keysAt([...of, name])) {
      const path = [...of, name, bound];
      const isTaken = file.isSaid(path) || limits.some((limit) => sameValue(limit.path, path));
      if (!isTaken) file.leave(path, reason);
    }
  }
}

/**
 * The constraints of the model or of the file; `latency_budget` replaces the p99. Throws input-invalid with the line.
 */
export function targetOf(
  file: AnalyzerFile,
  model: ChosenModel,
  { onGpu }: AnalyzerRun,
): Pick<Partial<SearchRequest>, 'percentile' | 'latencyUs' | 'memory'> {
  const of = ownOr(file, model, 'constraints');
  if (of !== null) file.keysAt(of);
  const memory = of === null || !onGpu ? {} : readMemory(file, [...of, 'gpu_used_memory', 'max']);
  const limits = limitsOf(file, of);
  if (of !== null) leaveConstraints(file, of, limits);
  const least: Path = ['min_throughput'];
  if (file.has(least)) file.leave(least, noLeast);
  const [target, ...others] = limits;
  for (const { path } of others) file.leave(path, 'a search has one latency target');
  if (target === undefined) return memory;
  const { path, percentile } = target;
  const ms = amountAt(file, path);
  file.take(path, `target p${percentile} ${ms} ms`);
  return { ...memory, percentile, latencyUs: Math.max(1, Math.round(ms * 1000)) };
}

/** Throughput is what a search looks for; each other objective is named. */
export function readObjectives(file: AnalyzerFile, model: ChosenModel): void {
  const of = ownOr(file, model, 'objectives');
  if (of === null) return;
  const value = file.at(of);
  const named: readonly (readonly [string, Path])[] = Array.isArray(value)
    ? value.map((name, at) => [String(name), [...of, at]] as const)
    : typeof value === 'string'
      ? value.split(',').map((name) => [name.trim(), of] as const)
      : file.keysAt(of).map((name) => [name, [...of, name]] as const);
  for (const [name, path] of named) {
    if (name === 'perf_throughput') file.take(path, `${name}: the highest load within the target`);
    else file.leave(path, `${name}: ${otherObjectives[name] ?? 'not an objective of a search'}`);
  }
}
