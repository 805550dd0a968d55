import { describe, expect, it } from 'vitest';
import { baseDefaults } from '../../../../main/contract/fields/fields';
import { performanceSchema, type PerformanceSpec } from '../../../../main/contract/run/run-spec';
import { mergeTrees } from '../../../../main/contract/trees';
import { generationFindings, withEndpoint } from '../../../../main/domain/run/generation-rules';

const spec = (more: Partial<PerformanceSpec>): PerformanceSpec =>
  performanceSchema.parse({
    ...(baseDefaults['performance'] as object),
    ...{ protocol: 'http', onlineBatchSize: 1, concurrency: [1] },
    ...more,
  });
const chat = { endpoint: 'chat', promptsFile: '/p.jsonl' } as const;
const found = (more: Partial<PerformanceSpec>, isServer = true) =>
  generationFindings({ performance: spec(more), isServer }).map(({ field }) =>
    field.replace('performance.', ''),
  );

describe('a load that measures tokens', () => {
  it('is fine with prompts, a protocol that fits and single requests', () => {
    expect(found({})).toEqual([]);
    expect(found({ generation: { ...chat, ttftBudgetMs: 200, itlBudgetMs: 30 } })).toEqual([]);
    expect(found({ generation: { endpoint: 'grpc-stream' }, protocol: 'grpc', streaming: true })).toEqual([]);
  });

  it('is refused where nothing would measure what was asked for', () => {
    expect(found({ generation: chat }, false)).toEqual(['generation.endpoint']);
    expect(found({ generation: chat, loadTool: 'perf_analyzer' })).toEqual(['generation.endpoint']);
    expect(found({ generation: chat, crossCheck: true })).toEqual(['generation.endpoint']);
    expect(found({ generation: chat, protocol: 'grpc' })).toEqual(['protocol']);
    expect(found({ generation: { endpoint: 'completions' } })).toEqual(['generation.promptsFile']);
    expect(found({ generation: chat, batchSizes: [4] })).toEqual(['batchSizes']);
    expect(found({ generation: chat, sharedMemory: 'system' })).toEqual(['sharedMemory']);
    expect(found({ generation: { ...chat, endpoint: 'generate', ttftBudgetMs: 5 } })).toEqual([
      'generation.ttftBudgetMs',
    ]);
    expect(found({ generation: { ...chat, endpoint: 'generate', itlBudgetMs: 5 } })).toEqual([
      'generation.itlBudgetMs',
    ]);
  });
});

describe('made prompts', () => {
  const made = { endpoint: 'chat', tokenizerFile: '/t.json', inputTokens: 100 } as const;
  const foundOf = (more: object) => found({ generation: { ...made, ...more } });

  it('take the place of a file, within limits', () => {
    expect(found({ generation: made })).toEqual([]);
    expect(foundOf({ inputTokensStddev: 100, promptCount: 9, prefixTokens: 50, prefixCount: 9 })).toEqual([]);
    expect(foundOf({ promptsFile: '/p.jsonl' })).toEqual(['generation.promptsFile']);
    expect(foundOf({ tokenizerFile: undefined })).toEqual(['generation.tokenizerFile']);
    expect(foundOf({ inputTokensStddev: 101 })).toEqual(['generation.inputTokensStddev']);
    expect(foundOf({ promptCount: 9, prefixTokens: 5, prefixCount: 10 })).toEqual(['generation.prefixCount']);
    expect(foundOf({ inputTokens: 40_000 })).toEqual([]);
    expect(foundOf({ inputTokens: 39_000, prefixTokens: 2000 })).toEqual(['generation.promptCount']);
  });
});

describe('an endpoint', () => {
  const implied = (endpoint: string, given: object = {}) => {
    const asked = mergeTrees({ performance: { generation: { endpoint } } }, given as never);
    return withEndpoint(mergeTrees({ performance: { protocol: 'grpc' } }, asked), asked);
  };

  it('implies its protocol, unless one is typed', () => {
    expect(implied('chat')).toMatchObject({ performance: { protocol: 'http' } });
    expect(implied('chat', { performance: { protocol: 'grpc' } })).toMatchObject({
      performance: { protocol: 'grpc' },
    });
    expect(implied('grpc-stream')).toMatchObject({ performance: { protocol: 'grpc', streaming: true } });
    expect(withEndpoint({ performance: { protocol: 'grpc' } }, {})).toEqual({
      performance: { protocol: 'grpc' },
    });
  });
});
