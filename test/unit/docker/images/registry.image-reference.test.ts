import { describe, expect, it } from 'vitest';
import {
  digestOf,
  formatImageReference,
  imageRepository,
  parseImageReference,
  registryHost,
} from '../../../../main/docker/images/registry';

const digest = `sha256:${'a1'.repeat(32)}`;

describe('parseImageReference', () => {
  it.each([
    ['debian', 'docker.io', 'debian:latest'],
    ['debian:bookworm-slim', 'docker.io', 'debian:bookworm-slim'],
    ['user/name', 'docker.io', 'user/name:latest'],
    ['nvcr.io/nvidia/tritonserver:25.02-py3', 'nvcr.io', 'nvcr.io/nvidia/tritonserver:25.02-py3'],
    ['127.0.0.1:5000/a', '127.0.0.1:5000', '127.0.0.1:5000/a:latest'],
    ['localhost/a:b', 'localhost', 'localhost/a:b'],
    ['host:5000/a/b:c', 'host:5000', 'host:5000/a/b:c'],
    [`a/b@${digest}`, 'docker.io', `a/b@${digest}`],
    [`nvcr.io/a:tag@${digest}`, 'nvcr.io', `nvcr.io/a@${digest}`],
  ])('%s', (text, registry, formatted) => {
    const parsed = parseImageReference(text);
    expect(parsed.registry).toBe(registry);
    expect(formatImageReference(parsed)).toBe(formatted);
  });

  it.each(['', ' ', 'a b', 'a:', '-a/', 'a@sha256:12', 'http://nvcr.io/a', 'a:b:c', '../a?x=1'])(
    'refuses %j',
    (text) => {
      expect(() => parseImageReference(text)).toThrow(expect.objectContaining({ code: 'input-invalid' }));
    },
  );
});

describe('registryHost', () => {
  it.each([
    ['https://index.docker.io/v1/', 'docker.io'],
    ['registry-1.docker.io', 'docker.io'],
    ['NVCR.io', 'nvcr.io'],
    ['http://localhost:5000/v2/', 'localhost:5000'],
  ])('%s', (text, host) => {
    expect(registryHost(text)).toBe(host);
  });
});

describe('the digest of an image', () => {
  const of = (name: string, digit: string) => `${name}@sha256:${digit.repeat(64)}`;
  const triton = of('nvcr.io/nvidia/tritonserver', 'b');
  const mirror = of('mirror.example.com/tritonserver', 'a');
  // RepoDigests: the first one was taken, whosever it was.
  it('is that of the repository that it was asked for by', () => {
    expect(digestOf('nvcr.io/nvidia/tritonserver:26.07-py3', [mirror, triton])).toBe(triton);
    expect(digestOf('mirror.example.com/tritonserver:1', [triton, mirror])).toBe(mirror);
    expect(digestOf('me/mine:1', [mirror, of('me/mine', 'c')])).toBe(of('me/mine', 'c'));
    expect(digestOf('docker.io/me/mine:1', [of('me/mine', 'c')])).toBe(of('me/mine', 'c'));
    expect(digestOf(of('me/mine', 'd'), [of('me/mine', 'c'), of('me/mine', 'd')])).toBe(of('me/mine', 'd'));
  });
  it('is none where it was only tagged so here', () => {
    expect(digestOf('me/mine:1', [mirror, triton])).toBeNull();
    expect(digestOf('me/mine:1', [])).toBeNull();
    expect(digestOf('me/mine:1', ['<none>@<none>'])).toBeNull();
  });
});

it('knows an image under one name, however it is written', () => {
  expect(imageRepository('busybox:1.36')).toBe('docker.io/library/busybox');
  expect(imageRepository('docker.io/busybox')).toBe('docker.io/library/busybox');
  expect(imageRepository('index.docker.io/me/mine')).toBe('docker.io/me/mine');
  expect(imageRepository('localhost:5000/a/b:1')).toBe('localhost:5000/a/b');
});
