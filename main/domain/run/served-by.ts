import type { Environment } from '../../contract/measured/results';
import { backendsOf, enginePlace, inContainers, isProcess } from '../../contract/run/engine-kinds';
import { formatFacts } from '../../contract/run/model-formats';
import { bySource, isDeployed } from '../../contract/run/run-source';
import { repositoryOf, type RunSpec, type ServedRepository } from '../../contract/run/run-spec';
import type { RunState } from '../../contract/run/run-state';
import { measuredServer } from '../../contract/run/server-load';
import { serverTitle } from './server-title';

/** Runtime of a model file in Triton's Python backend, and the Python package with its version. */
const runtimes = {
  onnxruntime: { title: 'ONNX Runtime', package: 'onnxruntime' },
  pytorch: { title: 'PyTorch', package: 'torch' },
  tensorflow: { title: 'TensorFlow', package: 'tensorflow-cpu' },
  tensorrt: { title: 'TensorRT', package: 'tensorrt' },
} as const;

/** What executes the models of a backend in the local Triton; absent: it lacks the backend. */
export const localBackends: Readonly<Record<string, string>> = {
  python: 'Triton’s Python backend',
  ensemble: 'Triton’s ensemble scheduler',
  onnxruntime: 'ONNX Runtime in Triton’s Python backend',
  pytorch: 'PyTorch in Triton’s Python backend',
  tensorflow: 'TensorFlow in Triton’s Python backend',
};

interface ServedBy {
  /** For lists: "Python backend", "onnxruntime backend". */
  readonly short: string;
  /** "ONNX Runtime 1.23.2 in Triton’s Python backend", "Triton’s onnxruntime backend". */
  readonly backend: string;
  /** "on this machine, CPU", "in a container on gpu1". */
  readonly place: string;
  /** Backend of other Tritons for such a file, where it differs: "onnxruntime". */
  readonly insteadOf: string | null;
}

/** Backends whose models the Python backend executes in place of Triton's own. */
const isStandIn = (backend: string): boolean => Object.hasOwn(runtimes, backend);

/** Of each backend in the repository once, in its order: "Triton’s ensemble scheduler, ONNX Runtime in Triton’s Python backend". */
function servedRepository(engine: RunSpec['engine'], { models }: ServedRepository): ServedBy {
  const backends = [...new Set(models.map(({ backend }) => backend))];
  const place = enginePlace(engine);
  const own = (backend: string) =>
    backend === 'ensemble' ? 'Triton’s ensemble scheduler' : `Triton’s ${backend} backend`;
  if (!isProcess(engine)) {
    return { short: backends.join(', '), backend: backends.map(own).join(', '), place, insteadOf: null };
  }
  const replaced = backends.filter(isStandIn);
  return {
    short: backends.join(', '),
    backend: backends.map((backend) => localBackends[backend] ?? own(backend)).join(', '),
    place: `${place}, CPU`,
    insteadOf: replaced.length === 0 ? null : replaced.join(' and '),
  };
}

/** The wheel and CPU images have only the Python backend, whose figures are not those of NVIDIA's images. */
export function servedBy(
  { engine, format, configure, model }: Pick<RunSpec, 'engine' | 'format' | 'configure' | 'model'>,
  packages: Environment['packages'] = {},
): ServedBy {
  const repository = repositoryOf(model);
  if (repository !== null) return servedRepository(engine, repository);
  const { backend } = formatFacts[format];
  const edited = configure.configPatch['backend'];
  const place = enginePlace(engine);
  if (typeof edited === 'string' || backendsOf(engine) === 'all') {
    const name = typeof edited === 'string' ? edited : backend;
    return { short: `${name} backend`, backend: `Triton’s ${name} backend`, place, insteadOf: null };
  }
  const { title, package: from } = runtimes[backend === '' ? 'onnxruntime' : backend];
  // Images have their own packages.
  const version = inContainers(engine) ? undefined : packages[from];
  return {
    short: 'Python backend',
    backend: `${title}${version === undefined ? '' : ` ${version}`} in Triton’s Python backend`,
    place: `${place}, CPU`,
    insteadOf: backend,
  };
}

/** null of an imported run and of a measured server. */
export const servedByOf = (state: RunState): ServedBy | null =>
  isDeployed(state) ? servedBy(state.source.spec, state.environment.packages) : null;

/** "ONNX Runtime 1.23.2 in Triton’s Python backend, Triton 2.51.0, on this machine, CPU"; null of an imported run. */
export function servedByText(state: RunState): string | null {
  const title = serverTitle(state.environment);
  return bySource(state.source, {
    imported: () => null,
    server: (load) => `${title ?? 'Triton'} at ${measuredServer(load)}`,
    deployed: (spec) => {
      const { backend, place } = servedBy(spec, state.environment.packages);
      return [backend, ...(title === null ? [] : [title]), place].join(', ');
    },
  });
}

/** Notes that the figures are another backend's; null for Triton's own backend. */
export function standInText(state: RunState): string | null {
  const served = servedByOf(state);
  if (served === null || served.insteadOf === null) return null;
  return `The model is served by ${served.backend}: the figures are not those of Triton’s ${served.insteadOf} backend.`;
}
