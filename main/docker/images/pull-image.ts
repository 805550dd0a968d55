import type Docker from 'dockerode';
import { type ErrorCode, WorkbenchError } from '../../contract/errors';
import { ask, dockerError, engineMessage, statusOf } from '../client';
import { type EngineEvent, failureOf, readEngineEvents } from './engine-stream';
import type { WorkProgress } from './known-images';
import { emptyPullState, mergePullEvent, pullProgress, type PullState } from './pull-progress';
import {
  defaultRegistry,
  formatImageReference,
  type ImageReference,
  parseImageReference,
  type RegistryAuth,
} from './registry';

interface Cause {
  readonly pattern: RegExp;
  readonly message: string;
  readonly remedy: string;
}

/** Matched in order against messages of engines and registries. */
const causes: readonly Cause[] = [
  {
    pattern: /toomanyrequests|too many requests|rate limit|\b429\b/i,
    message: 'the pull rate limit of the registry is reached',
    remedy: 'Wait, or log in to this registry: the limit is higher for authenticated users.',
  },
  {
    pattern: /no space left on device/i,
    message: 'the disk of the Docker daemon is full',
    remedy: 'Free some disk space, for example with "docker image prune", and try again.',
  },
  {
    pattern: /no matching manifest/i,
    message: 'it has no build for this processor architecture',
    remedy: 'Choose a tag that is built for this architecture.',
  },
  {
    pattern: /x509|certificate/i,
    message: 'the Docker daemon does not trust the certificate of the registry',
    remedy:
      'Add the CA of the registry to /etc/docker/certs.d/HOST/ca.crt on the machine of the Docker daemon.',
  },
  {
    pattern: /server gave HTTP response to HTTPS client/i,
    message: 'the registry uses plain HTTP',
    remedy: 'Add it to "insecure-registries" of the Docker daemon, or use a registry with TLS.',
  },
  {
    pattern:
      /no such host|connection refused|connection reset|network is unreachable|no route to host|i\/o timeout|TLS handshake timeout|Client\.Timeout|context deadline exceeded|server misbehaving|proxyconnect|unexpected EOF|\bEOF\b/i,
    message: 'the Docker daemon cannot reach the registry',
    remedy: 'Check the name, the connection and the proxy of the Docker daemon ("docker info" shows it).',
  },
];

const denied =
  /unauthorized|\bdenied\b|no basic auth credentials|authentication required|forbidden|\b40[13]\b|may require 'docker login'/i;
const missing = /manifest unknown|name unknown|not found|no such image|repository does not exist|\b404\b/i;

/** @param status HTTP status; null for errors in the stream. @param text the engine's message */
export function pullError(reference: string, status: number | null, text: string): WorkbenchError {
  const reason = text.replace(/^\(HTTP code \d+\) [\w ]+ - /, '').trim();
  const { registry } = parseImageReference(reference);
  const refused = (code: ErrorCode, message: string, remedy?: string) =>
    new WorkbenchError(code, message, { where: registry, remedy, details: reason });
  const cause = causes.find(({ pattern }) => pattern.test(reason));
  if (cause !== undefined) {
    return refused('image-pull-failed', `${reference} could not be pulled: ${cause.message}`, cause.remedy);
  }
  if (status === 401 || status === 403 || denied.test(reason)) {
    const remedy =
      registry === defaultRegistry
        ? 'Check the name first: Docker Hub returns the same error for images that do not exist. Then log in to docker.io.'
        : undefined;
    return refused('registry-denied', `${registry} denied access to ${reference}`, remedy);
  }
  if (status === 404 || missing.test(reason)) {
    const remedy = 'Check the name, and the tag or digest.';
    return refused('image-missing', `${registry} has no image ${reference}`, remedy);
  }
  return refused('image-pull-failed', `${reference} could not be pulled: ${reason}`);
}

interface PullImageOptions {
  readonly auth: RegistryAuth | null;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: WorkProgress) => void;
  /** Events without progress: "abc: Pull complete", "Digest: sha256:…". */
  readonly onLine?: ((line: string) => void) | undefined;
}

function lineOf({ id, status, progressDetail }: EngineEvent): string | null {
  if (status === undefined || progressDetail?.current !== undefined) return null;
  return id === undefined ? status : `${id}: ${status}`;
}

/** Verifies a requested digest. */
async function inspectPulled(
  docker: Docker,
  wanted: ImageReference,
  reported: string | null,
  signal: AbortSignal,
) {
  const reference = formatImageReference(wanted);
  const { Id, RepoDigests } = await ask(`inspect ${reference}`, () => docker.getImage(reference).inspect(), {
    signal,
  });
  // null in the answers of some engines, whatever the types say.
  const digests = (RepoDigests as string[] | null | undefined) ?? [];
  const expected = wanted.digest ?? reported;
  const digest =
    expected === null ? digests[0] : digests.find((candidate) => candidate.endsWith(`@${expected}`));
  if (digest === undefined) {
    throw new WorkbenchError('image-pull-failed', `The digest of ${reference} is not the requested one`, {
      where: wanted.registry,
      details: `expected ${expected ?? 'any'}; the engine has ${digests.join(', ') || 'none'}`,
    });
  }
  // "name@sha256:…" of the registry, "sha256:…" locally.
  return { digest, id: Id };
}

/**
 * Pulls an image. An abort closes the request; the engine keeps finished layers. Throws image-missing, registry-denied,
 * image-pull-failed, cancelled, or connection errors.
 */
export async function pullImage(docker: Docker, text: string, options: PullImageOptions) {
  const { signal, onProgress } = options;
  const wanted = parseImageReference(text);
  const reference = formatImageReference(wanted);
  const cancelled = () => new WorkbenchError('cancelled', `The pull of ${reference} was cancelled`);
  let state: PullState = emptyPullState;
  const failure: { reason: string | null } = { reason: null };
  try {
    onProgress(pullProgress(state));
    const request = options.auth === null ? {} : { authconfig: { ...options.auth } };
    const answer = await docker.pull(reference, { ...request, abortSignal: signal });
    await readEngineEvents(answer, signal, (event) => {
      failure.reason ??= failureOf(event);
      state = mergePullEvent(state, event);
      onProgress(pullProgress(state));
      const line = lineOf(event);
      if (line !== null) options.onLine?.(line);
    });
  } catch (error) {
    if (signal.aborted) throw cancelled();
    const status = statusOf(error);
    throw status === null
      ? dockerError(error, `pull ${reference}`)
      : pullError(reference, status, engineMessage(error));
  }
  if (signal.aborted) throw cancelled();
  if (failure.reason !== null) throw pullError(reference, null, failure.reason);
  const pulled = await inspectPulled(docker, wanted, state.digest, signal);
  onProgress({ fraction: 1, text: 'Pulled' });
  return pulled;
}
