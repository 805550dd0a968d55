import { describe, expect, it } from 'vitest';
import {
  formatImageReference,
  parseImageReference,
  registryHost,
} from '../../../../main/docker/images/image-reference';

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
