import { describe, expect, it } from 'vitest';
import type { Draft } from '../../../../../../main/contract/run/spec-tools';
import { recentModels } from '../../../../../../renderer/views/new-deployment/start/recents';
import { runSummary } from '../../../window-fixtures';

const draft = (change: Partial<Draft>): Draft => ({
  ...{ id: 'd', choice: { preset: 'resnet50', overrides: { format: 'trt' } } },
  ...{ page: 'model', updatedAt: '2025-11-22T00:00:00Z' },
  ...change,
});
const titleOf = (preset: string): string => (preset === 'resnet50' ? 'ResNet-50' : preset);

describe('what was deployed last', () => {
  it('is named by its own name or its preset, newest first, the same thing once', () => {
    const runs = [
      runSummary({ runId: 'a' }),
      runSummary({ runId: 'b' }),
      runSummary({ runId: 'c', name: 'Hall 4', createdAt: '2025-11-23T00:00:00Z' }),
    ];
    const found = recentModels([draft({})], runs, titleOf);
    expect(found.map(({ title, from }) => [title, from.kind])).toEqual([
      ['Hall 4', 'run'],
      ['ResNet-50', 'draft'],
      ['ResNet-50', 'run'],
    ]);
  });

  it('has no draft without a change, and no run that cannot be run again', () => {
    const runs = [
      runSummary({ imported: { source: 'perf_analyzer' } as never }),
      runSummary({ onServer: { url: 'localhost:8000' } as never }),
    ];
    expect(recentModels([draft({ choice: { preset: 'resnet50', overrides: {} } })], runs, titleOf)).toEqual(
      [],
    );
  });
});
