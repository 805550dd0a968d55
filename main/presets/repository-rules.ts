import { basename } from 'node:path';
import { backendsOf, engineWords, imageFamily, inContainers, isProcess } from '../contract/run/engine-kinds';
import { type DockerEngineSpec, repositoryOf, type RunSpec } from '../contract/run/run-spec';
import type { ImageNeed } from '../contract/served-repository';
import { allOf, type Found, problem, unsupported, warning } from '../domain/run/rule-finding';
import { localBackends } from '../domain/run/served-by';
import { ownConfigText, ownEdits, type RepositorySource, repositorySourceOf } from '../formats/own-config';
import { defaultRelease, releaseOf } from '../machine/releases';
import { imageNeeds } from '../triton/config/image-needs';
import { lacksGpus } from './acceleration-rules';
import { cpuImageBackends, hasRelease, imageBackends, imageWith } from './image-backends';

/** Release and tag of an image of NVIDIA's; null: nothing is known of the image. */
function imageOf({ tritonImage, release = defaultRelease }: DockerEngineSpec) {
  if (tritonImage === undefined) return { release, tag: 'py3' };
  const named = releaseOf(tritonImage);
  const [, tag] = /:\d\d\.\d\d-([\w-]*py3)(?:@|$)/.exec(tritonImage) ?? [];
  return named === null || tag === undefined ? null : { release: named, tag };
}

/** Backends that the engine's Triton has; null: not known before it is asked. */
export function backendsThere(engine: RunSpec['engine']): readonly string[] | null {
  if (isProcess(engine)) return Object.keys(localBackends);
  if (!inContainers(engine)) return null;
  const image = imageOf(engine);
  if (engine.tritonImage === undefined && imageFamily(engine) === 'cpu') return cpuImageBackends;
  if (image === null) return null;
  return imageBackends
    .filter((one) => one.tag === image.tag && hasRelease(one, image.release))
    .flatMap(({ backends }) => backends);
}

/** "the local Triton", "Triton of the image …-py3". */
function tritonText(engine: RunSpec['engine']): string {
  if (!inContainers(engine)) return 'the local Triton';
  if (engine.tritonImage !== undefined) return `the image ${engine.tritonImage}`;
  return imageFamily(engine) === 'cpu'
    ? 'the CPU image'
    : `the image of release ${engine.release ?? defaultRelease}`;
}

function backendFindings({ engine, model }: RunSpec): Found {
  const there = backendsThere(engine);
  const missing =
    there === null
      ? []
      : (repositoryOf(model)?.models ?? []).filter(({ backend }) => !there.includes(backend));
  return allOf(
    ...missing.map(({ name, backend }) => {
      const release = inContainers(engine) ? (engine.release ?? defaultRelease) : defaultRelease;
      const image = imageWith(backend, release);
      return unsupported(
        inContainers(engine) ? 'engine.tritonImage' : 'engine.kind',
        `${name} needs the backend "${backend}", which ${tritonText(engine)} does not have`,
        image === null
          ? 'Name an image that has it (--engine docker --triton-image), or measure it where it is served: perf -m MODEL -u HOST:PORT.'
          : `Use an image that has it: --engine docker --triton-image ${image}. Or measure it where it is served: perf -m MODEL -u HOST:PORT.`,
      );
    }),
  );
}

/** Of the model as the form leaves it, and of those beside it. */
function needsOf({ configure }: RunSpec, source: RepositorySource): readonly ImageNeed[] {
  const { models, config } = source.repository;
  const [own, ...others] = models;
  const isRefused = ownEdits({ configure, source }).refused.length > 0;
  const text = isRefused ? config : ownConfigText({ configure, source }).text;
  return [...imageNeeds(own?.name ?? '', text ?? ''), ...others.flatMap(({ needs = [] }) => needs)];
}

function needFindings(spec: RunSpec, source: RepositorySource): Found {
  const { engine } = spec;
  const isHere = backendsOf(engine) === 'python';
  const missing = needsOf(spec, source).filter(({ gpus }) => isHere || (gpus && lacksGpus(spec)));
  return missing.map(({ where, message, triton, gpus }) =>
    unsupported(
      inContainers(engine) ? 'engine.gpus' : 'engine.kind',
      `${where}: ${message}, and ${tritonText(engine)} ${gpus ? 'has no GPU' : 'does not have it'}${triton === null ? '' : ` (Triton: ${triton})`}`,
      `Use an image of NVIDIA’s${gpus ? ' with a GPU' : ''}: --engine docker --images ngc${gpus ? ' --gpus idlest' : ''}. Or measure it where it is served: perf -m MODEL -u HOST:PORT.`,
    ),
  );
}

function engineFinding({ engine }: RunSpec): Found {
  if (isProcess(engine) || inContainers(engine)) return null;
  return unsupported(
    'engine.kind',
    `A repository can be served only by a Triton that the workbench starts, on this machine or in containers, not with the engine "${engine.kind}" (${engineWords(engine.kind).title})`,
    'Choose the engine "local" or "docker". To measure a Triton that already serves it: perf -m MODEL -u HOST:PORT.',
  );
}

const ofFile = 'Values are random, zero, or those of a file: --input-data FILE.';

/** Rules of a repository that is served as it is; null for other models. */
export function repositoryFindings(spec: RunSpec): Found {
  const { model, configure, performance, accuracy } = spec;
  const source = repositorySourceOf(model);
  if (source === null) return null;
  const { refused } = ownEdits({ configure, source });
  const isOwn = source.repository.models[0]?.name === basename(source.path);
  return allOf(
    !isOwn &&
      problem(
        'model.source.repository.models',
        'The first model of the list is not that of the path',
        'Open the repository again.',
      ),
    engineFinding(spec),
    backendFindings(spec),
    needFindings(spec, source),
    ...refused.map(({ field, message, remedy }) => unsupported(`configure.${field}`, message, remedy)),
    accuracy.golden === undefined &&
      warning(
        'accuracy.golden',
        'Without a golden file the outputs are not checked',
        'Record those of a server that you trust with "golden record", and give the file.',
      ),
    performance.inputData === 'dataset' &&
      unsupported('performance.inputData', 'A repository has no data set', ofFile),
    model.dataset !== undefined && unsupported('model.dataset', 'A repository has no data set', ofFile),
    model.checkpoint !== undefined &&
      unsupported(
        'model.checkpoint',
        'The weights are those of the repository',
        'Put other weights into the repository, and leave the field empty.',
      ),
  );
}
