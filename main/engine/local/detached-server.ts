import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from '../../contract/deployment/deployment';
import { WorkbenchError } from '../../contract/errors';
import type { HomeLayout } from '../../platform/layout';
import { identitiesOf, isAlive, type ProcessIdentity, sessionLeader } from '../../platform/process';
import { readProcesses } from '../../platform/process-readings';
import { readLogTail } from '../../store/run-files';
import { createTritonClient } from '../../triton/client';
import type { DeploymentPaths, DeploymentServer, ServerStatus, StartOptions } from '../engine';
import { type ServerTraces, traceFileName } from '../server-traces';
import { endEngineProcesses, processesOfEngine } from './engine-record';
import { assertPortsFree } from './listening-sockets';
import { localTraces } from './local-traces';
import { unloadModels } from './local-triton';
import { writePythonBackends } from './python-backends';
import { serverArguments, serverEnvironment } from './server-command';
import { spawned } from './server-process';
import { toolchainOf } from './serving-environment';

const stopGraceMs = 10_000;
const pollMs = 50;
/** A larger log is truncated at the next start. */
const longestLogBytes = 16 * 2 ** 20;

const plainAppend = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;

async function openLog(path: string) {
  const size = (await stat(path).catch(() => null))?.size ?? 0;
  if (size > longestLogBytes) await rename(path, `${path}.1`);
  return open(path, plainAppend, 0o600);
}

/** The Triton process, not a stub that outlives it; null if it is not running. */
const serverOf = async ({ process }: Deployment): Promise<ProcessIdentity | null> =>
  process === null ? null : sessionLeader(await processesOfEngine(process.id));

class DetachedServers implements DeploymentServer {
  constructor(
    private readonly layout: HomeLayout,
    private readonly env: NodeJS.ProcessEnv,
    private readonly resources: string,
  ) {}

  async start(deployment: Deployment, paths: DeploymentPaths, { signal, note }: StartOptions): Promise<void> {
    const { process, ports, engine } = deployment;
    if ((await serverOf(deployment)) !== null) return;
    if (process !== null) await endEngineProcesses(process.id);
    const { framework, environment: folder } =
      engine.kind === 'local' ? engine : { framework: 'pyt' as const, environment: undefined };
    const toolchain = await toolchainOf(
      this.layout,
      {
        python: framework === 'tf' ? this.layout.tensorflow : this.layout.python,
        environment: folder === undefined ? undefined : { folder, framework },
      },
      this.env,
    );
    await assertPortsFree([ports.http, ports.grpc, ports.metrics]);
    if (signal.aborted) throw new WorkbenchError('cancelled', 'Cancelled before Triton started');
    const { asIs } = engine;
    // Beside its models: the cache may be emptied.
    const ownBackends = join(paths.dir, 'backends');
    if (asIs === true) await writePythonBackends(ownBackends, toolchain.backends, this.resources);
    const id = randomBytes(16).toString('hex');
    const [program, ...args] = serverArguments({
      ...toolchain,
      backends: asIs === true ? ownBackends : toolchain.backends,
      repository: paths.repository,
      engineId: id,
      httpPort: ports.http,
      grpcPort: ports.grpc,
      metricsPort: ports.metrics,
      traceFile: join(paths.dir, traceFileName),
      loadAll: true,
      asIs,
    });
    const log = await openLog(paths.log);
    try {
      await note({ type: 'server-process', id });
      // Output goes straight to the file: a pipe would have no reader after this process ends.
      const child = spawn(program, args, {
        cwd: paths.dir,
        env: serverEnvironment({
          ...{ ...toolchain, env: this.env, engineId: id },
          repository: asIs === true ? paths.repository : undefined,
        }),
        detached: true,
        stdio: ['ignore', log.fd, log.fd],
      });
      await spawned(child, program);
      child.unref();
    } finally {
      await log.close();
    }
  }

  reach(_deployment: Deployment, address: string): Promise<string> {
    return Promise.resolve(address);
  }

  busyPorts(): Promise<null> {
    return Promise.resolve(null);
  }

  sync(): Promise<void> {
    return Promise.resolve();
  }

  async stop(deployment: Deployment): Promise<void> {
    const { process: server } = deployment;
    if (server === null) return;
    const triton = await serverOf(deployment);
    if (triton !== null) {
      await unloadModels(createTritonClient(`127.0.0.1:${deployment.ports.http}`));
      const all = identitiesOf(await processesOfEngine(server.id));
      if (isAlive(triton)) process.kill(triton.pid, 'SIGTERM');
      const deadline = performance.now() + stopGraceMs;
      while (performance.now() < deadline && all.some(isAlive)) await sleep(pollMs);
    }
    await endEngineProcesses(server.id);
  }

  remove(deployment: Deployment): Promise<void> {
    return this.stop(deployment);
  }

  async readStatus(deployment: Deployment): Promise<ServerStatus> {
    if (deployment.process === null) return { kind: 'stopped', reason: 'Triton was not started' };
    return (await serverOf(deployment)) === null
      ? { kind: 'failed', reason: 'Triton has ended; see its log' }
      : { kind: 'running', since: deployment.startedAt };
  }

  async readProcesses({ process }: Deployment) {
    return process === null ? [] : readProcesses(await processesOfEngine(process.id));
  }

  traces(_deployment: Deployment, { dir }: DeploymentPaths): ServerTraces {
    return localTraces(dir);
  }

  async log(_deployment: Deployment, paths: DeploymentPaths, limit: number): Promise<readonly string[]> {
    return readLogTail(paths.log, limit);
  }
}

/** Triton as a detached process, for experiments: nothing restarts it after a reboot. */
export const createDetachedServers = (
  layout: HomeLayout,
  env: NodeJS.ProcessEnv,
  resources: string,
): DeploymentServer => new DetachedServers(layout, env, resources);
