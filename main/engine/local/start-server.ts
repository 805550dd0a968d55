import { setTimeout as sleep } from 'node:timers/promises';
import { WorkbenchError } from '../../contract/errors';
import { createTritonClient } from '../../triton/client';
import type { ServerExit, ServerHandle, StartServerInput } from '../engine';
import { assertPortsFree, portTaken } from './fixed-ports';
import type { ServerPorts } from './server-addresses';
import { readServerPorts } from './server-addresses';
import type { LaunchInput, ServerProcess } from './server-process';
import { launchServer } from './server-process';
import { unloadModels } from './unload-models';

const pollMs = 50;

export interface StartLocalServerInput extends LaunchInput {
  /** Milliseconds from the start of the process to the first "ready". */
  readonly deadlineMs: number;
}

/** Triton's last complaint, for the message; the whole tail goes into the details. */
function lastComplaint(tail: readonly string[]): string {
  const line = [...tail].reverse().find((candidate) => /^E\d{4} /.test(candidate));
  return line === undefined ? '' : `: ${line.replace(/^E\d{4} \S+ +\d+ /, '')}`;
}

async function endedEarly(exit: ServerExit, start: StartServerInput): Promise<WorkbenchError> {
  const text = exit.tail.join('\n');
  for (const port of [start.httpPort, start.grpcPort]) {
    if (port !== undefined && text.includes(`:${port}' already in use`)) return portTaken(port);
  }
  const how = exit.exitCode === null ? `signal ${exit.signal ?? '?'}` : `exit code ${exit.exitCode}`;
  const message = `Triton ended with ${how} while it started${lastComplaint(exit.tail)}`;
  return new WorkbenchError('server-start-failed', message, { where: start.logPath, details: text });
}

async function awaitPorts(server: ServerProcess, input: StartLocalServerInput): Promise<ServerPorts> {
  const { start } = input;
  const deadline = performance.now() + input.deadlineMs;
  const early: { exit: ServerExit | null } = { exit: null };
  void server.exited.then((exit) => {
    early.exit = exit;
  });
  for (;;) {
    if (start.signal.aborted) throw new WorkbenchError('cancelled', 'Cancelled while Triton started');
    if (early.exit !== null) throw await endedEarly(early.exit, start);
    const fixed = { http: start.httpPort, grpc: start.grpcPort };
    const ports = await readServerPorts(server.pid, fixed, start.signal);
    if (ports !== null) {
      const client = createTritonClient(`127.0.0.1:${ports.http}`, { timeoutMs: 2000 });
      if (await client.serverReady().catch(() => false)) return ports;
    }
    if (performance.now() > deadline) {
      const message = `Triton was not ready within ${input.deadlineMs / 1000} s`;
      const details = server.tail().join('\n');
      throw new WorkbenchError('server-start-failed', message, { where: start.logPath, details });
    }
    await sleep(pollMs);
  }
}

/** Starts Triton and returns when it is ready. Throws port-taken, server-start-failed, cancelled, input-invalid. */
export async function startLocalServer(input: StartLocalServerInput): Promise<ServerHandle> {
  const { start } = input;
  if (start.signal.aborted) throw new WorkbenchError('cancelled', 'Cancelled before Triton started');
  await assertPortsFree([start.httpPort, start.grpcPort]);
  const server = await launchServer(input);
  try {
    const ports = await awaitPorts(server, input);
    const httpAddress = `127.0.0.1:${ports.http}`;
    const client = createTritonClient(httpAddress);
    const { version } = await client.serverMetadata({ signal: start.signal });
    const grpcAddress = `127.0.0.1:${ports.grpc}`;
    return {
      httpAddress,
      grpcAddress,
      forClients: { httpAddress, grpcAddress },
      metricsAddress: `127.0.0.1:${ports.metrics}`,
      tritonVersion: version,
      exited: server.exited,
      pid: server.pid,
      stop: async () => {
        await unloadModels(client);
        await server.stop();
      },
    };
  } catch (error) {
    await server.kill();
    throw error;
  }
}
