import { describe, expect, it, vi } from 'vitest';
import type { DockerState, ImageInfo } from '../../../../main/contract/docker';
import { WorkbenchError } from '../../../../main/contract/errors';
import type { GpuFacts } from '../../../../main/contract/machine';
import { routeEvents } from '../../../../renderer/events';
import { createDocker } from '../../../../renderer/stores/docker';
import { createGpuReadings, keptReadings } from '../../../../renderer/stores/gpu-load';
import { createImageWorks } from '../../../../renderer/stores/image-works';
import { createContainerLog, maxContainerLines } from '../../../../renderer/stores/logs/container-log';
import { pollWhileSeen } from '../../../../renderer/stores/poll';
import { createWorkbench } from '../../../../renderer/workbench';
import { createClientDouble, createStorage } from '../client-double';
import { containerFixture, dockerFixture, imageWorkFixture } from '../container-fixtures';

const changed = (state: DockerState) => ({ type: 'docker-changed', state }) as const;
const lines = (...of: string[]) => ({ type: 'container-log', id: 'a1b2c3d4e5f6', lines: of }) as const;

describe('the state of Docker', () => {
  const older = dockerFixture({ containers: [], listedAt: '2026-01-01T00:00:00.500Z' });

  it('lets no older listing replace a newer one', () => {
    const docker = createDocker(createClientDouble({}).client);
    docker.getState().onEvent(changed(dockerFixture()));
    docker.getState().onEvent(changed(older));
    expect(docker.getState().state?.containers).toHaveLength(1);
  });

  it('keeps what was told while the first answer was on its way', async () => {
    let answer: (state: DockerState) => void = () => undefined;
    const { client, calls } = createClientDouble({
      'docker.state': () =>
        new Promise<DockerState>((resolve) => {
          answer = resolve;
        }),
    });
    const docker = createDocker(client);
    const loading = docker.getState().load();
    await expect.poll(() => calls.length).toBe(1);
    docker.getState().onEvent(changed(dockerFixture({ connection: 'unavailable', containers: [] })));
    answer(dockerFixture());
    await loading;
    expect(docker.getState().state?.connection).toBe('unavailable');
  });

  it('shows a lost connection although nothing was listed anew', () => {
    const docker = createDocker(createClientDouble({}).client);
    docker.getState().onEvent(changed(dockerFixture()));
    docker.getState().onEvent(changed(dockerFixture({ connection: 'connecting', listedAt: null })));
    expect(docker.getState().state?.connection).toBe('connecting');
  });

  it('says what is being done, once, and that it was refused', async () => {
    const { client, calls } = createClientDouble({
      'docker.stop': () => {
        throw new WorkbenchError('docker-failed', 'No such container');
      },
    });
    const docker = createDocker(client);
    const { act } = docker.getState();
    const first = act('stop', 'a1b2c3d4e5f6');
    expect(docker.getState().busy).toEqual({ a1b2c3d4e5f6: 'stop' });
    await act('remove', 'a1b2c3d4e5f6');
    await expect(first).rejects.toMatchObject({ code: 'docker-failed' });
    expect(docker.getState().busy).toEqual({});
    expect(calls.map(([name]) => name)).toEqual(['docker.stop']);
  });
});

describe('the log of a container', () => {
  const open = () => {
    const double = createClientDouble({ 'docker.followLog': () => null, 'docker.unfollowLog': () => null });
    const log = createContainerLog(double.client);
    log.getState().open(containerFixture());
    return { ...double, log };
  };

  it('follows one container at a time and ends with the page', async () => {
    const { calls, log } = open();
    await expect.poll(() => calls.length).toBe(1);
    log.getState().open(containerFixture({ id: 'ffffffffffff' }));
    log.getState().close();
    await expect.poll(() => calls.length).toBe(3);
    // The second was closed before its turn came: it is not followed at all.
    expect(calls.map(([name, input]) => [name, (input as { id: string }).id])).toEqual([
      ['docker.followLog', 'a1b2c3d4e5f6'],
      ['docker.unfollowLog', 'a1b2c3d4e5f6'],
      ['docker.unfollowLog', 'ffffffffffff'],
    ]);
    expect(log.getState()).toMatchObject({ id: null, lines: [] });
  });

  it('hears its own container only', () => {
    const { log } = open();
    log.getState().onEvent(lines('mine'));
    log.getState().onEvent({ ...lines('other'), id: 'ffffffffffff' });
    expect(log.getState().lines).toEqual(['mine']);
  });

  it('holds what comes while it is paused', () => {
    const { log } = open();
    log.getState().onEvent(lines('1'));
    log.getState().pause();
    log.getState().onEvent(lines('2', '3'));
    expect(log.getState()).toMatchObject({ lines: ['1'], heldCount: 2 });
    log.getState().resume();
    expect(log.getState()).toMatchObject({ lines: ['1', '2', '3'], heldCount: 0, paused: false });
  });

  it('keeps the newest lines, and the places found among them', () => {
    const { log } = open();
    log.getState().setSearch('HIT');
    log.getState().onEvent(lines('hit 0', 'miss', 'hit 1'));
    log.getState().jump(-1);
    log.getState().resume();
    log.getState().onEvent(lines(...Array.from({ length: maxContainerLines - 2 }, () => 'miss')));
    expect(log.getState().lines).toHaveLength(maxContainerLines);
    expect(log.getState()).toMatchObject({ found: [1], current: 0 });
    expect(log.getState().lines[1]).toBe('hit 1');
  });

  it('finds in what comes later too, and jumps around the end', () => {
    const { log } = open();
    log.getState().onEvent(lines('a hit', 'miss'));
    log.getState().setSearch('hit');
    log.getState().onEvent(lines('HIT'));
    expect(log.getState().found).toEqual([0, 2]);
    const jumped = [1, 1, 1, -1].map((by) => {
      log.getState().jump(by === 1 ? 1 : -1);
      return log.getState().current;
    });
    expect(jumped).toEqual([0, 1, 0, 1]);
    expect(log.getState().paused).toBe(true);
  });

  it('begins anew when its container runs again', async () => {
    const { calls, log } = open();
    await expect.poll(() => calls.length).toBe(1);
    log.getState().onEvent(lines('before'));
    const event = (state: 'exited' | 'running') => {
      log.getState().onEvent(changed(dockerFixture({ containers: [containerFixture({ state })] })));
    };
    event('running');
    event('exited');
    expect(log.getState().lines).toEqual(['before']);
    event('running');
    expect(log.getState().lines).toEqual([]);
    await expect
      .poll(() => calls.map(([name]) => name))
      .toEqual(['docker.followLog', 'docker.unfollowLog', 'docker.followLog']);
  });

  it('says why it cannot be followed', async () => {
    const log = createContainerLog(createClientDouble({}).client);
    log.getState().open(containerFixture());
    await expect.poll(() => log.getState().error?.code).toBe('internal');
  });
});

