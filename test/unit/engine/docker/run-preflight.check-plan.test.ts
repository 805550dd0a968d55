import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkPlan } from '../../../../main/engine/docker/run-preflight';
import type { PreflightPlan } from '../../../../main/machine/preflight-docker';

const plan: PreflightPlan = {
  images: 'ngc',
  tritonImage: 'nvcr.io/nvidia/tritonserver:24.02-py3',
  release: '24.02',
  buildsClient: true,
  gpuIds: ['all'],
  shmSizeMiB: 1024,
  requestedPorts: [],
  format: 'trt',
  usesTensorFlow: false,
  tensorRtPlan: { tensorrtVersion: '10.9.0', computeCapability: '8.0' },
  imageBytesNeeded: 0,
};
// A path without nvidia-smi: no GPU is known, whatever this machine has.
const input = {
  env: { PATH: '/nonexistent' },
  resources: join(process.cwd(), 'resources'),
  docker: { reachable: false, host: '', reason: 'absent', message: '' },
} as const;

describe('checkPlan', () => {
  it('refuses a plan of another TensorRT than the release has, and says how to build it', async () => {
    const found = await checkPlan({ ...input, plan });
    expect(found.status).toBe('problem');
    expect(found.finding).toContain('built with TensorRT 10.9.0 for compute capability 8.0; release 24.02');
    expect(found.remedy).toContain('trtexec');
  });

  it('refuses any plan on the images for the CPU', async () => {
    const found = await checkPlan({ ...input, plan: { ...plan, images: 'cpu' } });
    expect(found).toMatchObject({ status: 'problem' });
  });

  it('says what it cannot know', async () => {
    const found = await checkPlan({ ...input, plan: { ...plan, release: '26.02' } });
    expect(found.status).toBe('warning');
    expect(found.finding).toContain(
      'Unknown: the exact TensorRT version of the image, the compute capability of the GPU',
    );
  });
});
