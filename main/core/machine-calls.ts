import type { Handlers } from '../contract/api';
import { preflightPlan } from '../engine/docker/preflight-plan';
import { readEnvironment } from '../machine/environment';
import { readGpus } from '../machine/gpu-report';
import { readMachineStatus } from '../machine/machine-status';
import type { Core } from './core-interface';
import type { CoreParts } from './core-parts';

/** This machine: what it has, and whether it suits a run. */
export function createMachineCalls({ docker, engines, options, tools }: CoreParts): Pick<Core, 'machine'> & {
  readonly handlers: Pick<Handlers, 'machine.get' | 'machine.gpus'>;
} {
  const { env, resources, home, version } = options;
  const machine: Core['machine'] = (engine, format) =>
    readMachineStatus({
      env,
      resources,
      home,
      environment: () => readEnvironment({ workbenchVersion: version, engine: 'local', env }),
      engines: () => engines.detect(),
      docker: () => docker.facts(),
      tools: () => tools.facts(),
      // Containers bring their own.
      usesTools: engine === undefined,
      plan: (facts, { gpus }) =>
        preflightPlan(
          engine ?? { kind: 'docker', gpus: gpus.length > 0 ? ['all'] : [], shmSizeMiB: 1024 },
          { resources, link: docker },
          facts,
          { format: format ?? null },
        ),
    });
  return {
    machine,
    handlers: { 'machine.get': () => machine(), 'machine.gpus': () => readGpus(env) },
  };
}