describe('pulls and builds', () => {
  it('are listed once each, the newest word of each, until dismissed', async () => {
    const { client } = createClientDouble({
      'docker.imageWorks': () => [imageWorkFixture({ fraction: 0.1 }), imageWorkFixture({ id: 'w0' })],
    });
    const works = createImageWorks(client);
    works.getState().onEvent({ type: 'image-work', work: imageWorkFixture({ fraction: 0.7 }) });
    works.getState().onEvent({ type: 'image-work', work: imageWorkFixture({ id: 'w2' }) });
    await works.getState().load();
    expect(works.getState().works.map((work) => [work.id, work.fraction])).toEqual([
      ['w2', 0.5],
      ['w1', 0.7],
      ['w0', 0.5],
    ]);
    works.getState().dismiss('w0');
    await works.getState().load();
    expect(works.getState().works.map((work) => work.id)).toEqual(['w2', 'w1']);
  });

  it('bring the list of images up to date when they are done', async () => {
    const double = createClientDouble({ 'docker.images': (): ImageInfo[] => [] });
    const stop = routeEvents(createWorkbench(double.client, createStorage()));
    double.emit({ type: 'image-work', work: imageWorkFixture() });
    expect(double.calls).toEqual([]);
    double.emit({ type: 'image-work', work: imageWorkFixture({ status: 'done' }) });
    await expect.poll(() => double.calls.map(([name]) => name)).toEqual(['docker.images']);
    stop();
  });
});

describe('readings of GPUs', () => {
  it('keep the last minute of each', async () => {
    let percent = 0;
    const { client } = createClientDouble({
      'machine.gpus': () => {
        percent += 1;
        const gpu: Partial<GpuFacts> = {
          uuid: null,
          busId: '00000000:01:00.0',
          load: {
            gpuPercent: percent,
            memoryPercent: null,
            memoryUsedBytes: null,
            powerDrawW: null,
            temperatureC: null,
            smClockMHz: null,
          },
        };
        return { driverVersion: null, cudaVersion: null, gpus: [gpu], problem: null };
      },
    });
    const readings = createGpuReadings(client);
    for (let count = 0; count < keptReadings + 5; count += 1) await readings.getState().load();
    const kept = readings.getState().history['00000000:01:00.0']?.map((load) => load.gpuPercent);
    expect(kept).toEqual(Array.from({ length: keptReadings }, (_, index) => index + 6));
  });
});

describe('polling', () => {
  it('asks one at a time, only while the window can be seen', async () => {
    vi.useFakeTimers();
    try {
      let seen = (): void => undefined;
      const sight = {
        visibilityState: 'visible' as DocumentVisibilityState,
        addEventListener: (_type: string, listener: () => void) => {
          seen = listener;
        },
        removeEventListener: () => undefined,
      };
      let count = 0;
      let answer: () => void = () => undefined;
      const read = () => {
        count += 1;
        return new Promise<void>((resolve) => {
          answer = resolve;
        });
      };
      const stop = pollWhileSeen(sight as unknown as Document, read, 1000);
      await vi.advanceTimersByTimeAsync(5000);
      expect(count).toBe(1);
      answer();
      await vi.advanceTimersByTimeAsync(1000);
      expect(count).toBe(2);
      sight.visibilityState = 'hidden';
      answer();
      await vi.advanceTimersByTimeAsync(5000);
      expect(count).toBe(2);
      sight.visibilityState = 'visible';
      seen();
      expect(count).toBe(3);
      stop();
      answer();
      await vi.advanceTimersByTimeAsync(5000);
      expect(count).toBe(3);
    } finally {
      vi.useRealTimers();
    }
  });
});
