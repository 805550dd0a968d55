import { join } from 'node:path';
import { isLoopback } from '../contract/address';
import { shellLine } from '../contract/flag-text';
import type { Environment } from '../contract/measured/results';
import { inContainers } from '../contract/run/engine-kinds';
import type { DockerEngineSpec, RunSpec } from '../contract/run/run-spec';
import { performanceOfLoad, servedName, type ServerLoad } from '../contract/run/server-load';
import { asSeen } from '../engine/docker-over-ssh/host-reach';
import { type ExecutorSpec,hostEngine } from '../engine/engine';
import { readEnvironment, resultGpus } from '../machine/environment';
import { pollGpus, watchGpus } from '../machine/watch-gpus';
import type { ReadingSources } from '../perf/readings';
import { inspectServer, measureServer, type ReachedServer } from '../pipeline/measure/server-levels';
import type { Servers } from '../pipeline/server-run';
import { cleanText } from '../platform/lines';
import { runFolder } from '../store/run-folder';
import { readPackages } from '../toolkit/toolkit';
import type { CoreParts } from './core-parts';

type Machine = Pick<Environment, 'os' | 'cpu' | 'cpuCount' | 'memoryBytes' | 'gpus'>;

/** Name of the processor, where Linux says it. */
const cpuCommand = "sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1";
const longestName = 200;

/** The machine of an engine that ssh or TLS reaches, as it says itself; null where the engine is this machine's. */
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

/** Where the results of a run are obtained, and with what. */
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
    // In containers the packages are those of the client's image, told when it is there.
    packages: isDocker ? {} : await readPackages(parts.toolkit),
  };
}

/** Of one reading of another machine's GPUs. */
const smiLimits = { timeoutMs: 5000, maxBytes: 64 * 1024 };

/** How this process asks a Triton that a host sees; undefined: as everybody does. */
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

/** The place of the load generator: its image is the same whatever the server serves. */
const onHost = (load: ServerLoad, host: string): ExecutorSpec => ({
  engine: hostEngine(host),
  performance: performanceOfLoad(load),
  model: { preset: servedName(load), profile: 'full', args: {} },
  format: 'onnx',
});

/** A load in a container on the host: what is measured is the server, not the way there. */
function measureOnHost(parts: CoreParts, host: string): Servers['measureServer'] {
  const { engines, hosts, reading } = parts;
  return async (load, takeTurn, listener, work, { runId, dir, scenario }) => {
    const { signal } = work;
    const executor = await engines.openExecutor(onHost(load, host), {
      ...{ runId, dir, framework: 'pyt', isBeside: true },
      step: () => scenario,
    });
    const watched: ReadingSources['watchGpus'] = (onReading, until) =>
      pollGpus(
        async (argv) => (await hosts.run(host, shellLine(argv), { ...smiLimits, signal: until })).stdout,
        onReading,
        until,
      );
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
          ...{ loadTools: executor.loadTools, readers: reading.readers, takeTurn, watchGpus: watched },
          via: await reached(parts, load),
          dir: join(runFolder(dir).step(scenario), 'load'),
        },
        listener,
        work,
      );
    } finally {
      // What was measured is not lost to a host that is away now; the next sweep there ends what is left.
      await executor.release().catch(() => undefined);
    }
  };
}

/**
 * Tritons that are there already. Of one on this machine the GPUs are read too, and of one that a host sees those of the
 * host; of another machine nothing is known of them.
 */
export function createMeasuredServers(parts: CoreParts): Servers {
  const { options, loadTools, reading } = parts;
  const { env, version: workbenchVersion } = options;
  const { readers } = reading;
  const watched: ReadingSources['watchGpus'] = (onReading, signal) => watchGpus(env, onReading, signal);
  return {
    environmentFor: async (load, headers) => {
      const via = await reached(parts, load);
      const { host, addresses } = load;
      const seen =
        host === undefined || via === undefined ? null : { host, there: addresses.http, here: via.http };
      const { tritonVersion } = await asSeen(seen, () => inspectServer(load, { readers, via }, headers));
      if (host !== undefined) {
        // All GPUs of the host: which of them the server uses is not known.
        const engine = { ...hostEngine(host), gpus: ['all'] };
        const machine = await runEnvironment(parts, { engine });
        return { ...machine, engine: 'remote', tritonVersion };
      }
      const environment = await readEnvironment({ workbenchVersion, env, engine: 'remote' });
      const gpus = isLoopback(load.addresses.http) ? environment.gpus : [];
      return { ...environment, tritonVersion, gpus };
    },
    measureServer: (load, takeTurn, listener, work, run) => {
      if (load.host !== undefined)
        return measureOnHost(parts, load.host)(load, takeTurn, listener, work, run);
      const watching = isLoopback(load.addresses.http) ? { watchGpus: watched } : {};
      return measureServer(load, { ...{ loadTools, readers, takeTurn }, ...watching }, listener, work);
    },
  };
}
