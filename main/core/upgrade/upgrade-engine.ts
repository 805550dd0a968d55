import { invalidInput, WorkbenchError } from '../../contract/errors';
import { imageFamily, inContainers, isProcess } from '../../contract/run/engine-kinds';
import type { RunSpec } from '../../contract/run/run-spec';
import type { DeployedRun } from '../../contract/run/run-state';
import type { UpgradeSide, UpgradeTarget } from '../../contract/study/upgrade';

type EngineSpec = RunSpec['engine'];

/** Two servers at once, each on ports that are free. */
function withoutPorts(engine: EngineSpec): EngineSpec {
  if (!isProcess(engine) && !inContainers(engine)) return engine;
  return { ...engine, httpPort: undefined, grpcPort: undefined };
}

function inEnvironment(engine: EngineSpec, environment: string): EngineSpec {
  if (isProcess(engine)) return { ...engine, environment };
  throw invalidInput(
    '--to',
    'The run is served in containers, which a folder cannot replace',
    'Give a release, for example 26.07, or an image.',
  );
}

function inImage(engine: EngineSpec, target: Exclude<UpgradeTarget, { environment: string }>): EngineSpec {
  if (!inContainers(engine)) {
    throw invalidInput(
      '--to',
      'The run is served by the local Triton, which has no release or image',
      'Give the folder of another Triton, or of a Python environment.',
    );
  }
  if ('image' in target) return { ...engine, tritonImage: target.image };
  if (imageFamily(engine) === 'cpu') {
    throw invalidInput(
      '--to',
      'The run is served by an image that is built here, which has no release',
      'Give an image.',
    );
  }
  return { ...engine, tritonImage: undefined, release: target.release };
}

/** The engine of a run with another serving environment. Throws input-invalid. Pure. */
export function engineWith(engine: EngineSpec, target: UpgradeTarget | undefined): EngineSpec {
  const own = withoutPorts(engine);
  if (target === undefined) return own;
  return 'environment' in target ? inEnvironment(own, target.environment) : inImage(own, target);
}

/** "release 26.04", "the local Triton". Pure. */
export function environmentText(engine: EngineSpec): string {
  if (isProcess(engine)) return engine.environment ?? 'the local Triton';
  if (!inContainers(engine))
    throw new WorkbenchError('internal', 'This engine has no serving environment to upgrade');
  const { tritonImage, release } = engine;
  if (tritonImage !== undefined) return tritonImage;
  if (imageFamily(engine) === 'cpu') return 'the CPU image';
  return release === undefined ? 'the image of the run' : `release ${release}`;
}

/** The run as one of the sides serves it. Throws input-invalid. Pure. */
export function runOn(run: DeployedRun, { target }: UpgradeSide): DeployedRun {
  const { spec } = run.source;
  return { ...run, source: { ...run.source, spec: { ...spec, engine: engineWith(spec.engine, target) } } };
}
