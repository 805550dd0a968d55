import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rename, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment, DeploymentBody } from '../../contract/deployment';
import { WorkbenchError } from '../../contract/errors';
import type { HomeLayout } from '../../platform/layout';
import { isAlive, processStartTime } from '../../platform/process';
import { readLogTail } from '../../store/run-files';
import { createTritonClient } from '../../triton/client';
import type { DeploymentPlace, DeploymentServer, ServerLook } from '../engine';
import { endEngineProcesses, processesOfEngine } from './engine-record';
import { assertPortsFree } from './listening-sockets';
import { unloadModels } from './local-engine';
import { readLocalToolchain, serverArguments, serverEnvironment } from './server-command';
import { spawned } from './server-process';

const stopGraceMs = 10_000;
const pollMs = 50;
/** A log is begun anew at the next start when it has become larger. */
const longestLogBytes = 16 * 2 ** 20;

const plainAppend = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;

const addressOf = ({ ports }: Deployment) => `127.0.0.1:${ports.http}`;

async function openLog(path: string) {
  const size = (await stat(path).catch(() => null))?.size ?? 0;
  if (size > longestLogBytes) await rename(path, `${path}.1`);
  return open(path, plainAppend, 0o600);
}

class DetachedServers implements DeploymentServer {
  constructor(
    private readonly layout: HomeLayout,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  async start(
    deployment: Deployment,
    place: DeploymentPlace,
    signal: AbortSignal,
  ): Promise<DeploymentBody | null> {
    const { process, ports, engine } = deployment;
    if (process !== null && isAlive(process)) return null;
    if (process !== null) await endEngineProcesses(process.id);
    const isTensorflow = engine.kind === 'local' && engine.framework === 'tf';
    const python = isTensorflow ? this.layout.tensorflow : this.layout.python;
    const toolchain = await readLocalToolchain(this.layout, python);
    await assertPortsFree([ports.http, ports.grpc, ports.metrics]);
    if (signal.aborted) throw new WorkbenchError('cancelled', 'Cancelled before Triton started');
    const id = randomBytes(16).toString('hex');
    const [program, ...args] = serverArguments({
      program: toolchain.program,
      backends: toolchain.backends,
      repository: place.repository,
      engineId: id,
      httpPort: ports.http,
      grpcPort: ports.grpc,
      metricsPort: ports.metrics,
      loadAll: true,
    });
    const log = await openLog(place.log);
    try {
      // Into the file itself: nobody is there to read a pipe once the workbench has ended.
      const child = spawn(program, args, {
        cwd: place.dir,
        env: serverEnvironment({ ...toolchain, env: this.env, engineId: id }),
        detached: true,
        stdio: ['ignore', log.fd, log.fd],
      });
      const pid = await spawned(child, program);
      child.unref();
      return { type: 'server-process', id, pid, startTime: processStartTime(pid) ?? '' };
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
    if (isAlive(server)) {
      await unloadModels(createTritonClient(addressOf(deployment)));
      process.kill(server.pid, 'SIGTERM');
      const deadline = performance.now() + stopGraceMs;
      while (performance.now() < deadline && (await processesOfEngine(server.id)).length > 0) {
        await sleep(pollMs);
      }
    }
    await endEngineProcesses(server.id);
  }

  remove(deployment: Deployment): Promise<void> {
    return this.stop(deployment);
  }

  look({ process: server, startedAt }: Deployment): Promise<ServerLook> {
    if (server === null) return Promise.resolve({ kind: 'stopped', reason: 'Triton was not started' });
    return Promise.resolve(
      isAlive(server)
        ? { kind: 'running', since: startedAt }
        : { kind: 'failed', reason: 'Triton has ended; see its log' },
    );
  }

  async log(_deployment: Deployment, place: DeploymentPlace, limit: number): Promise<readonly string[]> {
    return readLogTail(place.log, limit);
  }
}

/** The local Triton as a process of its own: for trying out, as nothing starts it again after a restart of the machine. */
export const createDetachedServers = (layout: HomeLayout, env: NodeJS.ProcessEnv): DeploymentServer =>
  new DetachedServers(layout, env);
