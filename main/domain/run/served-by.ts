import type { Environment } from '../../contract/measured/results';
import { backendsOf, enginePlace, inContainers } from '../../contract/run/engine-kinds';
import { formatFacts } from '../../contract/run/model-formats';
import { bySource, isDeployed } from '../../contract/run/run-source';
import type { RunSpec } from '../../contract/run/run-spec';
import type { RunState } from '../../contract/run/run-state';
import { measuredServer } from '../../contract/run/server-load';

/** Runtime of a model file in Triton's Python backend, and the Python package with its version. */
const runtimes = {
  onnxruntime: { title: 'ONNX Runtime', package: 'onnxruntime' },
  pytorch: { title: 'PyTorch', package: 'torch' },
  tensorflow: { title: 'TensorFlow', package: 'tensorflow-cpu' },
  tensorrt: { title: 'TensorRT', package: 'tensorrt' },
} as const;

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

/** The wheel and CPU images have only the Python backend, whose figures are not those of NVIDIA's images. */
export function servedBy(
  { engine, format, configure }: Pick<RunSpec, 'engine' | 'format' | 'configure'>,
  packages: Environment['packages'] = {},
): ServedBy {
  const { backend } = formatFacts[format];
  const edited = configure.configPatch['backend'];
  const place = enginePlace(engine);
  if (typeof edited === 'string' || backendsOf(engine) === 'all') {
    const name = typeof edited === 'string' ? edited : backend;
    return { short: `${name} backend`, backend: `Triton’s ${name} backend`, place, insteadOf: null };
  }
  const { title, package: from } = runtimes[backend];
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
  const { tritonVersion: version, packages } = state.environment;
  const triton = version === null ? [] : [version.startsWith('Triton') ? version : `Triton ${version}`];
  return bySource(state.source, {
    imported: () => null,
    server: (load) => `${triton[0] ?? 'Triton'} at ${measuredServer(load)}`,
    deployed: (spec) => {
      const { backend, place } = servedBy(spec, packages);
      return [backend, ...triton, place].join(', ');
    },
  });
}

/** Notes that the figures are another backend's; null for Triton's own backend. */
export function standInText(state: RunState): string | null {
  const served = servedByOf(state);
  if (served === null || served.insteadOf === null) return null;
  return `The model is served by ${served.backend}: the figures are not those of Triton’s ${served.insteadOf} backend.`;
}
