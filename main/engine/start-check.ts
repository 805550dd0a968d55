import { WorkbenchError } from '../contract/errors';
import type { DockerFacts } from '../contract/machine';
import type { RunSpec } from '../contract/run-spec';
import type { StartProblem } from '../contract/spec-tools';
import type { ToolFacts } from '../contract/tools';
import type { DockerLink } from '../docker/docker-link';
import { imageIsThere } from '../docker/images/prepare-image';
import { formatOf } from '../formats/formats';
import { remoteHost } from '../machine/preflight-docker';
import type { ModelConfig } from '../triton/model-config';
import { wantedImages } from './docker/run-images';
import type { PortCheckOptions } from './port-check';
import { portProblems } from './port-check';
import { remoteProblems } from './remote/remote-check';
import { toolProblems } from './tool-check';

export interface StartCheckOptions extends PortCheckOptions {
  /** `resources` of the product. */
  readonly resources: string;
  readonly docker: DockerLink;
  readonly tools: () => Promise<ToolFacts>;
}

/** An image that is built here and not there yet. */
async function buildsImages(spec: RunSpec, { docker, resources }: StartCheckOptions): Promise<boolean> {
  const { engine, format } = spec;
  if (engine.kind !== 'docker') return false;
  const framework = formatOf(format).shimFramework ?? 'pyt';
  const wanted = await wantedImages(engine, resources, { framework, format });
  const client = await docker.connect();
  const built = Object.values(wanted).filter(({ recipe }) => recipe !== null);
  const there = await Promise.all(built.map(({ reference }) => imageIsThere(client, reference)));
  return there.includes(false);
}

function dockerProblemOf(docker: DockerFacts | null) {
  if (docker === null || docker.reachable) return null;
  return {
    code: docker.reason === 'permission' ? ('docker-permission' as const) : ('docker-unreachable' as const),
    message: `Docker cannot be used: ${docker.message}`,
  };
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
  const docker = engine.kind === 'docker' || tools.missing.length > 0 ? await options.docker.facts() : null;
  const builds = docker?.reachable === true && (await buildsImages(spec, options).catch(() => false));
  const found = [
    ...toolProblems({ spec, tools, dockerProblem: dockerProblemOf(docker), buildsImages: builds }),
  ];
  // The ports of an engine on another machine are taken there.
  if (
    engine.kind === 'local' ||
    (docker !== null && engine.kind === 'docker' && remoteHost(docker) === null)
  ) {
    found.push(...(await portProblems(spec, options)));
  }
  if (engine.kind === 'remote') found.push(...(await remoteProblems(spec, engine, config)));
  return found;
}

/** Throws the first problem, as the error that the run would otherwise have ended with. */
export function refuseStart(problems: readonly StartProblem[], { engine }: RunSpec): void {
  const first = problems.find(({ severity }) => severity === 'problem');
  if (first === undefined) return;
  const port =
    engine.kind === 'remote'
      ? undefined
      : first.field === 'engine.httpPort'
        ? engine.httpPort
        : engine.grpcPort;
  const where = first.code === 'port-taken' ? `127.0.0.1:${port ?? ''}` : first.field;
  throw new WorkbenchError(first.code, first.message, {
    where,
    // The tools are installed by a button in the window and by a command elsewhere: the code's own remedies say so.
    remedy: first.code === 'toolchain-missing' ? undefined : (first.remedy ?? undefined),
  });
}
