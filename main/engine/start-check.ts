import { toWire, WorkbenchError } from '../contract/errors';
import { isJobEngine } from '../contract/job/run-job';
import { type DockerFacts, type ToolFacts, type ToolId, toolList } from '../contract/machine';
import {
  askedPorts,
  engineWords,
  hostOf,
  inContainers,
  isElsewhere,
  isProcess,
  neededTools,
} from '../contract/run/engine-kinds';
import type { RunSpec } from '../contract/run/run-spec';
import type { ProblemFix, StartProblem } from '../contract/run/spec-tools';
import { ofScenarios } from '../contract/run/sweep';
import { listContainers } from '../docker/containers';
import type { DockerLink } from '../docker/docker-link';
import { remoteHost } from '../machine/preflight-docker';
import { exists } from '../platform/files';
import type { HomeLayout } from '../platform/layout';
import { isAlive, relationTo } from '../platform/process';
import type { ModelConfig } from '../triton/model-config';
import type { JobScheduler } from './job';
import { readEngineRecords } from './local/engine-record';
import { type PortOwner, portOwner, tryBind } from './local/listening-sockets';
import { remoteProblems } from './remote-engine';

interface Needs {
  readonly spec: Pick<RunSpec, 'engine' | 'performance'>;
  readonly tools: ToolFacts;
  /** null: the engine of containers answers; else why it does not. */
  readonly dockerProblem: { readonly code: StartProblem['code']; readonly message: string } | null;
}

function toolProblem(needs: Needs, missing: readonly ToolId[], field: string): StartProblem {
  const { spec, tools, dockerProblem } = needs;
  const canUseDocker = !inContainers(spec.engine) && dockerProblem === null;
  const install = tools.installable ? 'Install the missing tools' : null;
  const docker = canUseDocker ? 'run in Docker containers' : null;
  const actions = [install, docker].filter((action) => action !== null).join(', or ');
  const sentence = actions === '' ? '' : `${actions.charAt(0).toUpperCase()}${actions.slice(1)}. `;
  const fixes: readonly ProblemFix[] = [
    ...(tools.installable ? ['install-tools' as const] : []),
    ...(canUseDocker ? ['use-docker' as const] : []),
  ];
  const command =
    tools.installable || canUseDocker ? '' : 'They can be installed on Linux only; use another engine there.';
  return {
    field,
    code: 'toolchain-missing',
    severity: 'problem',
    message: `Not installed on this machine: ${toolList(missing)}`,
    remedy: `${engineWords(spec.engine.kind).toolsAreFor}${sentence}${command}`.trim(),
    fixes,
  };
}

/** What keeps a run from starting for want of tools or of the Docker Engine. Pure. */
function toolProblems(needs: Needs): readonly StartProblem[] {
  const { spec, tools, dockerProblem } = needs;
  const isInContainers = inContainers(spec.engine);
  const host = hostOf(spec.engine);
  const found: StartProblem[] = [];
  if (isInContainers && dockerProblem !== null) {
    const local = !tools.missing.some((tool) => tool === 'python' || tool === 'triton');
    found.push({
      field: host === undefined ? 'engine.kind' : 'engine.host',
      code: dockerProblem.code,
      severity: 'problem',
      message: dockerProblem.message,
      remedy: `${host === undefined ? 'The Environment page shows how to reach Docker.' : `Check it with "triton-workbench hosts check ${host}".`}${local ? ' Or run on the local Triton.' : ''}`,
      fixes: local ? ['use-local'] : [],
    });
  }
  const wanted = neededTools(spec.engine);
  const missing = tools.missing.filter((tool) => wanted.includes(tool));
  if (missing.length > 0) found.push(toolProblem(needs, missing, 'engine.kind'));
  else if (
    ofScenarios(spec.performance).some(({ loadTool }) => loadTool === 'perf_analyzer') &&
    !isInContainers &&
    tools.missing.includes('perf-analyzer')
  ) {
    found.push({
      field: 'performance.loadTool',
      code: 'toolchain-missing',
      severity: 'problem',
      message: 'Not installed on this machine: perf_analyzer',
      remedy: `Choose the native load generator, or ${tools.installable ? 'install it' : 'run in Docker containers, whose client image has it'}.`,
      fixes: tools.installable ? ['install-tools'] : [],
    });
  }
  return found;
}

