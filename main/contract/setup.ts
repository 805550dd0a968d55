import { z } from 'zod';
import type { WireError } from './errors';
import { formatBytes } from './numbers';

/** What the set-up installs into the workbench home, in the order of need. */
export const componentIds = ['python', 'triton', 'perf-analyzer', 'tensorflow'] as const;
export type ComponentId = (typeof componentIds)[number];

/** Some of them, at least one. */
export const componentsSchema = z.strictObject({
  components: z.array(z.enum(componentIds)).min(1).max(componentIds.length),
});

/** What a component is, and what its installation costs. */
interface ComponentFacts {
  readonly title: string;
  /** What it is for. */
  readonly use: string;
  /** Components that must be there first. */
  readonly needs: readonly ComponentId[];
  /** What a run on the local engine needs; the other is installed by the first run that needs it. */
  readonly required: boolean;
  /** Typical of x86-64; of Python with the CPU build of PyTorch. */
  readonly cost: Cost;
  /** Where only a larger build can be had: PyTorch with CUDA, which is the one of PyPI. */
  readonly mostCost?: Cost;
}

interface Cost {
  /** 0 where it comes with what is needed. */
  readonly downloadBytes: number;
  readonly unpackedBytes: number;
  /** On a connection of 100 Mbit/s. */
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
};

/** `outdated`: made for other pinned versions; `broken`: incomplete, or what it was made from is gone. */
type ComponentState = 'ready' | 'missing' | 'outdated' | 'broken';

export interface ComponentStatus {
  readonly id: ComponentId;
  readonly state: ComponentState;
  /** Of what is installed; null where nothing is, or nothing says it. */
  readonly version: string | null;
  /** Size on disk, measured when it was installed; null where that is not known. */
  readonly bytes: number | null;
  /** What is other than this version of the workbench uses, in a sentence; of what is outdated. */
  readonly outdated?: string;
}

/** What to do about it: what was made from something else follows that. Pure. */
export const updateText = ({ id }: Pick<ComponentStatus, 'id'>, all: readonly ComponentStatus[]): string => {
  const base = all.find((other) => componentFacts[id].needs.includes(other.id) && other.state === 'outdated');
  return base === undefined ? 'Update it' : `It is updated with the ${componentFacts[base.id].title}`;
};

export type SetupAction = 'install' | 'repair' | 'remove';

/** What the set-up is doing, or did last. */
export interface SetupWork {
  readonly action: SetupAction;
  readonly status: 'running' | 'done' | 'failed' | 'cancelled';
  /** Everything that this work is to change, in its order. */
  readonly components: readonly ComponentId[];
  /** The one it is at; null before the first and after the last. */
  readonly component: ComponentId | null;
  /** Of that component, 0 to 1; null where it is not known. */
  readonly fraction: number | null;
  readonly text: string;
  /** The last lines of the installer, oldest first. */
  readonly lines: readonly string[];
  readonly error: WireError | null;
}

/** `asked` with what it needs, in the order of need; what `isReady` says is there already is left out. Pure. */
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

/** `asked` with all that was made from it, the last first: removed with it, as it does not work without it. Pure. */
export function withDependents(asked: readonly ComponentId[]): readonly ComponentId[] {
  const wanted = new Set<ComponentId>(asked);
  for (const id of componentIds)
    if (componentFacts[id].needs.some((need) => wanted.has(need))) wanted.add(id);
  return componentIds.filter((id) => wanted.has(id)).reverse();
}

const timeText = (seconds: number): string =>
  seconds < 60 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;

/** "download 13.4 MiB, 19.1 MiB on disk, about 5 s": what installing it takes. Pure. */
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
