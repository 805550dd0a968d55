import type { RunSpec } from '../contract/run-spec';
import type { ProblemFix, StartProblem } from '../contract/spec-tools';
import type { ToolFacts, ToolId } from '../contract/tools';
import { toolList } from '../contract/tools';

interface Needs {
  readonly spec: Pick<RunSpec, 'engine' | 'performance'>;
  readonly tools: ToolFacts;
  /** null: the engine of containers answers; else why it does not. */
  readonly dockerProblem: { readonly code: StartProblem['code']; readonly message: string } | null;
  /** A container image of the run is not on the engine, and is built with the Python of this machine. */
  readonly buildsImages: boolean;
}

/** What the run needs of this machine's tools, without the load tool. */
function neededTools({ spec, buildsImages }: Needs): readonly ToolId[] {
  switch (spec.engine.kind) {
    case 'local':
      return ['python', 'triton'];
    case 'remote':
      return ['python'];
    case 'docker':
      return buildsImages ? ['python'] : [];
  }
}

/** Why it is needed at all, where the engine does not say so by its name. */
const whatFor: Readonly<Record<RunSpec['engine']['kind'], string>> = {
  local: '',
  remote: 'The export and the accuracy check run on this machine. ',
  docker: 'It is needed to build the container images. ',
};

function toolProblem(needs: Needs, missing: readonly ToolId[], field: string): StartProblem {
  const { spec, tools, dockerProblem } = needs;
  const { kind } = spec.engine;
  const canUseDocker = kind !== 'docker' && dockerProblem === null;
  const install = tools.installable ? 'Install the missing tools' : null;
  const docker = canUseDocker ? 'run in Docker containers' : null;
  const actions = [install, docker].filter((action) => action !== null).join(', or ');
  const sentence = actions === '' ? '' : `${actions.charAt(0).toUpperCase()}${actions.slice(1)}. `;
  const fixes: readonly ProblemFix[] = [
    ...(tools.installable ? ['install-tools' as const] : []),
    ...(canUseDocker ? ['use-docker' as const] : []),
  ];
  const command = tools.installable
    ? ''
    : 'Run "npm run demo" in a clone of the workbench while online to install them.';
  return {
    field,
    code: 'toolchain-missing',
    severity: 'problem',
    message: `Not installed on this machine: ${toolList(missing)}`,
    remedy: `${whatFor[kind]}${sentence}${command}`.trim(),
    fixes,
  };
}

/** What keeps a run from starting for want of tools or of the Docker Engine. Pure. */
export function toolProblems(needs: Needs): readonly StartProblem[] {
  const { spec, tools, dockerProblem } = needs;
  const { kind } = spec.engine;
  const found: StartProblem[] = [];
  if (kind === 'docker' && dockerProblem !== null) {
    const local = !tools.missing.some((tool) => tool === 'python' || tool === 'triton');
    found.push({
      field: 'engine.kind',
      code: dockerProblem.code,
      severity: 'problem',
      message: dockerProblem.message,
      remedy: `The Environment page shows how to reach Docker.${local ? ' Or run on the local Triton.' : ''}`,
      fixes: local ? ['use-local'] : [],
    });
  }
  const wanted = neededTools(needs);
  const missing = tools.missing.filter((tool) => wanted.includes(tool));
  if (missing.length > 0) found.push(toolProblem(needs, missing, 'engine.kind'));
  else if (
    spec.performance.loadTool === 'perf_analyzer' &&
    kind !== 'docker' &&
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