const longestCommand = 80;

interface PortCheckOptions {
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
  const { httpPort, grpcPort } = askedPorts(engine);
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
async function portProblems(
  spec: Pick<RunSpec, 'engine'>,
  options: PortCheckOptions,
): Promise<readonly StartProblem[]> {
  const found = await Promise.all(fixedPorts(spec).map((fixed) => portProblem(fixed, options)));
  return found.filter((problem) => problem !== null);
}

interface StartCheckOptions extends PortCheckOptions {
  readonly tools: () => Promise<ToolFacts>;
  readonly jobs: Pick<JobScheduler, 'refusal'>;
}

function dockerProblemOf(docker: DockerFacts | null) {
  if (docker === null || docker.reachable) return null;
  return {
    code: docker.reason === 'permission' ? ('docker-permission' as const) : ('docker-unreachable' as const),
    message: `Docker cannot be used: ${docker.message}`,
  };
}

async function jobProblems(
  { engine }: RunSpec,
  jobs: StartCheckOptions['jobs'],
): Promise<readonly StartProblem[]> {
  try {
    const refusal = await jobs.refusal(engine);
    if (refusal === null) return [];
    const { field, message, remedy = null } = refusal;
    return [{ field, message, remedy, code: 'job-refused', severity: 'problem', fixes: [] }];
  } catch (error) {
    const { code, message, remedy = null } = toWire(error);
    return [{ field: 'engine.kind', code, severity: 'problem', message, remedy, fixes: [] }];
  }
}

/**
 * What keeps a run from being started now, told of the fields that it comes from: missing tools, an engine that does not
 * answer, taken ports, a remote server that serves something else. Looks only: a second later all may be otherwise.
 * @param config the run's config.pbtxt; null where it is known only after the export.
 */
export async function startProblems(
  spec: RunSpec,
  config: ModelConfig | null,
  options: StartCheckOptions,
): Promise<readonly StartProblem[]> {
  const { engine } = spec;
  const tools = await options.tools();
  // A Docker Engine that hangs is waited for only where it matters: as the engine, or as the way out.
  const docker = inContainers(engine) || tools.missing.length > 0 ? await options.docker.facts() : null;
  const found = [...toolProblems({ spec, tools, dockerProblem: dockerProblemOf(docker) })];
  // The ports of an engine on another machine are taken there.
  if (isProcess(engine) || (docker !== null && inContainers(engine) && remoteHost(docker) === null)) {
    found.push(...(await portProblems(spec, options)));
  }
  if (isJobEngine(engine)) found.push(...(await jobProblems(spec, options.jobs)));
  if (isElsewhere(engine)) found.push(...(await remoteProblems(spec, engine, config)));
  return found;
}

/** Throws the first problem, as the error that the run would otherwise have ended with. */
export function refuseStart(problems: readonly StartProblem[], { engine }: RunSpec): void {
  const found = problems.filter(({ severity }) => severity === 'problem');
  const [first] = found;
  if (first === undefined) return;
  const { httpPort, grpcPort } = askedPorts(engine);
  const port = first.field === 'engine.httpPort' ? httpPort : grpcPort;
  const where = first.code === 'port-taken' ? `127.0.0.1:${port ?? ''}` : first.field;
  throw new WorkbenchError(first.code, first.message, {
    where,
    // The tools are installed by a button in the window and by a command elsewhere: the code's own remedies say so.
    remedy: first.code === 'toolchain-missing' ? undefined : (first.remedy ?? undefined),
    details:
      found.length > 1
        ? found.map(({ message, remedy }) => [message, remedy ?? ''].join('. ')).join('\n')
        : undefined,
  });
}
