import { WorkbenchError } from '../contract/errors';
import { type ToolFacts, type ToolId, toolList } from '../contract/machine';
import { askedPorts, engineWords, inContainers, neededTools } from '../contract/run/engine-kinds';
import type { RunSpec } from '../contract/run/run-spec';
import type { ProblemFix, StartProblem } from '../contract/run/spec-tools';
import { ofScenarios } from '../contract/run/sweep';
import type { ModelConfig } from '../triton/model-config';
import type { StartParts } from './engine-interface';
import { engineOf } from './engine-registry';

interface Needs {
  readonly spec: Pick<RunSpec, 'engine' | 'performance'>;
  readonly tools: ToolFacts;
  /** Docker would be an alternative, because images include the tools. */
  readonly canUseDocker: boolean;
}

function toolProblem({ spec, tools, canUseDocker }: Needs, missing: readonly ToolId[]): StartProblem {
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
    field: 'engine.kind',
    code: 'toolchain-missing',
    severity: 'problem',
    message: `Not installed on this machine: ${toolList(missing)}`,
    remedy: `${engineWords(spec.engine.kind).toolsAreFor}${sentence}${command}`.trim(),
    fixes,
  };
}

function toolProblems(needs: Needs): readonly StartProblem[] {
  const { spec, tools } = needs;
  const wanted = neededTools(spec.engine);
  const missing = tools.missing.filter((tool) => wanted.includes(tool));
  if (missing.length > 0) return [toolProblem(needs, missing)];
  const lacksAnalyzer =
    ofScenarios(spec.performance).some(({ loadTool }) => loadTool === 'perf_analyzer') &&
    !inContainers(spec.engine) &&
    tools.missing.includes('perf-analyzer');
  if (!lacksAnalyzer) return [];
  return [
    {
      field: 'performance.loadTool',
      code: 'toolchain-missing',
      severity: 'problem',
      message: 'Not installed on this machine: perf_analyzer',
      remedy: `Choose the built-in load generator, or ${tools.installable ? 'install it' : 'run in Docker containers, whose client image has it'}.`,
      fixes: tools.installable ? ['install-tools'] : [],
    },
  ];
}

/** Problems of a start now: missing tools, and those of its engine. Read-only. @param config null until the export */
export async function startProblems(
  spec: RunSpec,
  config: ModelConfig | null,
  { tools: readTools, ...parts }: StartParts & { readonly tools: () => Promise<ToolFacts> },
): Promise<readonly StartProblem[]> {
  const { engine } = spec;
  const tools = await readTools();
  // Checked only if tools are missing, because a hanging Docker Engine takes time.
  const canUseDocker =
    !inContainers(engine) && tools.missing.length > 0 && (await parts.docker.facts()).reachable;
  return [
    ...toolProblems({ spec, tools, canUseDocker }),
    ...(await engineOf(engine).startProblems(engine, { ...parts, spec, config, tools })),
  ];
}

/** Throws the first problem with the error code of the run. */
export function refuseStart(problems: readonly StartProblem[], { engine }: RunSpec): void {
  const found = problems.filter(({ severity }) => severity === 'problem');
  const [first] = found;
  if (first === undefined) return;
  const { httpPort, grpcPort } = askedPorts(engine);
  const port = first.field === 'engine.httpPort' ? httpPort : grpcPort;
  const where = first.code === 'port-taken' ? `127.0.0.1:${port ?? ''}` : first.field;
  throw new WorkbenchError(first.code, first.message, {
    where,
    // Window and CLI install tools differently: the code's own remedy says how.
    remedy: first.code === 'toolchain-missing' ? undefined : (first.remedy ?? undefined),
    details:
      found.length > 1
        ? found.map(({ message, remedy }) => [message, remedy ?? ''].join('. ')).join('\n')
        : undefined,
  });
}
