/** GPUs of the five published documents, oldest first. */
export const publishedGpus = ['V100', 'T4', 'A100', 'A40', 'A30'] as const;
export type PublishedGpu = (typeof publishedGpus)[number];

/** "Tesla V100-SXM2-32GB", "NVIDIA A30"; null for others and for MIG slices, which are not published. */
export function publishedGpuOf(name: string): PublishedGpu | null {
  const words = name.split(/[^A-Za-z0-9]+/);
  if (words.includes('MIG')) return null;
  return publishedGpus.find((gpu) => words.includes(gpu)) ?? null;
}
