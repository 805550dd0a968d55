import { describe, expect, it } from 'vitest';
import { imageUse } from '../../../../main/docker/images/list-images';

describe('imageUse', () => {
  it.each([
    [{ 'triton-workbench.image': 'triton-cpu' }, [], 'triton'],
    [{ 'triton-workbench.image': 'client-gpu' }, ['other:1'], 'client'],
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
