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
  /** Typical values of x86-64 with the CPU build of PyTorch; the download is 0 where it comes with what is needed. */
  readonly downloadBytes: number;
  readonly unpackedBytes: number;
  /** On a connection of 100 Mbit/s. */
  readonly typicalSeconds: number;
}

const MB = 1_000_000;

export const componentFacts: Readonly<Record<ComponentId, ComponentFacts>> = {
  python: {
    title: 'Python environment',
    use: 'PyTorch, ONNX Runtime and the Triton client: export, conversion and accuracy checks.',
    needs: [],
    required: true,
    downloadBytes: 320 * MB,
    unpackedBytes: 1300 * MB,
    typicalSeconds: 60,
  },
  triton: {
    title: 'Triton Inference Server',
    use: 'Serves models on this machine without Docker.',
    needs: ['python'],
    required: true,
    downloadBytes: 0,
    unpackedBytes: 3 * MB,
    typicalSeconds: 2,
  },
  'perf-analyzer': {
    title: 'perf_analyzer',
    use: 'NVIDIA’s load generator, an alternative to the native one.',
    needs: ['python'],
    required: true,
    downloadBytes: 14 * MB,
    unpackedBytes: 20 * MB,
    typicalSeconds: 5,
  },
  tensorflow: {
    title: 'TensorFlow',
    use: 'TensorFlow models only; otherwise installed by the first run that needs it.',
    needs: ['python'],
    required: false,
    downloadBytes: 400 * MB,
    unpackedBytes: 1900 * MB,
    typicalSeconds: 90,
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
}

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

/** "download 320 MB, 1.3 GB on disk, about 1 min": what installing it takes. Pure. */
export function costText(id: ComponentId): string {
  const { downloadBytes, unpackedBytes, typicalSeconds } = componentFacts[id];
  const download = downloadBytes === 0 ? 'no download' : `download ${formatBytes(downloadBytes)}`;
  const time = typicalSeconds < 60 ? `${typicalSeconds} s` : `${Math.ceil(typicalSeconds / 60)} min`;
  return `${download}, ${formatBytes(unpackedBytes)} on disk, about ${time}`;
}
