import { describe, expect, it } from 'vitest';
import { pullError } from '../../../../main/docker/images/pull-image';

const reference = 'registry.example.com/team/model:1';

describe('pullError', () => {
  // The first five were said by Docker Engine 20.10.24 to a registry of Debian's docker-registry; the others are the
  // texts of moby, containerd and the distribution specification.
  it.each([
    [
      404,
      'manifest for 127.0.0.1:5391/cap/multi:2 not found: manifest unknown: manifest unknown',
      'image-missing',
    ],
    [
      500,
      'Head "http://127.0.0.1:5391/v2/cap/multi/manifests/1": no basic auth credentials',
      'registry-denied',
    ],
    [500, 'unauthorized: authentication required', 'registry-denied'],
    [500, 'Get "http://127.0.0.1:5999/v2/": dial tcp 127.0.0.1:5999: connect: connection refused', 'network'],
    [
      500,
      'Get "https://registry-1.docker.io/v2/": dial tcp: lookup registry-1.docker.io: no such host',
      'network',
    ],
    [
      404,
      "pull access denied for team/model, repository does not exist or may require 'docker login': denied: requested access to the resource is denied",
      'registry-denied',
    ],
    [null, 'write /var/lib/docker/tmp/GetImageBlob1: no space left on device', 'disk'],
    [
      null,
      'toomanyrequests: You have reached your pull rate limit. You may increase the limit by authenticating',
      'rate',
    ],
    [null, 'received unexpected HTTP status: 429 Too Many Requests', 'rate'],
    [null, 'no matching manifest for linux/arm64/v8 in the manifest list entries', 'processor'],
    [null, 'Get "https://h/v2/": x509: certificate signed by unknown authority', 'certificate'],
    [null, 'Get "https://h/v2/": http: server gave HTTP response to HTTPS client', 'plain HTTP'],
    [null, 'failed to register layer: something new', 'something new'],
  ])('%s %s', (status, text, expected) => {
    const error = pullError(reference, status, `(HTTP code 500) server error - ${text} `);
    const isCode = expected === 'image-missing' || expected === 'registry-denied';
    expect(error.code).toBe(isCode ? expected : 'image-pull-failed');
    const words: Record<string, RegExp> = {
      network: /cannot reach/,
      disk: /disk of the Docker daemon is full/,
      rate: /pull rate limit/,
    };
    if (!isCode) expect(error.message).toMatch(words[expected] ?? new RegExp(expected));
    expect(error.details).toBe(text);
    expect(error.where).toBe('registry.example.com');
  });

  it('tells that Docker Hub refuses names that do not exist in the same words', () => {
    const error = pullError('team/model', 404, 'pull access denied for team/model');
    expect(error.remedy).toMatch(/Check the name first/);
  });
});
