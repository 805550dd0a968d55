import type { RunSpec } from '../contract/run/run-spec';
import type { StartProblem } from '../contract/run/spec-tools';
import { listContainers } from '../docker/containers';
import type { DockerLink } from '../docker/docker-link';
import { exists } from '../platform/files';
import type { HomeLayout } from '../platform/layout';
import { isAlive, relationTo } from '../platform/process';
import { readEngineRecords } from './local/engine-record';
import { type PortOwner, portOwner, tryBind } from './local/listening-sockets';

const longestCommand = 80;

export interface PortCheckOptions {
  readonly layout: Pick<HomeLayout, 'engines' | 'instance'>;
  readonly docker: DockerLink;
  /** `host:port` of the Triton that the monitor of this process watches; null when it watches none. */
  readonly monitored: () => Promise<string | null>;
}

interface FixedPort {
  readonly field: 'engine.httpPort' | 'engine.grpcPort';
  readonly port: number;
}

/** The fixed ports of an engine that listens on this machine. */
function fixedPorts({ engine }: Pick<RunSpec, 'engine'>): readonly FixedPort[] {
  if (engine.kind === 'remote') return [];
  const { httpPort, grpcPort } = engine;
  return [
    ...(httpPort === undefined ? [] : [{ field: 'engine.httpPort', port: httpPort } as const]),
    ...(grpcPort === undefined ? [] : [{ field: 'engine.grpcPort', port: grpcPort } as const]),
  ];
}

/** The run of this home whose Triton has the port; null when it is somebody else's. Runs wait for each other. */
async function runWithPort(
  port: number,
  owner: PortOwner,
  options: PortCheckOptions,
): Promise<string | null> {
  const { layout, docker } = options;
  const records = await readEngineRecords(layout.engines).catch(() => []);
  const local = records.find(
    ({ server, workbench }) =>
      server?.pid === owner.pid && relationTo(workbench.place) === 'here' && isAlive(workbench),
  );
  if (local !== undefined) return local.runId;
  // A home that never made a container has none.
  if (!(await exists(layout.instance))) return null;
  try {
    const containers = await listContainers(await docker.connect(), await docker.instance());
    return (
      containers.find(({ info }) => info.ports.some((one) => one.hostAddress?.endsWith(`:${port}`) === true))
        ?.info.runId ?? null
    );
  } catch {
    return null;
  }
}

function ownerText(port: number, { pid, command }: PortOwner, monitored: string | null): string {
  if (monitored !== null && new RegExp(`^(localhost|127\\.0\\.0\\.1|\\[::1\\]):${port}$`).test(monitored)) {
    return `the Triton that the monitor watches at ${monitored} listens on it`;
  }
  if (pid === null) return 'a process of another user listens on it';
  const name = command === '' ? '' : ` (${command.slice(0, longestCommand)})`;
  return `process ${pid}${name} listens on it`;
}

async function portProblem(fixed: FixedPort, options: PortCheckOptions): Promise<StartProblem | null> {
  const { field, port } = fixed;
  const about = { field, fixes: ['use-free-port'] } as const;
  const refusal = await tryBind(port);
  if (refusal === null) return null;
  if (refusal.code !== 'EADDRINUSE') {
    return {
      ...about,
      code: 'input-invalid',
      severity: 'problem',
      message: `Port ${port} cannot be used (${refusal.code ?? refusal.message})`,
      remedy: 'Ports below 1024 are reserved for root. Choose a higher port, or leave it empty.',
    };
  }
  const owner = (await portOwner(port)) ?? { pid: null, command: '' };
  const runId = await runWithPort(port, owner, options);
  if (runId !== null) {
    return {
      ...about,
      code: 'port-taken',
      severity: 'warning',
      message: `Port ${port} is in use by the run ${runId}`,
      remedy: 'This run waits until the other run ends.',
    };
  }
  return {
    ...about,
    code: 'port-taken',
    severity: 'problem',
    message: `Port ${port} is in use: ${ownerText(port, owner, await options.monitored())}`,
    remedy: 'Stop the process that uses it, or leave the port empty to use a free port.',
  };
}

/** Whether the fixed ports of a run can be bound on this machine now; a second's answer, not a reservation. */
export async function portProblems(
  spec: Pick<RunSpec, 'engine'>,
  options: PortCheckOptions,
): Promise<readonly StartProblem[]> {
  const found = await Promise.all(fixedPorts(spec).map((fixed) => portProblem(fixed, options)));
  return found.filter((problem) => problem !== null);
}
