import { describe, expect, it } from 'vitest';
import type { Candidate, Searched } from '../../../../../main/contract/study/search';
import { modelMemoryFacts } from '../../../../../main/domain/measured/memory-fit';
import { contextOf, searchedMemory } from '../../../../../main/domain/study/search/searched-memory';

const mib = 1024 ** 2;
const host = (bytes: number) => ({ hostBytes: bytes, gpuBytes: null });
const one: Candidate = {
  ...{ instances: 1, maxBatchSize: 8, batching: 'dynamic', preferredBatchSizes: [] },
  ...{ maxQueueDelayUs: 0, threads: 1 },
};
const search = { candidates: [one, { ...one, instances: 3, maxBatchSize: 0 }] };
const searched: Searched = {
  ...{ looks: [], failed: {} },
  memory: { 0: host(500 * mib), 1: host(100 * mib), 2: host(260 * mib) },
};

describe('the memory that a search measured', () => {
  it('is that of a server with the candidate, with what the backend takes once', () => {
    expect(contextOf(searched)).toEqual(host(400 * mib));
    const memory = searchedMemory(search, searched, 2, 2048 * mib);
    expect(memory).toMatchObject({ server: host(660 * mib), instances: 3, maxBatchSize: 1 });
    const facts = memory === null ? [] : modelMemoryFacts(memory);
    expect(facts).toEqual([
      ['Memory once per Triton (backend, CUDA context)', 'host 400.0 MiB'],
      ['Memory of a server with 3 instances', 'host 660.0 MiB'],
      ['Fit into 2.0 GiB of host memory', '3 servers like this one'],
    ]);
  });

  it('counts a difference below 0 as none', () => {
    const noisy: Searched = { ...searched, memory: { 0: host(90), 1: host(100), 2: host(-20) } };
    expect(searchedMemory(search, noisy, 2, null)?.server).toEqual(host(0));
  });

  it('takes the total of each GPU once, from any look', () => {
    const gpu = { uuid: 'GPU-1', utilization: 1, powerW: 1, maxMemoryBytes: 1, totalMemoryBytes: 8 * mib };
    const measured = { avgUs: 1, p50Us: 1, p90Us: 1, p95Us: 1, p99Us: 1, gpus: [gpu, gpu] };
    const look = {
      ...{ candidate: 1, phase: 'screen' as const, load: { concurrency: 1 }, seconds: 1, latencyUs: 1 },
      ...{ inferencesPerSecond: 1, requestCount: 1, errorCount: 0, meanServerBatch: null },
      ...{ serverQueueUs: null, measured },
    };
    expect(searchedMemory(search, { ...searched, looks: [look, look] }, 2, null)?.totals).toEqual({
      hostBytes: null,
      gpuBytes: 8 * mib,
    });
  });

  it('is not known where it was not asked for, or could not be read', () => {
    const { looks, failed } = searched;
    expect(searchedMemory(search, { looks, failed }, 2, null)).toBeNull();
    expect(searchedMemory(search, { ...searched, memory: { 2: host(1) } }, 2, null)).toBeNull();
    const unread = { hostBytes: null, gpuBytes: null };
    const memory = { 0: unread, 1: unread, 2: unread };
    expect(searchedMemory(search, { ...searched, memory }, 2, null)).toBeNull();
  });
});
