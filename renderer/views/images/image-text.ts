import type { BuiltImage, ImageInfo } from '../../../main/contract/docker';

export const builtText: Readonly<Record<BuiltImage, { readonly title: string; readonly what: string }>> = {
  'triton-cpu': { title: 'Triton, CPU', what: 'Triton Inference Server for machines without a GPU' },
  'client-cpu': { title: 'Client, CPU', what: 'Toolkit and load generators for machines without a GPU' },
  'client-gpu': { title: 'Client, GPU', what: 'Toolkit and load generators on NVIDIA’s PyTorch image' },
};

export const useText = { triton: 'Triton', client: 'Client', build: 'Build' } as const;

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
