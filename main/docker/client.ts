import { Agent } from 'node:http';
import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { z } from 'zod';
import { type ErrorCode, toWire, WorkbenchError } from '../contract/errors';
import { linkedAbort, whenAborted } from '../platform/abort';
import { sshStream } from '../platform/ssh/ssh-run';
import type { DockerAddress } from './address';

interface Refusal {
  readonly code?: string;
  readonly statusCode?: number;
  readonly json?: unknown;
  readonly message: string;
}

const unreachable = new Set([
  'ECONNREFUSED',
  'ENOENT',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ETIMEDOUT',
  'EAI_AGAIN',
]);

export function statusOf(error: unknown): number | null {
  const { statusCode } = (error ?? {}) as Refusal;
  return typeof statusCode === 'number' ? statusCode : null;
}

/** The engine's message, or the error's own text. */
export function engineMessage(error: unknown): string {
  const { json, message } = (error ?? {}) as Refusal;
  if (typeof json === 'object' && json !== null && 'message' in json && typeof json.message === 'string') {
    return json.message;
  }
  return typeof message === 'string' ? message.trim() : String(error);
}

/** No response, or a server error: the request may have had an effect. */
export function isUncertain(error: unknown): boolean {
  if (error instanceof WorkbenchError) {
    // Engines report a taken port with status 500; retrying does not help.
    if (error.code === 'port-taken') return false;
    return error.code === 'docker-unreachable' || (statusOf(error.cause) ?? 0) >= 500;
  }
  const status = statusOf(error);
  return status === null || status >= 500;
}

function codeOf(error: unknown): ErrorCode {
  const { code } = (error ?? {}) as Refusal;
  if (code === 'EACCES' || code === 'EPERM') return 'docker-permission';
  const status = statusOf(error);
  if (status === null) {
    const text = engineMessage(error);
    // HPE_…: the response was not HTTP.
    const broken = code !== undefined && (unreachable.has(code) || code.startsWith('HPE_'));
    return broken || /socket hang up|aborted|ssh: /.test(text) ? 'docker-unreachable' : 'docker-failed';
  }
  if (status === 404 && /no such image/i.test(engineMessage(error))) return 'image-missing';
  return 'docker-failed';
}

/** @param what the request in words: "start the container twb-…". Errors of the workbench pass unchanged */
export function dockerError(error: unknown, what: string): WorkbenchError {
  if (error instanceof WorkbenchError) return error;
  const text = engineMessage(error);
  const taken =
    /(?:Bind for|bind host port(?: for)?|listen tcp\d? ?)\s*([\d.]+:\d+).*(?:port is already allocated|address already in use)/.exec(
      text,
    );
  if (taken !== null) {
    return new WorkbenchError('port-taken', `Port ${taken[1] ?? ''} is in use`, {
      details: text,
      cause: error,
    });
  }
  return new WorkbenchError(codeOf(error), `Cannot ${what}: ${text}`, { cause: error });
}

/** Connects with the user's ssh program and configuration. Connections share one login, with a process each. */
function createSshAgent(address: Extract<DockerAddress, { kind: 'ssh' }>, env: NodeJS.ProcessEnv): Agent {
  // sshd allows ten sessions per login by default, so few idle ones are kept.
  const agent = new Agent({ keepAlive: true, maxSockets: 16, maxFreeSockets: 2 });
  const connect = (_options: unknown, done: (error: Error | null, socket?: Duplex) => void): void => {
    sshStream(address, 'docker system dial-stdio', env).then(
      (socket) => {
        // Socket methods that http needs and pipes lack.
        const all = {
          setKeepAlive: () => socket,
          setNoDelay: () => socket,
          setTimeout: () => socket,
          ref: () => socket,
          unref: () => socket,
        };
        done(null, Object.assign(socket, all));
      },
      (error: unknown) => {
        const { message, remedy, details } = toWire(error);
        done(new WorkbenchError('docker-unreachable', message, { remedy, details, cause: error }));
      },
    );
  };
  return Object.assign(agent, { createConnection: connect });
}

/** Supported API versions: 1.40 introduced device requests; beyond 1.52 is untested. */
const oldestApi = '1.40';
const newestApi = '1.52';
const requestTimeoutMs = 15_000;

const versionSchema = z.looseObject({
  Version: z.string(),
  ApiVersion: z.string(),
  MinAPIVersion: z.string().optional(),
  Arch: z.string().optional(),
});

export interface DockerClient {
  readonly docker: Docker;
  readonly address: DockerAddress;
  readonly apiVersion: string;
  readonly serverVersion: string;
  /** Docker's name: "amd64", "arm64". */
  readonly architecture: string;
}

const minor = (version: string) => Number(version.split('.')[1] ?? 0);

/** The newest common version, or null. */
export function negotiateApi(newestOfServer: string, oldestOfServer: string): string | null {
  const chosen = Math.min(minor(newestOfServer), minor(newestApi));
  const lowest = Math.max(minor(oldestOfServer), minor(oldestApi));
  return chosen < lowest ? null : `1.${chosen}`;
}

