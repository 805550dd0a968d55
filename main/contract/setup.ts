import { z } from 'zod';
import type { WireError } from './errors';
import { formatBytes } from './numbers';

/** Environments that only some models need; the first run that needs one installs it. */
export const onDemandIds = ['tensorflow', 'transformers', 'trees'] as const;
export type OnDemandId = (typeof onDemandIds)[number];

export const componentIds = ['python', 'triton', 'perf-analyzer', ...onDemandIds] as const;
export type ComponentId = (typeof componentIds)[number];

export const componentsSchema = z.strictObject({
  components: z.array(z.enum(componentIds)).min(1).max(componentIds.length),
});

interface ComponentFacts {
  readonly title: string;
  readonly use: string;
  readonly needs: readonly ComponentId[];
  /** Required by the local engine; others are installed by the first run that needs them. */
  readonly required: boolean;
  /** Typical of x86-64; Python with the CPU build of PyTorch. */
  readonly cost: Cost;
  /** Where only the CUDA build of PyTorch from PyPI is available. */
  readonly mostCost?: Cost;
}

interface Cost {
  /** 0 where it comes with a prerequisite. */
  readonly downloadBytes: number;
  readonly unpackedBytes: number;
  /** At 100 Mbit/s. */
  readonly seconds: number;
}

const MB = 1_000_000;

export const componentFacts: Readonly<Record<ComponentId, ComponentFacts>> = {
  python: {
    title: 'Python environment',
    use: 'PyTorch, ONNX Runtime and the Triton client: export, conversion and accuracy checks.',
    needs: [],
    required: true,
    cost: { downloadBytes: 320 * MB, unpackedBytes: 1300 * MB, seconds: 60 },
    mostCost: { downloadBytes: 2900 * MB, unpackedBytes: 5400 * MB, seconds: 300 },
  },
  triton: {
    title: 'Triton Inference Server',
    use: 'Serves models on this machine without Docker.',
    needs: ['python'],
    required: true,
    cost: { downloadBytes: 0, unpackedBytes: 3 * MB, seconds: 2 },
  },
  'perf-analyzer': {
    title: 'perf_analyzer',
    use: 'NVIDIA’s alternative to the built-in load generator.',
    needs: ['python'],
    required: true,
    cost: { downloadBytes: 14 * MB, unpackedBytes: 20 * MB, seconds: 5 },
  },
  tensorflow: {
    title: 'TensorFlow',
    use: 'TensorFlow models only; otherwise installed by the first run that needs it.',
    needs: ['python'],
    required: false,
    cost: { downloadBytes: 400 * MB, unpackedBytes: 1900 * MB, seconds: 90 },
  },
  transformers: {
    title: 'Transformers',
    use: 'Hugging Face folders only; otherwise installed by the first run that needs it.',
    needs: ['python'],
    required: false,
    cost: { downloadBytes: 30 * MB, unpackedBytes: 120 * MB, seconds: 10 },
  },
  trees: {
    title: 'XGBoost, LightGBM and scikit-learn',
    use: 'Tree models and pipelines of scikit-learn only; otherwise installed by the first run that needs it.',
    needs: ['python'],
    required: false,
    cost: { downloadBytes: 60 * MB, unpackedBytes: 240 * MB, seconds: 15 },
  },
};

/** `outdated`: made for other pinned versions; `broken`: incomplete, or its base is gone. */
type ComponentState = 'ready' | 'missing' | 'outdated' | 'broken';

export interface ComponentStatus {
  readonly id: ComponentId;
  readonly state: ComponentState;
  /** Installed version; null if none or unknown. */
  readonly version: string | null;
  /** Size on disk at installation; null if unknown. */
  readonly bytes: number | null;
  /** Difference from what this version uses, in a sentence. */
  readonly outdated?: string;
}

/** A dependent component is updated with its base. */
export const updateText = ({ id }: Pick<ComponentStatus, 'id'>, all: readonly ComponentStatus[]): string => {
  const base = all.find((other) => componentFacts[id].needs.includes(other.id) && other.state === 'outdated');
  return base === undefined ? 'Update it' : `It is updated with the ${componentFacts[base.id].title}`;
};

export type SetupAction = 'install' | 'repair' | 'remove';

export interface SetupWork {
  readonly action: SetupAction;
  readonly status: 'running' | 'done' | 'failed' | 'cancelled';
  /** Components to change, in order. */
  readonly components: readonly ComponentId[];
  /** null before the first and after the last. */
  readonly component: ComponentId | null;
  /** Of that component, 0 to 1; null if unknown. */
  readonly fraction: number | null;
  readonly text: string;
  /** Last lines of the installer, oldest first. */
  readonly lines: readonly string[];
  readonly error: WireError | null;
}

/** `asked` with prerequisites, in order of need, without those that `isReady`. */
export function inOrderOfNeed(
  asked: readonly ComponentId[],
  isReady: (id: ComponentId) => boolean,
): readonly ComponentId[] {
  const wanted = new Set<ComponentId>();
  const add = (id: ComponentId) => {
    wanted.add(id);
    componentFacts[id].needs.forEach(add);
  };
  asked.forEach(add);
  return componentIds.filter((id) => wanted.has(id) && !isReady(id));
}

/** `asked` with its dependents, which do not work without it, last first. */
export function withDependents(asked: readonly ComponentId[]): readonly ComponentId[] {
  const wanted = new Set<ComponentId>(asked);
  for (const id of componentIds)
    if (componentFacts[id].needs.some((need) => wanted.has(need))) wanted.add(id);
  return componentIds.filter((id) => wanted.has(id)).reverse();
}

const timeText = (seconds: number): string =>
  seconds < 60 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;

/** "download 13.4 MiB, 19.1 MiB on disk, about 5 s". */
export function costText(id: ComponentId): string {
  const { cost, mostCost = cost } = componentFacts[id];
  const range = (text: (of: Cost) => string) =>
    text(cost) === text(mostCost) ? text(cost) : `${text(cost)} to ${text(mostCost)}`;
  const download = range(({ downloadBytes }) => formatBytes(downloadBytes));
  const time = range(({ seconds }) => timeText(seconds));
  return [
    cost.downloadBytes === 0 ? 'no download' : `download ${download}`,
    `${range(({ unpackedBytes }) => formatBytes(unpackedBytes))} on disk`,
    `about ${time}${mostCost === cost ? '' : ' (more where PyTorch comes with CUDA)'}`,
  ].join(', ');
}
