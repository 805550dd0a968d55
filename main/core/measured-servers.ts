import { join } from 'node:path';
import { isLoopback } from '../contract/address';
import type { Environment } from '../contract/measured/results';
import { inContainers } from '../contract/run/engine-kinds';
import type { DockerEngineSpec, RunSpec } from '../contract/run/run-spec';
import { performanceOfLoad, servedName, type ServerLoad } from '../contract/run/server-load';
import { asSeen } from '../engine/docker-over-ssh/host-reach';
import { type ExecutorSpec, hostEngine } from '../engine/engine';
import { readEnvironment, resultGpus } from '../machine/environment';
import { inspectServer, type ReachedServer } from '../pipeline/measure/admitted-server';
import { measureServer } from '../pipeline/measure/server-levels';
import type { Servers } from '../pipeline/server-run';
import { cleanText } from '../platform/lines';
import { runFolder } from '../store/run-folder';
import { readPackages } from '../toolkit/toolkit';
import type { CoreParts } from './core-parts';
import { gpusOf } from './host-gpus';

type Machine = Pick<Environment, 'os' | 'cpu' | 'cpuCount' | 'memoryBytes' | 'gpus'>;

/** Prints the CPU model on Linux. */
const cpuCommand = "sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1";
const longestName = 200;

/** The machine as the engine reports it; null for this machine. */
async function engineMachine(
  { engines, hosts }: Pick<CoreParts, 'engines' | 'hosts'>,
  engine: DockerEngineSpec,
): Promise<Machine | null> {
  const link = await engines.linkOf(engine);
  if ((await link.address()).kind === 'unix') return null;
  const { host, gpus } = engine;
  const [info, status, cpu] = await Promise.all([
    link.info(),
    host === undefined ? null : hosts.get(host).then((found) => hosts.status(found)),
    host === undefined
      ? ''
      : hosts.run(host, cpuCommand).then(
          ({ stdout }) => stdout.trim(),
          () => '',
        ),
  ]);
  const report = status?.reachable === true ? status.gpus : null;
  return {
    os: `${info.OperatingSystem}, kernel ${info.KernelVersion}, ${info.Architecture}`,
    cpu: cleanText(cpu).slice(0, longestName) || 'unknown',
    cpuCount: info.NCPU,
    memoryBytes: info.MemTotal,
    gpus: report === null ? [] : resultGpus(report, gpus),
  };
}

/** Recorded with the results of a run. */
export async function runEnvironment(
  parts: CoreParts,
  { engine }: Pick<RunSpec, 'engine'>,
): Promise<Environment> {
  const { env, version } = parts.options;
  const isDocker = inContainers(engine);
  const gpuIds = isDocker ? engine.gpus : [];
  return {
    ...(await readEnvironment({ workbenchVersion: version, engine: engine.kind, env, gpuIds })),
    ...(isDocker ? await engineMachine(parts, engine) : {}),
    // In containers the packages of the client image count; they are read when it is available.
    packages: isDocker ? {} : await readPackages(parts.toolkit),
  };
}

/** Client options for a Triton that a host sees; undefined for direct access. */
async function reached(
  { reach }: Pick<CoreParts, 'reach'>,
  { host, addresses }: ServerLoad,
): Promise<ReachedServer | undefined> {
  if (host === undefined) return undefined;
  const { http, metrics } = addresses;
  return {
    http: await reach.open(host, http),
    metrics: metrics === null ? null : await reach.open(host, metrics.address),
  };
}

/** The load generator's place: its image does not depend on the served model. */
const onHost = (load: ServerLoad, host: string): ExecutorSpec => ({
  engine: hostEngine(host),
  performance: performanceOfLoad(load),
  model: { preset: servedName(load), profile: 'full', args: {} },
  format: 'onnx',
});

/** Measures from a container on the host, so that the network to it does not count. */
function measureOnHost(parts: CoreParts, host: string): Servers['measureServer'] {
  const { engines, reading } = parts;
  return async (load, takeTurn, listener, work, { runId, dir, scenario }) => {
    const { signal } = work;
    const executor = await engines.openExecutor(onHost(load, host), {
      runId,
      dir,
      framework: 'pyt',
      isBeside: true,
      step: () => scenario,
    });
    try {
      await executor.reclaim();
      await executor.prepareImages?.({
        signal,
        log: (lines) => {
          for (const line of lines) listener.onLog(line);
        },
        progress: () => undefined,
      });
      return await measureServer(
        load,
        {
          loadTools: executor.loadTools,
          readers: reading.readers,
          takeTurn,
          watchGpus: gpusOf(parts, host).watch,
          via: await reached(parts, load),
          dir: join(runFolder(dir).step(scenario), 'load'),
          keptDir: runFolder(dir).step(scenario),
        },
        listener,
        work,
      );
    } finally {
      // A failed clean-up must not lose the results; the next sweep removes the remains.
      await executor.release().catch(() => undefined);
    }
  };
}

/** Measures running Tritons. GPUs are read on this machine, or on the host that sees the server; else unknown. */
export function createMeasuredServers(parts: CoreParts): Servers {
  const { options, loadTools, reading } = parts;
  const { env, version: workbenchVersion } = options;
  const { readers } = reading;
  return {
    environmentFor: async (load, headers) => {
      const via = await reached(parts, load);
      const { host, addresses } = load;
      const seen =
        host === undefined || via === undefined ? null : { host, there: addresses.http, here: via.http };
      const server = await asSeen(seen, () => inspectServer(load, { readers, via }, headers));
      if (host !== undefined) {
        // All GPUs of the host: it is unknown which of them the server uses.
        const engine = { ...hostEngine(host), gpus: ['all'] };
        const machine = await runEnvironment(parts, { engine });
        return { ...machine, ...server, engine: 'remote' };
      }
      const environment = await readEnvironment({ workbenchVersion, env, engine: 'remote' });
      const gpus = isLoopback(load.addresses.http) ? environment.gpus : [];
      return { ...environment, ...server, gpus };
    },
    measureServer: (load, takeTurn, listener, work, run) => {
      if (load.host !== undefined)
        return measureOnHost(parts, load.host)(load, takeTurn, listener, work, run);
      const watching = isLoopback(load.addresses.http) ? { watchGpus: gpusOf(parts, undefined).watch } : {};
      const keptDir = runFolder(run.dir).step(run.scenario);
      return measureServer(load, { loadTools, readers, takeTurn, keptDir, ...watching }, listener, work);
    },
  };
}
