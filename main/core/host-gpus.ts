import { shellLine } from '../contract/flag-text';
import type { GpuReading } from '../contract/machine';
import { pollGpus, readGpus, readGpusBy, watchGpus } from '../machine/watch-gpus';
import type { ReadingSources } from '../perf/readings';
import type { CoreParts } from './core-parts';

/** For one `nvidia-smi` reading on another machine. */
const smiLimits = { timeoutMs: 5000, maxBytes: 64 * 1024 };

export interface GpuSource {
  /** One reading of each GPU; none without nvidia-smi. */
  readonly read: () => Promise<readonly GpuReading[]>;
  /** Readings until the signal. */
  readonly watch: NonNullable<ReadingSources['watchGpus']>;
}

/** @param host absent: this machine */
export function gpusOf(
  { options: { env }, hosts }: Pick<CoreParts, 'options' | 'hosts'>,
  host: string | undefined,
): GpuSource {
  if (host === undefined) {
    return { read: () => readGpus(env), watch: (onReading, signal) => watchGpus(env, onReading, signal) };
  }
  const run = async (argv: readonly string[], signal?: AbortSignal): Promise<string> =>
    (await hosts.run(host, shellLine(argv), { ...smiLimits, signal })).stdout;
  return {
    read: () => readGpusBy(run),
    watch: (onReading, until) => pollGpus((argv) => run(argv, until), onReading, until),
  };
}
