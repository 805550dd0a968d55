import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DockerEngineSpec, Format } from '../../../../main/contract/run/run-spec';
import { buildArgsOf, wantedImages } from '../../../../main/engine/docker/run-images';
import { ngcRegistry } from '../../../../main/machine/releases';
import { repository } from '../../../support/home';

const resources = join(repository, 'resources');
const spec = (more: Partial<DockerEngineSpec>): DockerEngineSpec => ({
  kind: 'docker',
  gpus: [],
  shmSizeMiB: 1024,
  ...more,
});
const wanted = (more: Partial<DockerEngineSpec>) =>
  wantedImages(spec(more), { resources, registry: ngcRegistry });

describe('the images of a run', () => {
  it("with GPUs are NVIDIA's of the release, and a client built on them", async () => {
    const { triton, client } = await wanted({ gpus: ['all'], release: '26.07' });
    expect(triton).toEqual({
      role: 'triton',
      reference: 'nvcr.io/nvidia/tritonserver:26.07-py3',
      recipe: null,
    });
    expect(client.reference).toMatch(/^triton-workbench\/client-gpu:[0-9a-f]{12}$/);
    expect(client.recipe?.image).toBe('client-gpu');
    expect(client.recipe?.buildArgs).toEqual({
      PYTORCH_IMAGE: 'nvcr.io/nvidia/pytorch:26.07-py3',
      SDK_IMAGE: 'nvcr.io/nvidia/tritonserver:26.07-py3-sdk',
    });
  });

  it('of another release are others', async () => {
    const newer = await wanted({ images: 'ngc', release: '26.07' });
    const older = await wanted({ images: 'ngc', release: '25.02' });
    expect(older.triton.reference).toBe('nvcr.io/nvidia/tritonserver:25.02-py3');
    expect(older.client.recipe?.buildArgs['PYTORCH_IMAGE']).toBe('nvcr.io/nvidia/pytorch:25.02-py3');
    expect(older.client.reference).not.toBe(newer.client.reference);
  });

  it('without GPUs are built here from nothing of NVIDIA', async () => {
    const { triton, client } = await wanted({});
    expect(triton.reference).toMatch(/^triton-workbench\/triton-cpu:[0-9a-f]{12}$/);
    expect(client.reference).toMatch(/^triton-workbench\/client-cpu:[0-9a-f]{12}$/);
    expect([triton.recipe?.buildArgs, client.recipe?.buildArgs]).toEqual([{}, {}]);
  });

  it('of a TensorFlow model have its environment: the client always, Triton where it runs the model', async () => {
    const plain = await wanted({});
    const of = (format: Format) =>
      wantedImages(spec({}), { resources, registry: ngcRegistry }, { framework: 'tf', format });
    const [saved, onnx] = [await of('tf-savedmodel'), await of('onnx')];
    expect(saved.client.recipe?.buildArgs).toEqual({ FRAMEWORK: 'tf' });
    expect(saved.client.recipe?.files.map(({ name }) => name)).toContain(
      'requirements/locked/tensorflow.txt',
    );
    expect(saved.client.reference).not.toBe(plain.client.reference);
    expect(saved.triton.recipe?.buildArgs).toEqual({ FRAMEWORK: 'tf' });
    expect(onnx.client.reference).toBe(saved.client.reference);
    expect(onnx.triton.reference).toBe(plain.triton.reference);
  });

  it('of NVIDIA are from the mirror that is set, the bases of the client too', async () => {
    const registry = 'registry.example.com:5000/mirror';
    const engine = spec({ gpus: ['all'], release: '26.07' });
    const { triton, client } = await wantedImages(engine, { resources, registry });
    expect(triton.reference).toBe('registry.example.com:5000/mirror/tritonserver:26.07-py3');
    expect(client.recipe?.buildArgs).toEqual({
      PYTORCH_IMAGE: 'registry.example.com:5000/mirror/pytorch:26.07-py3',
      SDK_IMAGE: 'registry.example.com:5000/mirror/tritonserver:26.07-py3-sdk',
    });
    const own = { ...engine, tritonImage: 'nvcr.io/nvidia/tritonserver:25.02-py3' };
    expect((await wantedImages(own, { resources, registry })).triton.reference).toBe(own.tritonImage);
  });

  it('are those that somebody names, which are never built', async () => {
    const own = `registry.example/triton@sha256:${'b'.repeat(64)}`;
    const { triton, client } = await wanted({ gpus: ['all'], tritonImage: own, clientImage: 'mine:1' });
    expect(triton).toEqual({ role: 'triton', reference: own, recipe: null });
    expect(client).toEqual({ role: 'client', reference: 'mine:1', recipe: null });
  });
});

it('only the client for GPUs is built from other images', () => {
  expect(buildArgsOf('triton-cpu')).toEqual({});
  expect(buildArgsOf('client-cpu', '26.07')).toEqual({});
  expect(buildArgsOf('client-gpu', '26.06')).toEqual({
    PYTORCH_IMAGE: 'nvcr.io/nvidia/pytorch:26.06-py3',
    SDK_IMAGE: 'nvcr.io/nvidia/tritonserver:26.06-py3-sdk',
  });
});