async function openDocker(
  address: DockerAddress,
  env: NodeJS.ProcessEnv,
  version: string | undefined,
): Promise<Docker> {
  // Loaded on demand: with ssh and gRPC it is a large part of the core.
  const { default: DockerClass } = await import('dockerode');
  // Every field is set, because dockerode takes missing ones from DOCKER_HOST.
  const common = {
    host: undefined,
    port: undefined,
    socketPath: undefined,
    pathPrefix: undefined,
    timeout: undefined,
    version,
    ca: undefined,
    cert: undefined,
    key: undefined,
  };
  switch (address.kind) {
    case 'unix':
      return new DockerClass({ ...common, protocol: 'http', socketPath: address.socketPath });
    case 'tls': {
      const { hostname: host, port, ca, cert, key } = address;
      return new DockerClass({ ...common, protocol: 'https', host, port, ca, cert, key });
    }
    case 'ssh':
      return new DockerClass({
        ...common,
        protocol: 'http',
        host: 'docker',
        agent: createSshAgent(address, env),
      } as Docker.DockerOptions);
  }
}

/** `signal` aborts at the limit, or with the caller's. */
interface LimitedWork {
  readonly signal: AbortSignal;
  readonly putOff: () => void;
}

interface Limit {
  readonly ms: number;
  /** Message prefix when the limit is reached; followed by `what`. */
  readonly reached: string;
}

/** Aborts `work` at a limit, which it may extend. Throws cancelled, docker-unreachable, or the engine's error. */
export async function withinLimit<Value>(
  what: string,
  limit: Limit,
  given: AbortSignal | undefined,
  work: (limited: LimitedWork) => Promise<Value>,
): Promise<Value> {
  const { controller, dispose } = linkedAbort(...(given === undefined ? [] : [given]));
  const late = { reached: false };
  const timer = setTimeout(() => {
    late.reached = true;
    controller.abort();
  }, limit.ms);
  const putOff = () => {
    timer.refresh();
  };
  // Not every request of dockerode honors the signal.
  const { aborted, done } = whenAborted(controller.signal);
  try {
    return await Promise.race([work({ signal: controller.signal, putOff }), aborted]);
  } catch (error) {
    if (given?.aborted === true) throw new WorkbenchError('cancelled', `Cancelled: ${what}`);
    if (late.reached) {
      const message = `${limit.reached} ${limit.ms / 1000} s: ${what}`;
      throw new WorkbenchError('docker-unreachable', message, { cause: error });
    }
    throw dockerError(error, what);
  } finally {
    clearTimeout(timer);
    done();
    dispose();
  }
}

/** Throws as {@link withinLimit}. */
export function ask<Value>(
  what: string,
  work: (abortSignal: AbortSignal) => Promise<Value>,
  options: { readonly signal?: AbortSignal | undefined; readonly timeoutMs?: number | undefined } = {},
): Promise<Value> {
  const limit = {
    ms: options.timeoutMs ?? requestTimeoutMs,
    reached: 'The Docker Engine did not answer within',
  };
  return withinLimit(what, limit, options.signal, ({ signal }) => work(signal));
}

/** Throws docker-unreachable, docker-permission, and docker-failed without a common API version. */
export async function connectDocker(
  address: DockerAddress,
  env: NodeJS.ProcessEnv,
  options: { readonly signal?: AbortSignal | undefined; readonly timeoutMs?: number | undefined } = {},
): Promise<DockerClient> {
  const unversioned = await openDocker(address, env, undefined);
  const version = unversioned.version.bind(unversioned) as (options: object) => Promise<unknown>;
  const answer = await ask(
    `connect to the Docker daemon at ${address.host}`,
    (abortSignal) => version({ abortSignal }),
    {
      // ssh logins are slow.
      timeoutMs: address.kind === 'ssh' ? 20_000 : 5000,
      ...options,
    },
  );
  const parsed = versionSchema.safeParse(answer);
  if (!parsed.success) {
    throw new WorkbenchError('docker-failed', `No Docker daemon responds at ${address.host}`, {
      details: JSON.stringify(answer).slice(0, 1000),
    });
  }
  const { Version, ApiVersion, MinAPIVersion = '1.12', Arch = 'amd64' } = parsed.data;
  const apiVersion = negotiateApi(ApiVersion, MinAPIVersion);
  if (apiVersion === null) {
    throw new WorkbenchError(
      'docker-failed',
      `Docker Engine ${Version} supports API ${MinAPIVersion} to ${ApiVersion}, the workbench ${oldestApi} to ${newestApi}`,
      {
        remedy:
          minor(ApiVersion) < minor(oldestApi)
            ? 'Install a newer Docker Engine.'
            : 'Install a newer workbench.',
      },
    );
  }
  const docker = await openDocker(address, env, `v${apiVersion}`);
  return { docker, address, apiVersion, serverVersion: Version, architecture: Arch };
}
