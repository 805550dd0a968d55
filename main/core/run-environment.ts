import type { Environment } from '../contract/measured/results';
import type { DockerEngineSpec, RunSpec } from '../contract/run/run-spec';
import { readEnvironment, resultGpus } from '../machine/environment';
import { cleanText } from '../platform/clean-text';
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
export async function runEnvironment(parts: CoreParts, { engine }: RunSpec): Promise<Environment> {
  const { env, version } = parts.options;
  const isDocker = engine.kind === 'docker';
  const gpuIds = isDocker ? engine.gpus : [];
  return {
    ...(await readEnvironment({ workbenchVersion: version, engine: engine.kind, env, gpuIds })),
    ...(isDocker ? await engineMachine(parts, engine) : {}),
    // In containers the packages are those of the client's image, told when it is there.
    packages: isDocker ? {} : await readPackages(parts.toolkit),
  };
}
