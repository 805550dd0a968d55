import { expect, it } from 'vitest';
import { allowsClientSharedMemory, imageRelease } from '../../../../main/engine/docker/client-shared-memory';

it('knows the release of an image by what it says of itself, then by its name', () => {
  const ngc = 'nvcr.io/nvidia/tritonserver:26.07-py3';
  const env = ['PATH=/bin', 'NVIDIA_TRITON_SERVER_VERSION=26.04', 'TRITON_SERVER_VERSION=2.68.0'];
  expect(imageRelease(env, ngc)).toBe('26.04');
  expect(imageRelease(env, 'example.org/own-triton:3')).toBe('26.04');
  expect(imageRelease([], ngc)).toBe('26.07');
  expect(imageRelease(null, ngc)).toBe('26.07');
  expect(imageRelease(['NVIDIA_TRITON_SERVER_VERSION='], ngc)).toBe('26.07');
  expect(imageRelease(['PATH=/bin'], 'example.org/own-triton:3')).toBeNull();
});

it('tells a Triton that refuses by itself, and only for a run that asks for it', () => {
  expect(
    ['25.12', '26.03', '26.04', '26.10', '27.01'].map((of) => allowsClientSharedMemory('cuda', of)),
  ).toEqual([false, false, true, true, true]);
  expect(allowsClientSharedMemory('system', '26.07')).toBe(true);
  expect(allowsClientSharedMemory('none', '26.07')).toBe(false);
  expect(allowsClientSharedMemory('system', null)).toBe(false);
});
