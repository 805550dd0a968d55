import { compareVersions } from '../machine/releases';

/** Backends of a Triton image. */
interface ImageBackends {
  /** `<release>-py3` has the tag `py3`. */
  readonly tag: string;
  readonly backends: readonly string[];
  /** First and last release that has them; absent: from the oldest on, to the newest. */
  readonly from?: string;
  readonly to?: string;
}

/**
 * Which image of NVIDIA's releases has which backend. Sources: `enable_all` of build.py, docs/customization_guide/compose.md
 * and docs/introduction/compatibility.md of https://github.com/triton-inference-server/server (e1db8a6), and the release
 * notes for the last release with TensorFlow. An image of others may have any.
 */
export const imageBackends: readonly ImageBackends[] = [
  {
    tag: 'py3',
    backends: [
      ...['ensemble', 'identity', 'square', 'repeat', 'onnxruntime', 'python', 'dali', 'pytorch'],
      ...['openvino', 'fil', 'tensorrt'],
    ],
  },
  { tag: 'py3', backends: ['tensorflow'], to: '25.02' },
  { tag: 'vllm-python-py3', backends: ['vllm', 'python', 'ensemble'], from: '24.04' },
  { tag: 'trtllm-python-py3', backends: ['tensorrtllm', 'python', 'ensemble'], from: '24.04' },
];

/** Of the images that are built here. */
export const cpuImageBackends: readonly string[] = ['python', 'ensemble'];

export const hasRelease = ({ from, to }: ImageBackends, release: string): boolean =>
  (from === undefined || compareVersions(release, from) >= 0) &&
  (to === undefined || compareVersions(release, to) <= 0);

/** "nvcr.io/nvidia/tritonserver:26.07-vllm-python-py3"; null where no release has all of the backends. */
export function imageWithAll(backends: readonly string[], release: string): string | null {
  for (const tag of new Set(imageBackends.map((one) => one.tag))) {
    const having = backends.map((backend) => {
      const all = imageBackends.filter((one) => one.tag === tag && one.backends.includes(backend));
      return all.find((one) => hasRelease(one, release)) ?? all[0];
    });
    if (having.includes(undefined)) continue;
    const last = having.find((one) => one !== undefined && !hasRelease(one, release))?.to;
    return `nvcr.io/nvidia/tritonserver:${last ?? release}-${tag}`;
  }
  return null;
}

/** As {@link imageWithAll}, of one. */
export const imageWith = (backend: string, release: string): string | null =>
  imageWithAll([backend], release);
