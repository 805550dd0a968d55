import { connect } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorText } from '../../contract/error-text';
import { toWire, WorkbenchError } from '../../contract/errors';
import type { EngineStatus } from '../../contract/machine';
import type { HomeLayout } from '../../platform/layout';
import type { EnsurePython } from '../../toolkit/toolkit';
import { createTritonClient, type TritonClient } from '../../triton/client';
import { requestTriton } from '../../triton/http';
import type { Executor, ServerExit, ServerHandle, StartServerInput } from '../engine';
import type { InContainer } from '../job';
import { lastComplaint } from '../serving';
import { assertPortsFree, listeningSocketsOf, portTaken } from './listening-sockets';
import { localTraces } from './local-traces';
import { pythonBackendsOf, writePythonBackends } from './python-backends';
import {
  type LocalToolchain,
  readLocalToolchain,
  rememberedTritonVersion,
  rememberTritonVersion,
} from './server-command';
import { type LaunchInput, launchServer, type ServerProcess } from './server-process';
import { type ServingEnvironment, toolchainOf } from './serving-environment';

const startDeadlineMs = 60_000;

interface LocalTritonOptions {
  readonly layout: HomeLayout;
  /** The `resources` folder of the product. */
  readonly resources: string;
  readonly env: NodeJS.ProcessEnv;
  /** Python for models; defaults to the workbench's own. */
  readonly modelPython?: EnsurePython | undefined;
  /** Another serving environment than the home's. */
  readonly environment?: ServingEnvironment | undefined;
  /** Starts Triton in the job's container instead of the home's. */
  readonly inContainer?: InContainer | undefined;
}

const note =
  'For evaluation and tests: Triton 2.51 from the PyPI wheel, on CPU, loopback only. Use the container image for production.';

export async function detectLocalTriton(layout: HomeLayout): Promise<EngineStatus> {
  const local = { kind: 'local' } as const;
  try {
    await readLocalToolchain(layout);
    const version = await rememberedTritonVersion(layout);
    return { ...local, available: true, version, note, remedy: null };
  } catch (error) {
    const { code, message } = toWire(error);
    return { ...local, available: false, version: null, note: message, remedy: errorText[code].remedy };
  }
}

/** @param python runs the models' code; default: the workbench's */
async function toolchainFor(
  { layout, resources, environment, env }: LocalTritonOptions,
  { asIs }: StartServerInput,
  python: string | undefined,
): Promise<LocalToolchain> {
  const toolchain = await toolchainOf(layout, { environment, python }, env);
  if (asIs !== true) return toolchain;
  const backends = pythonBackendsOf(layout, environment?.folder);
  await writePythonBackends(backends, toolchain.backends, resources);
  return { ...toolchain, backends };
}

/** Triton of the workbench home, one process group per server. */
export function createLocalTriton(options: LocalTritonOptions): Pick<Executor, 'startServer'> {
  const { layout } = options;
  return {
    startServer: async (start) => {
      const python = await options.modelPython?.({
        signal: start.signal,
        onProgress: (_fraction, text) => start.onLog([text]),
        onStderrLine: (line) => start.onLog([line]),
      });
      const handle = await startLocalServer({
        program:
          options.inContainer === undefined
            ? { toolchain: await toolchainFor(options, start, python) }
            : { inContainer: options.inContainer },
        env: options.env,
        records: layout.engines,
        start,
        deadlineMs: startDeadlineMs,
      });
      // The remembered version is only displayed, so a failed write is ignored.
      if (options.inContainer === undefined && options.environment === undefined) {
        await rememberTritonVersion(layout, handle.tritonVersion).catch(() => undefined);
      }
      return handle;
    },
  };
}

const probeTimeoutMs = 2000;
const unloadPollMs = 50;
const longestUnloadMs = 6000;
const unloadAnswerMs = 3000;

/**
 * Unloads models first, because an exiting Triton polls loaded ones only once per second. Takes at most 6 s, or 3 s
 * without a response; errors are left to the shutdown.
 */
