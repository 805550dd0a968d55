import { describe, expect, it } from 'vitest';
import { createUvProgress, installFailure } from '../../../main/setup/installer';

describe('what uv prints', () => {
  it('is progress: packages, bytes of the large ones, unpacking', () => {
    const read = createUvProgress();
    expect(read('Using Python 3.11.7 environment at: python.new')).toBeNull();
    expect(read('Resolved 59 packages in 617ms')).toEqual({
      fraction: null,
      text: 'Downloading 59 packages',
    });
    expect(read('Downloading nvidia-pytriton (50.0MiB)')).toEqual({
      fraction: 0,
      text: 'Downloading 59 packages',
    });
    read('Downloading onnx (512.0KiB)');
    read('Downloading torch (49.5MiB)');
    const half = read(' Downloaded nvidia-pytriton');
    expect(half?.fraction).toBeCloseTo(0.425);
    expect(half?.text).toBe('Downloading 59 packages: 50.0 MiB of 100.0 MiB');
    expect(read('Prepared 57 packages in 6.03s')).toEqual({ fraction: 0.85, text: 'Unpacking 57 packages' });
    expect(read('Installed 57 packages in 251ms')?.fraction).toBe(0.95);
  });

  it('names one package in the singular', () => {
    const read = createUvProgress();
    expect(read('Resolved 1 package in 617ms')?.text).toBe('Downloading 1 package');
    expect(read('Prepared 1 package in 6.03s')?.text).toBe('Unpacking 1 package');
  });

  it.each([
    ['OSError: [Errno 28] No space left on device', 'disk-full', 'disk is full'],
    ['  cause: dns error', 'toolchain-missing', 'cannot be reached'],
    ['  cause: invalid peer certificate: UnknownIssuer', 'toolchain-missing', 'certificate'],
    ['HTTP status client error (401 Unauthorized)', 'toolchain-missing', 'refuses access'],
    ['Hash mismatch for `six==1.16.0`', 'toolchain-missing', 'checksum'],
    ['error: No solution found when resolving dependencies', 'toolchain-missing', 'no build for this system'],
    ['Permission denied (os error 13)', 'file-unwritable', 'cannot be written'],
    ['something else', 'toolchain-missing', 'its installer failed'],
  ])('is a reason: %s', (line, code, text) => {
    const error = installFailure('TensorFlow', ['from https://me:secret@index.example.com', line]);
    expect(error.code).toBe(code);
    expect(error.message).toContain(text);
    expect(error.details).not.toContain('secret');
  });
});
