import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { DockerEngineSpec, Format } from '../../../../main/contract/run/run-spec';
import type { DockerLink } from '../../../../main/docker/docker-link';
import { preflightPlan } from '../../../../main/engine/docker/run-preflight';
import { ngcRegistry } from '../../../../main/machine/releases';

const absent = { reachable: false, host: '', reason: 'absent', message: '' } as const;
/** Nothing is asked of an engine that is not there. */
const link = { connect: () => Promise.reject(new Error('asked')) } as unknown as DockerLink;
const resources = join(process.cwd(), 'resources');
const engine = (images: 'cpu' | 'ngc'): DockerEngineSpec => ({
  kind: 'docker',
  images,
  gpus: [],
  shmSizeMiB: 64,
});

it.each([
  ['ngc', 'tf-savedmodel', true],
  ['ngc', 'onnx', false],
  ['ngc', null, false],
  ['cpu', 'tf-savedmodel', false],
] as const)(
  "of %s images serving %s needs Triton's TensorFlow backend: %s",
  async (images, format, needs) => {
    const plan = await preflightPlan(engine(images), { resources, registry: ngcRegistry, link }, absent, {
      format,
    });
    expect(plan).toMatchObject({ images, format, usesTensorFlow: needs, tensorRtPlan: null });
  },
);

it('names the image for the CPU that has the TensorFlow of that format', async () => {
  const image = async (format: Format) =>
    (await preflightPlan(engine('cpu'), { resources, registry: ngcRegistry, link }, absent, { format }))
      .tritonImage;
  expect(await image('tf-savedmodel')).not.toBe(await image('onnx'));
});

it('knows the release of the image of a mirror, and names that image', async () => {
  const registry = 'registry.example.com/nvidia';
  const plan = await preflightPlan(engine('ngc'), { resources, registry, link }, absent, { format: 'onnx' });
  expect(plan.tritonImage).toBe(`${registry}/tritonserver:${String(plan.release)}-py3`);
  expect(plan.release).toMatch(/^\d\d\.\d\d$/);
});
