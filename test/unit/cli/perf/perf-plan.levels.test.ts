import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readAddresses } from '../../../../main/cli/perf/perf-addresses';
import { readModelNames } from '../../../../main/cli/perf/perf-plan';
import { readOverrides } from '../../../../main/cli/read-spec';

describe('the metrics of a server that perf measures', () => {
  const metrics = (url: string, metricsUrl?: string) => {
    const options = { url, metricsUrl, allowRemoteLoad: true } as Parameters<typeof readAddresses>[0];
    const { metrics: found } = readAddresses(options);
    return found === null ? null : found.address + found.path;
  };

  it.each([
    ['http://localhost:8000', undefined, 'localhost:8002/metrics'],
    ['http://127.0.0.1:9100', undefined, '127.0.0.1:9102/metrics'],
    ['http://gpu-host:8000', undefined, null],
    ['https://localhost:8443', undefined, null],
    ['http://gpu-host:8000', 'gpu-host', 'gpu-host:8002/metrics'],
    ['http://gpu-host:8000', 'http://gpu-host:9000/triton/metrics', 'gpu-host:9000/triton/metrics'],
  ])('of %s with --metrics-url %s are at %s', (url, given, expected) => {
    expect(metrics(url, given)).toBe(expected);
  });

  it('are refused where their address is none', () => {
    expect(() => metrics('http://localhost:8000', 'https://localhost:8002')).toThrow(
      expect.objectContaining({ code: 'input-invalid', where: '--metrics-url' }),
    );
  });
});

describe('the models of perf', () => {
  it('have weights', () => {
    expect(readModelNames(['a', 'b:2', 'c.d-e:0.5'])).toEqual([
      { name: 'a', weight: 1 },
      { name: 'b', weight: 2 },
      { name: 'c.d-e', weight: 0.5 },
    ]);
  });

  it.each([[['']], [['a:0']], [['a:1.2.3']], [['a', 'a:2']]])('%j are refused', (names) => {
    expect(() => readModelNames(names)).toThrow(expect.objectContaining({ where: '--model' }));
  });
});

describe('the input values of a run', () => {
  const read = async (inputData: string) => {
    const none = () => Promise.reject(new Error('no file'));
    const reader = { importSpec: none, specModel: none, note: () => undefined };
    return (await readOverrides('resnet50', { inputData }, reader))['performance'];
  };

  it('are a mode, or a file by its full path', async () => {
    expect(await read('dataset')).toEqual({ inputData: 'dataset' });
    expect(await read('values.npz')).toEqual({ inputData: 'file', inputDataFile: resolve('values.npz') });
    expect(await read('file')).toEqual({ inputData: 'file', inputDataFile: resolve('file') });
  });
});
