import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DockerClient } from '../../../main/docker/client';
import { createContainer } from '../../../main/docker/container-life';
import { rejection } from '../../support/rejection';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** An engine that answers a creation when it is told to. */
function slowEngine() {
  const asked: { answer?: (container: { readonly id: string }) => void; signal?: AbortSignal } = {};
  const docker = {
    createContainer: ({ abortSignal }: { readonly abortSignal: AbortSignal }) =>
      new Promise((resolve) => {
        asked.signal = abortSignal;
        asked.answer = resolve;
      }),
  };
  return { client: { docker } as unknown as DockerClient, asked };
}

describe('a container that is being created when Ctrl-C comes', () => {
  it('is known all the same, so that it can be removed', async () => {
    const { client, asked } = slowEngine();
    const stop = new AbortController();
    const created = createContainer(client, 'twb-a', {}, { signal: stop.signal });
    await vi.advanceTimersByTimeAsync(0);
    stop.abort();
    await vi.advanceTimersByTimeAsync(1000);
    expect(asked.signal?.aborted).toBe(false);
    asked.answer?.({ id: 'abc' });
    expect(await created).toBe('abc');
  });

  it('is not waited for much longer where the engine does not answer', async () => {
    const { client, asked } = slowEngine();
    const stop = new AbortController();
    const error = rejection(createContainer(client, 'twb-a', {}, { signal: stop.signal }));
    await vi.advanceTimersByTimeAsync(0);
    stop.abort();
    await vi.advanceTimersByTimeAsync(5000);
    expect((await error).code).toBe('cancelled');
    expect(asked.signal?.aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is not asked for where Ctrl-C came before', async () => {
    const { client, asked } = slowEngine();
    const stop = new AbortController();
    stop.abort();
    expect((await rejection(createContainer(client, 'twb-a', {}, { signal: stop.signal }))).code).toBe(
      'cancelled',
    );
    expect(asked.signal).toBeUndefined();
  });
});
