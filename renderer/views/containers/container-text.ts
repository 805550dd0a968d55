import type { ContainerInfo, ContainerState, ContainerStats, ImageInfo } from '../../../main/contract/docker';
import type { GpuFacts } from '../../../main/contract/machine';
import { formatBytes, formatShare } from '../../../main/contract/numbers';

export const containerStateText: Readonly<Record<ContainerState, string>> = {
  created: 'Created',
  running: 'Running',
  paused: 'Paused',
  restarting: 'Restarting',
  removing: 'Removing',
  exited: 'Exited',
  dead: 'Dead',
};

const running: ReadonlySet<ContainerState> = new Set(['running', 'restarting', 'paused']);

export function sortContainers(containers: readonly ContainerInfo[]): readonly ContainerInfo[] {
  const rank = (state: ContainerState): number => (running.has(state) ? 0 : 1);
  return [...containers].sort(
    (a, b) =>
      rank(a.state) - rank(b.state) ||
      Date.parse(b.createdAt) - Date.parse(a.createdAt) ||
      a.name.localeCompare(b.name),
  );
}

/** The answer of the page: containers of this workbench. */
export function containersText(containers: readonly ContainerInfo[]): {
  readonly text: string;
  readonly tone: 'good' | 'dim';
} {
  const atWork = containers.filter(({ state }) => running.has(state)).length;
  const ended = containers.length - atWork;
  if (containers.length === 0) return { text: 'No containers of this workbench', tone: 'dim' };
  const text = `${atWork === 1 ? '1 container runs' : `${atWork} containers run`}${ended === 0 ? '' : `, ${ended} ended`}`;
  return { text, tone: atWork === 0 ? 'dim' : 'good' };
}

export interface ImageName {
  /** Without registry and folder: "triton-cpu:1". */
  readonly short: string;
  readonly full: string;
}

const shortId = (imageId: string): string => imageId.replace(/^sha256:/, '').slice(0, 12);

/** Its tag, also where the container was created by image id; else the id. */
export function imageName(
  { image, imageId }: Pick<ContainerInfo, 'image' | 'imageId'>,
  images: readonly Pick<ImageInfo, 'id' | 'tags'>[],
): ImageName {
  const tag = image.startsWith('sha256:') ? images.find(({ id }) => id === imageId)?.tags[0] : image;
  if (tag === undefined) return { short: shortId(imageId), full: imageId };
  return { short: tag.slice(tag.lastIndexOf('/') + 1), full: tag };
}

const portNames: ReadonlyMap<number, string> = new Map([
  [8000, 'HTTP'],
  [8001, 'gRPC'],
  [8002, 'metrics'],
]);
export const portText = (containerPort: number): string =>
  portNames.get(containerPort) ?? String(containerPort);

export function gpuText(asked: readonly string[], known: readonly GpuFacts[]): string {
  if (asked.length === 0) return '–';
  if (asked.includes('all')) return 'All';
  return asked
    .map((id) => {
      const gpu = known.find((one) => one.uuid === id || String(one.index) === id);
      if (gpu !== undefined) return `GPU ${gpu.index}`;
      const mig = known.find((one) => one.mig.devices.some((device) => device.uuid === id));
      return mig === undefined ? id : `MIG on GPU ${mig.index}`;
    })
    .join(', ');
}

type Stats = ContainerStats | undefined;

/** "138.2 %" of one processor; a dash where the engine does not say. */
export function cpuText(stats: Stats): string {
  const percent = stats?.cpuPercent ?? null;
  return formatShare(percent === null ? null : percent / 100);
}

export const memoryText = (stats: Stats): string => formatBytes(stats?.memoryBytes);

export function memoryLimitText(stats: Stats): string | null {
  const bytes = stats?.memoryLimitBytes ?? null;
  return bytes === null ? null : `of ${formatBytes(bytes)}`;
}

/** Exit code of a container that has ended, from Docker's own words ("Exited (137) 5 seconds ago"); null before. */
export function exitCode(container: Pick<ContainerInfo, 'state' | 'status'>): number | null {
  const code = /^Exited \((\d+)\)/.exec(container.status)?.[1];
  return code === undefined || container.state !== 'exited' ? null : Number(code);
}

export function whyNot(
  action: 'start' | 'stop' | 'restart' | 'remove',
  state: ContainerState,
  connected: boolean,
): string | null {
  if (!connected) return 'Docker is unreachable';
  if (state === 'removing') return 'The container is being removed';
  if (action === 'start' && running.has(state)) return 'The container is already running';
  if (action === 'stop' && !running.has(state)) return 'The container is not running';
  if (action === 'restart' && state === 'created') return 'The container has never run';
  return null;
}
