import type { StartProblem } from '../../contract/run/spec-tools';
import { listContainers } from '../../docker/containers';
import { exists } from '../../platform/files';
import { isAlive, relationTo } from '../../platform/process';
import type { StartParts } from '../engine-interface';
import { readEngineRecords } from './engine-record';
import { type PortOwner, portOwner, tryBind } from './listening-sockets';

type PortParts = Pick<StartParts, 'layout' | 'docker' | 'monitored'>;

interface AskedPorts {
  readonly httpPort?: number | undefined;
  readonly grpcPort?: number | undefined;
}

const longestCommand = 80;

/** The run of this home that uses the port, or null: such runs queue for each other. */
async function runWithPort(port: number, owner: PortOwner, options: PortParts): Promise<string | null> {
  const { layout, docker } = options;
  const records = await readEngineRecords(layout.engines).catch(() => []);
  const local = records.find(
    ({ server, workbench }) =>
      server?.pid === owner.pid && relationTo(workbench.place) === 'here' && isAlive(workbench),
  );
  if (local !== undefined) return local.runId;
  // A home without containers has no instance.
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

async function portProblem(field: string, port: number, options: PortParts): Promise<StartProblem | null> {
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
    remedy: 'Stop the process that uses it, choose another port, or set none to use a free one.',
  };
}

/** Whether the fixed ports are free now; not a reservation. */
export async function portProblems(asked: AskedPorts, parts: PortParts): Promise<readonly StartProblem[]> {
  const found = await Promise.all(
    (['httpPort', 'grpcPort'] as const).map(async (name) => {
      const port = asked[name];
      return port === undefined ? null : portProblem(`engine.${name}`, port, parts);
    }),
  );
  return found.filter((problem) => problem !== null);
}
