import { describe, expect, it } from 'vitest';
import { resolveRunId } from '../../../main/cli/read-values';
import type { Core } from '../../../main/core';
import { rejection } from '../../support/rejection';

const core = (...ids: readonly string[]): Pick<Core, 'listRuns'> => ({
  listRuns: () =>
    Promise.resolve({ runs: ids.map((runId) => ({ runId })), unreadable: [] }) as unknown as ReturnType<
      Core['listRuns']
    >,
});

describe('resolveRunId', () => {
  const home = core('20261125-b-onnx', '20261125-a-onnx', '20261124-a-trt');

  it('takes an id, the beginning of one, and the latest runs', async () => {
    expect(await resolveRunId(home, '20261125-a-onnx')).toBe('20261125-a-onnx');
    expect(await resolveRunId(home, '20261124')).toBe('20261124-a-trt');
    expect(await resolveRunId(home, 'latest')).toBe('20261125-b-onnx');
    expect(await resolveRunId(home, 'latest~2')).toBe('20261124-a-trt');
  });

  it('refuses what several begin with, and a run before the first', async () => {
    expect(await rejection(resolveRunId(home, '20261125'))).toMatchObject({ code: 'input-invalid' });
    expect(await rejection(resolveRunId(home, 'latest~3'))).toMatchObject({ code: 'run-unknown' });
  });

  it('leaves what it does not know to whoever loads the run', async () => {
    expect(await resolveRunId(home, 'nothing')).toBe('nothing');
    expect(await resolveRunId(home, '')).toBe('');
  });
});
