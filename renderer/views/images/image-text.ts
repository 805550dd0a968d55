import type { BuiltImage, ImageInfo } from '../../../main/contract/docker';
import { formatBytes } from '../../../main/contract/numbers';

export const builtText: Readonly<Record<BuiltImage, { readonly title: string; readonly what: string }>> = {
  'triton-cpu': { title: 'Triton, CPU', what: 'Triton Inference Server for machines without a GPU' },
  'client-cpu': { title: 'Client, CPU', what: 'Toolkit and load generators for machines without a GPU' },
  'client-gpu': { title: 'Client, GPU', what: 'Toolkit and load generators on NVIDIA’s PyTorch image' },
};

export const useText = { triton: 'Triton', client: 'Client', build: 'Build' } as const;

/** The answer of the images: those of the workbench, and the disk space that they take. */
export function imagesText(images: readonly Pick<ImageInfo, 'use' | 'sizeBytes'>[]): {
  readonly text: string;
  readonly tone: 'good' | 'dim';
} {
  const own = images.filter(({ use }) => use !== null);
  const served = own.filter(({ use }) => use !== 'build').length;
  const bytes = own.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const layers = own.length === served ? '' : ' with the layers of builds';
  const size = bytes === 0 ? '' : ` (${formatBytes(bytes)}${layers})`;
  if (served === 0) return { text: `No Triton and client images${size}`, tone: 'dim' };
  return {
    text: `${served === 1 ? '1 Triton or client image' : `${served} Triton and client images`}${size}`,
    tone: 'good',
  };
}

export function digestOf(image: ImageInfo): { readonly short: string; readonly full: string } {
  const full = image.digests[0] ?? image.id;
  const hex = /sha256:([0-9a-f]+)/.exec(full)?.[1] ?? full;
  return { short: hex.slice(0, 12), full };
}

export function sortImages(images: readonly ImageInfo[]): readonly ImageInfo[] {
  return [...images].sort((a, b) => {
    const [left, right] = [a.tags[0], b.tags[0]];
    if (left !== undefined && right !== undefined && left !== right) return left.localeCompare(right);
    if ((left === undefined) !== (right === undefined)) return left === undefined ? 1 : -1;
    return Date.parse(b.createdAt) - Date.parse(a.createdAt);
  });
}

export function whyKept(image: ImageInfo, connected: boolean): string | null {
  if (!connected) return 'Docker is unreachable';
  if (image.containerCount === 0) return null;
  return image.containerCount === 1
    ? 'Used by a container; remove the container first'
    : `Used by ${image.containerCount} containers; remove them first`;
}
