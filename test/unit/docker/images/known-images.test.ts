import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UsedImage } from '../../../../main/contract/measured/results';
import { createKnownImages, imageUse, readImageRecipe } from '../../../../main/docker/images/known-images';
import { repository } from '../../../support/home';

let home: string;
let file: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-known-'));
  file = join(home, 'known-images.json');
});
afterEach(() => rm(home, { recursive: true, force: true }));

const image = (id: string, digest: string | null = `me/mine@${id}`): UsedImage => ({
  role: 'triton',
  reference: 'me/mine:1',
  id: `sha256:${id}`,
  digest,
});
/** As another process of this home. */
const note = (used: UsedImage) => createKnownImages(file, () => new Date(0)).note(used);

// P18
describe('a tag', () => {
  it('that means another image than at its last use is told once, with the earlier one', async () => {
    expect(await note(image('a'))).toBeNull();
    expect(await note(image('a'))).toBeNull();
    expect(await note(image('b'))).toBe('me/mine@a');
    expect(await note(image('b'))).toBeNull();
    expect(await note(image('c', null))).toBe('me/mine@b');
    expect(await note(image('d'))).toBe('sha256:c');
    expect(await note({ ...image('a'), reference: 'me/mine:2' })).toBeNull();
  });

  it('is learned anew where the list is damaged', async () => {
    await writeFile(file, '{"version":1');
    expect(await note(image('a'))).toBeNull();
    expect(await note(image('b'))).toBe('me/mine@a');
  });
});

it('has the client of NVIDIA images of every CUDA major version bring no package that follows one', async () => {
  const { files } = await readImageRecipe(join(repository, 'resources'), 'client-gpu');
  const text = files.find(({ name }) => name.endsWith('client-gpu.txt'))?.content.toString() ?? '';
  expect(text).toMatch(/^onnxruntime>/m);
  expect(text).not.toMatch(/^[^#\n]*(-gpu|-cu1)/m);
});

describe('imageUse', () => {
  it.each([
    [{ 'triton-workbench.image': 'triton-cpu' }, [], 'triton'],
    [{ 'triton-workbench.image': 'client-gpu' }, ['other:1'], 'client'],
    [{ 'triton-workbench.image': 'build' }, [], 'build'],
    [null, ['nvcr.io/nvidia/tritonserver:25.02-py3'], 'triton'],
    [null, ['nvcr.io/nvidia/tritonserver:25.02-py3-sdk'], 'client'],
    [{}, ['mirror.example.com/nvidia/pytorch:25.02-py3'], 'client'],
    [{}, [`nvcr.io/nvidia/tritonserver@sha256:${'0'.repeat(64)}`], 'triton'],
    [{}, ['debian:bookworm-slim', 'mynvidia/tritonserver:1'], null],
    [undefined, [], null],
  ])('%j %j: %s', (labels, names, use) => {
    expect(imageUse(labels, names)).toBe(use);
  });
});
