import { describe, expect, it } from 'vitest';
import { createCounters, mostOpenQuestions } from '../../../main/triton/model-traits';
import type { ModelStatistics } from '../../../main/triton/statistics';

const model = { modelName: 'ensemble', modelVersion: '' };
const composing = Array.from({ length: 256 }, (_, index) => ({ name: `part${index}`, version: '1' }));

describe('createCounters', () => {
  it('keeps few questions open at a server that leaves them so, however many moments pass', async () => {
    const controller = new AbortController();
    let open = 0;
    const counters = createCounters(
      {
        modelStatistics: (_name, _version, options) => {
          open += 1;
          return new Promise((_resolve, reject) => {
            options?.signal?.addEventListener('abort', () => {
              reject(new Error('aborted'));
            });
          });
        },
      },
      model,
      composing,
      controller.signal,
    );
    const moments = Array.from({ length: 40 }, () => counters());
    await new Promise(setImmediate);
    expect(open).toBe(moments.length + mostOpenQuestions);
    controller.abort();
    const ended = await Promise.allSettled(moments);
    expect(ended.every(({ status }) => status === 'rejected')).toBe(true);
    // Nothing of what waited was asked for after the end.
    expect(open).toBe(moments.length + mostOpenQuestions);
  });

  it('gives the counters of each composing model in the order of the models', async () => {
    const of = (name: string): ModelStatistics[] => [{ name } as ModelStatistics];
    const counters = createCounters(
      { modelStatistics: (name) => Promise.resolve(of(name)) },
      model,
      composing,
      new AbortController().signal,
    );
    expect(await counters()).toEqual({
      own: of('ensemble'),
      composing: composing.map(({ name }) => ({ modelName: name, statistics: of(name) })),
    });
  });
});
