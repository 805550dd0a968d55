import { join } from 'node:path';
import { isProcess } from '../../contract/run/engine-kinds';
import { servingFramework } from '../../formats/formats';
import type { Executor, ExecutorRun, ExecutorSpec } from '../engine';
import type { EngineParts, PlannedServer, UnstartedRun } from '../engine-interface';
import type { InContainer } from '../job';
import { traceFileName } from '../server-traces';
import { executorHere, modelPythonOf } from '../without-images';
import { createLocalTriton } from './local-triton';
import { pythonBackendsOf } from './python-backends';
import { serverArguments } from './server-command';
import { plannedPrograms } from './serving-environment';

/** Triton as a process of this machine. @param inContainer starts Triton in a container instead of the home's */
export function openProcess(
  spec: ExecutorSpec,
  run: ExecutorRun,
  parts: EngineParts,
  inContainer: InContainer | null = null,
): Executor {
  const { layout, env, resources } = parts;
  const { engine } = spec;
  const framework = servingFramework(spec);
  const folder = isProcess(engine) ? engine.environment : undefined;
  // Models run in their framework's environment.
  const modelPython = folder === undefined ? modelPythonOf(framework, parts) : null;
  const environment = folder === undefined ? undefined : { folder, framework };
  const triton = createLocalTriton({
    ...{ layout, env, resources, environment },
    ...(inContainer === null ? { modelPython: modelPython ?? undefined } : { inContainer }),
  });
  return executorHere((start) => triton.startServer(start), spec.model, run, parts);
}

/** See `Engine.plannedServer`. */
export function plannedProcess(
  {
    httpPort,
    grpcPort,
    environment,
  }: {
    readonly httpPort?: number | undefined;
    readonly grpcPort?: number | undefined;
    readonly environment?: string | undefined;
  },
  { runId, repository, logs, programs, asIs = false }: UnstartedRun,
  inContainer: InContainer | null = null,
): PlannedServer {
  const { tritonServer, tritonBackends } = plannedPrograms(programs, environment);
  const backends = asIs ? pythonBackendsOf(programs, environment) : tritonBackends;
  const command = serverArguments({
    program: inContainer === null ? tritonServer : 'tritonserver',
    backends: inContainer === null ? backends : null,
    ...{ repository, asIs },
    engineId: runId,
    httpPort,
    grpcPort,
    ...(inContainer === null ? { traceFile: join(logs, traceFileName) } : {}),
  });
  return {
    command: inContainer === null ? command : inContainer(command, repository),
    forClients: {
      httpAddress: `127.0.0.1:${httpPort ?? '<http-port>'}`,
      grpcAddress: `127.0.0.1:${grpcPort ?? '<grpc-port>'}`,
    },
  };
}
