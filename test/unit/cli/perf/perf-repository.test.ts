import { describe, expect, it } from 'vitest';
import type { PerfOptions } from '../../../../main/cli/perf/perf-options';
import { checkRepositoryOptions, startRepository } from '../../../../main/cli/perf/perf-repository';
import type { WorkbenchError } from '../../../../main/contract/errors';
import type { Core } from '../../../../main/core';

const typed = (more: Partial<PerfOptions>): PerfOptions => ({ model: ['m'], inTurns: true, ...more });

describe('checkRepositoryOptions', () => {
  it.each<readonly [Partial<PerfOptions>, string]>([
    [{ with: 'a' }, '--with'],
    [{ trust: true }, '--trust'],
    [{ modelRepository: 'r', url: 'localhost:8000' }, '--url'],
    [{ modelRepository: 'r', host: 'gpu1' }, '--host'],
  ])('refuses %j', (options, where) => {
    let error: WorkbenchError | null = null;
    try {
      checkRepositoryOptions(typed(options));
    } catch (caught) {
      error = caught as WorkbenchError;
    }
    expect(error).toMatchObject({ code: 'input-invalid', where });
  });

  it.each<Partial<PerfOptions>>([
    {},
    { url: 'localhost:8000' },
    { modelRepository: 'r', with: 'a', trust: true },
  ])('takes %j', (options) => {
    expect(() => checkRepositoryOptions(typed(options))).not.toThrow();
  });
});

it('loads the measured models and those with them, and measures at the addresses of that Triton', async () => {
  const asked: unknown[] = [];
  const lines: string[] = [];
  const core = {
    handlers: {
      'models.serve': ({ path, models, trust }: Parameters<Core['handlers']['models.serve']>[0]) => {
        asked.push({ path, models, trust });
        return Promise.resolve({
          ...{ httpAddress: '127.0.0.1:40001', grpcAddress: '127.0.0.1:40002' },
          metricsAddress: '127.0.0.1:40003',
          models: [{ name: 'm', servedBy: 'PyTorch', config: 'name: "m"', isCompleted: true }],
          stop: () => Promise.resolve(),
        });
      },
    },
  } as unknown as Core;
  const options = typed({ model: ['m:2'], with: 'a, b', trust: true });
  const started = await startRepository(core, '/r', options, (line) => lines.push(line));
  expect(asked).toStrictEqual([{ path: '/r', models: ['m', 'a', 'b'], trust: true }]);
  expect(lines).toStrictEqual(['m: PyTorch; Triton completed its configuration from the file']);
  expect(started.options).toStrictEqual({
    ...options,
    url: 'http://127.0.0.1:40001',
    grpcUrl: '127.0.0.1:40002',
    metricsUrl: 'http://127.0.0.1:40003/metrics',
  });
});
