import type Docker from 'dockerode';
import { WorkbenchError } from '../../contract/errors';
import { ask } from '../client';
import { dockerError, engineMessage, statusOf } from '../docker-error';
import type { RegistryAuth } from './docker-config';
import type { EngineEvent } from './engine-stream';
import { failureOf, readEngineEvents } from './engine-stream';
import type { ImageReference } from './image-reference';
import { formatImageReference, parseImageReference } from './image-reference';
import { pullError } from './pull-error';
import type { PullState } from './pull-progress';
import { emptyPullState, mergePullEvent, pullProgress } from './pull-progress';
import type { WorkProgress } from './work-progress';

export interface PullImageOptions {
  readonly auth: RegistryAuth | null;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: WorkProgress) => void;
  /** Events that are no progress: "abc: Pull complete", "Digest: sha256:…". */
  readonly onLine?: ((line: string) => void) | undefined;
}

export interface PulledImage {
  /** "name@sha256:…" of the registry. */
  readonly digest: string;
  /** "sha256:…" on this engine. */
  readonly id: string;
}

function lineOf({ id, status, progressDetail }: EngineEvent): string | null {
  if (status === undefined || progressDetail?.current !== undefined) return null;
  return id === undefined ? status : `${id}: ${status}`;
}

/** What came, by the engine's own account: a digest that was asked for must be the one that is there. */
async function inspectPulled(
  docker: Docker,
  wanted: ImageReference,
  told: string | null,
  signal: AbortSignal,
): Promise<PulledImage> {
  const reference = formatImageReference(wanted);
  const { Id, RepoDigests } = await ask(`inspect ${reference}`, () => docker.getImage(reference).inspect(), {
    signal,
  });
  // Null in the answers of some engines, whatever the types say.
  const digests = (RepoDigests as string[] | null | undefined) ?? [];
  const expected = wanted.digest ?? told;
  const digest =
    expected === null ? digests[0] : digests.find((candidate) => candidate.endsWith(`@${expected}`));
  if (digest === undefined) {
    throw new WorkbenchError('image-pull-failed', `The digest of ${reference} is not the requested one`, {
      where: wanted.registry,
      details: `expected ${expected ?? 'any'}; the engine has ${digests.join(', ') || 'none'}`,
    });
  }
  return { digest, id: Id };
}

/**
 * Pulls an image and says what came. Abort closes the request; layers that have come are kept by the engine.
 * Throws image-missing, registry-denied, image-pull-failed, cancelled, or what the connection says.
 */
export async function pullImage(
  docker: Docker,
  text: string,
  options: PullImageOptions,
): Promise<PulledImage> {
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
