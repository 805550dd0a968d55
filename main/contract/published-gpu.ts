/** GPUs that the five published documents have figures and defaults of, oldest first. */
export const publishedGpus = ['V100', 'T4', 'A100', 'A40', 'A30'] as const;
export type PublishedGpu = (typeof publishedGpus)[number];

/**
 * The published GPU that a device of this name is ("Tesla V100-SXM2-32GB", "NVIDIA A30"); null for every other one, and
 * for a slice of one (MIG), of which nothing is published.
 */
export function publishedGpuOf(name: string): PublishedGpu | null {
  const words = name.split(/[^A-Za-z0-9]+/);
  if (words.includes('MIG')) return null;
  return publishedGpus.find((gpu) => words.includes(gpu)) ?? null;
}
