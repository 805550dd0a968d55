import { join } from 'node:path';
import { invalidInput } from '../../contract/errors';
import { present } from '../../contract/trees';
import type { Core } from '../../core';
import { makeFolder, writeOutput } from '../../platform/files';
import type { PerfOptions } from './perf-options';
import { readModelNames } from './perf-plan';

type Served = Awaited<ReturnType<Core['handlers']['models.serve']>>;

/** A Triton that was started for one measurement. */
export interface StartedRepository {
  /** With its addresses. */
  readonly options: PerfOptions;
  readonly models: Served['models'];
  readonly stop: () => Promise<void>;
}

/** Throws input-invalid for options that only a repository has, and for a repository beside an address. */
export function checkRepositoryOptions({
  modelRepository,
  url,
  host,
  with: beside,
  trust,
}: PerfOptions): void {
  if (modelRepository === undefined) {
    if (beside === undefined && trust === undefined) return;
    const flag = beside === undefined ? '--trust' : '--with';
    throw invalidInput(flag, `${flag} applies only with --model-repository`, 'Add --model-repository.');
  }
  const other = url === undefined ? (host === undefined ? undefined : '--host') : '--url';
  if (other === undefined) return;
  throw invalidInput(
    other,
    `${other} and --model-repository name two servers`,
    'Leave one of them out: --model-repository starts the local Triton.',
  );
}

/** Starts the local Triton on a repository. Throws as the call `models.serve`. */
export async function startRepository(
  core: Core,
  modelRepository: string,
  options: PerfOptions,
  say: (line: string) => void,
): Promise<StartedRepository> {
  const { with: beside = '', trust = false } = options;
  const others = beside.split(',').map((name) => name.trim());
  const models = [...readModelNames(options.model).map(({ name }) => name), ...others].filter(
    (name) => name !== '',
  );
  const stopped = new AbortController();
  const stop = () => {
    stopped.abort();
  };
  const stops = ['SIGINT', 'SIGTERM'] as const;
  for (const name of stops) process.once(name, stop);
  try {
    const served = await core.handlers['models.serve']({
      ...{ path: modelRepository, models, trust, signal: stopped.signal },
      onLog: say,
    });
    for (const { name, servedBy, isCompleted } of served.models) {
      say(`${name}: ${servedBy}${isCompleted ? '; Triton completed its configuration from the file' : ''}`);
    }
    const { httpAddress, grpcAddress, metricsAddress } = served;
    const addresses = {
      url: `http://${httpAddress}`,
      grpcUrl: grpcAddress,
      ...present({ metricsUrl: metricsAddress === null ? undefined : `http://${metricsAddress}/metrics` }),
    };
    return { options: { ...options, ...addresses }, models: served.models, stop: served.stop };
  } finally {
    for (const name of stops) process.off(name, stop);
  }
}

/** Keeps what was served beside the run: config.pbtxt of each model, as Triton had it. */
export async function keepConfigs(core: Core, runId: string, models: Served['models']): Promise<void> {
  const { dir } = await core.handlers['runs.folder']({ runId });
  for (const { name, config } of models) {
    const folder = join(dir, 'served', name);
    await makeFolder(folder);
    await writeOutput(join(folder, 'config.pbtxt'), config);
  }
}