export async function unloadModels(client: TritonClient): Promise<void> {
  const signal = AbortSignal.timeout(longestUnloadMs);
  const call = { signal, timeoutMs: unloadAnswerMs };
  const loaded = async () => {
    const entries = await client.repositoryIndex(call);
    return entries.filter(({ state }) => state !== undefined && state !== 'UNAVAILABLE');
  };
  try {
    const names = new Set((await loaded()).map(({ name }) => name));
    // One after the other: a search has more variants than one signal may have listeners.
    for (const name of names) await client.unloadModel(name, call);
    while ((await loaded()).length > 0) await sleep(unloadPollMs, undefined, { signal });
  } catch {
    // The shutdown handles a dead server.
  }
}

interface ServerPorts {
  readonly http: number;
  readonly grpc: number;
  readonly metrics: number;
}

async function answers(port: number, path: string, signal: AbortSignal): Promise<boolean> {
  try {
    const request = { method: 'GET', path, timeoutMs: probeTimeoutMs, signal } as const;
    return (await requestTriton(`127.0.0.1:${port}`, request)).status === 200;
  } catch {
    // gRPC does not speak HTTP/1.1.
    return false;
  }
}

const http2Preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const emptySettings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
const settingsType = 4;

/** gRPC answers the HTTP/2 preface with a SETTINGS frame (type in byte 3); other services close or answer HTTP/1.1. */
async function speaksHttp2(port: number, signal: AbortSignal): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port });
  try {
    return await new Promise<boolean>((resolve) => {
      const no = () => {
        resolve(false);
      };
      socket.setTimeout(probeTimeoutMs, no);
      socket.once('error', no);
      socket.once('close', no);
      signal.addEventListener('abort', no, { once: true });
      socket.once('data', (chunk) => resolve(chunk[3] === settingsType));
      socket.write(Buffer.concat([http2Preface, emptySettings]));
    });
  } finally {
    socket.destroy();
  }
}

/**
 * Assigns the process's ports to services by probing; null until all three are open. Fixed ports must be among them, so
 * that another server on the port is not mistaken for this one.
 */
async function readServerPorts(
  pids: readonly number[],
  fixed: { readonly http: number | undefined; readonly grpc: number | undefined },
  signal: AbortSignal,
): Promise<ServerPorts | null> {
  const sockets = (await Promise.all(pids.map(listeningSocketsOf))).flat();
  const ports = [...new Set(sockets.map((socket) => socket.port))];
  if (ports.length < 3) return null;
  const take = async (
    wanted: number | undefined,
    isIt: (port: number) => Promise<boolean>,
  ): Promise<number | undefined> => {
    for (const port of ports.filter((candidate) => wanted === undefined || candidate === wanted)) {
      if (await isIt(port)) {
        ports.splice(ports.indexOf(port), 1);
        return port;
      }
    }
    return undefined;
  };
  const grpc = await take(fixed.grpc, (port) => speaksHttp2(port, signal));
  // Order matters: the metrics service answers 200 to every path, the HTTP service only to its own.
  const metrics = await take(undefined, (port) => answers(port, '/metrics', signal));
  const http = await take(fixed.http, (port) => answers(port, '/v2/health/live', signal));
  return http === undefined || metrics === undefined || grpc === undefined ? null : { http, metrics, grpc };
}

const pollMs = 50;

interface StartLocalServerInput extends LaunchInput {
  readonly deadlineMs: number;
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
    const ports = await readServerPorts(await server.listeners(), fixed, start.signal);
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

/** Returns when Triton is ready. Throws port-taken, server-start-failed, cancelled, input-invalid. */
async function startLocalServer(input: StartLocalServerInput): Promise<ServerHandle> {
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
      readMemory: () => server.readMemory(),
      readProcesses: () => server.readProcesses(),
      // The Triton of a job's image may be of any release.
      ...(input.program.inContainer === undefined ? { traces: localTraces(dirname(start.logPath)) } : {}),
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
