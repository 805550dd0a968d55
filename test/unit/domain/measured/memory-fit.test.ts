import { describe, expect, it } from 'vitest';
import type { ModelMemory } from '../../../../main/contract/measured/model-memory';
import {
  instancesThatFit,
  modelMemoryFacts,
  serverBytes,
  serversThatFit,
} from '../../../../main/domain/measured/memory-fit';

const mib = 1024 ** 2;
const taken = (hostBytes: number | null, gpuBytes: number | null) => ({ hostBytes, gpuBytes });

const memory: ModelMemory = {
  context: taken(200 * mib, 400 * mib),
  shared: taken(0, 1000 * mib),
  instance: taken(100 * mib, 300 * mib),
  batch: taken(-2000, 200 * mib),
  ...{ maxBatchSize: 32, instances: 2, totals: taken(4096 * mib, 8192 * mib) },
};

describe('what a model takes', () => {
  it('is what its Triton takes once, what its instances share, and each of them with its largest batch', () => {
    expect(serverBytes(memory, 'gpuBytes')).toBe((400 + 1000 + 2 * 500) * mib);
    // A difference below 0 is noise, and takes nothing off.
    expect(serverBytes(memory, 'hostBytes')).toBe((200 + 2 * 100) * mib);
  });

  it('says how many servers fit, and how many instances in one', () => {
    expect(serversThatFit(memory, 'gpuBytes')).toBe(3);
    expect(instancesThatFit(memory, 'gpuBytes')).toBe(13);
    expect(serversThatFit(memory, 'hostBytes')).toBe(10);
  });

  it('is not known where one of its readings is not', () => {
    const unread = { ...memory, batch: taken(0, null) };
    expect(serverBytes(unread, 'gpuBytes')).toBeNull();
    expect(serversThatFit(unread, 'gpuBytes')).toBeNull();
    expect(instancesThatFit({ ...memory, totals: taken(null, null) }, 'hostBytes')).toBeNull();
  });

  it('is told with host and GPU beside each other, and noise as that', () => {
    expect(modelMemoryFacts(memory)).toEqual([
      ['Memory once per Triton (backend, CUDA context)', 'host 200.0 MiB, GPU 400.0 MiB'],
      ['Memory of the model, shared by its instances', 'host below 1 MiB, GPU 1,000.0 MiB'],
      ['Memory of each instance', 'host 100.0 MiB, GPU 300.0 MiB'],
      ['Added to each at batch size 32', 'host below 1 MiB, GPU 200.0 MiB'],
      ['Memory of a server with 2 instances', 'host 400.0 MiB, GPU 2.3 GiB'],
      ['Fit into 8.0 GiB of GPU memory', '3 servers like this one, or one server with 13 instances'],
      ['Fit into 4.0 GiB of host memory', '10 servers like this one, or one server with 38 instances'],
    ]);
  });

  it('leaves out what was not read', () => {
    const onCpu = {
      ...memory,
      ...{
        context: taken(mib, null),
        shared: taken(mib, null),
        instance: taken(mib, null),
        batch: taken(0, null),
      },
    };
    const text = JSON.stringify(modelMemoryFacts(onCpu));
    expect(text).not.toContain('GPU 1');
    expect(text).not.toContain('GPU memory');
  });
});
