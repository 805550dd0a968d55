import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatMs } from '../../../../main/contract/numbers';
import type { Core } from '../../../../main/core';
import { programWith, said } from '../../../support/cli-program';
import { rejection } from '../../../support/rejection';
import {
  completeState,
  createdBodies,
  measurementBody,
  pointFixture,
  stateOf,
} from '../../../support/run-state';

it('says in which order published figures and a run are named', async () => {
  const program = programWith({ core: () => Promise.resolve({} as Core) });
  const asked = program.parseAsync(['compare', 'nightly', 'published:A100'], { from: 'user' });
  expect(await rejection(asked)).toMatchObject({
    code: 'input-invalid',
    remedy: 'Use: triton-workbench compare published:A100 nightly',
  });
});

describe('two runs', () => {
  const ids = ['20260101-a', '20260102-b'] as const;
  const bodies = (p99Us: number) => [
    ...createdBodies(),
    measurementBody('online', pointFixture({ concurrency: 2, p99Us })),
  ];
  const states = [10_784.7, 10_784.7].map((p99Us, at) => ({
    ...stateOf(bodies(p99Us)),
    runId: ids[at] ?? '',
  }));
  const asked = (...words: readonly string[]) => {
    const core = {
      handlers: {
        'runs.all': () => Promise.resolve({ runs: states, unreadable: [] }),
        'runs.show': ({ runId }: { runId: string }) =>
          Promise.resolve({ state: states.find((state) => state.runId === runId) }),
      },
    } as unknown as Core;
    return said(core, 'compare', ...ids, ...words);
  };

  it('have the p99 that the run, its report and its files have', async () => {
    const { text } = await asked();
    expect(formatMs(10_784.7)).toBe('10.79');
    expect(text).toMatch(/ 10\.79 +10\.79 /);
    expect(text).not.toContain('10.78');
    expect(text).not.toContain('Result');
  });

  it('are judged in a last line, before the files that were written', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'twb-compare-'));
    try {
      const junit = join(dir, 'compare.xml');
      const words = ['--fail-if', 'p99>5x', '--junit', junit];
      const lines = (await asked(...words)).text.split('\n');
      expect(lines.slice(-2)).toEqual([expect.stringMatching(/^Result: /), `Written: ${junit}`]);
      expect((await asked(...words, '--markdown')).text).not.toContain('Written');
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  });
});

describe('a run that nothing is published of', () => {
  const asked = async (format: string) => {
    const state = completeState();
    const table = {
      ...{ gpu: 'A100', hardware: 'NVIDIA A100', format: 'onnx', precision: 'fp16', accelerator: null },
      ...{ dataset: null, scenario: 'offline', rows: [] },
    };
    const spec = { ...state.source.spec, format, precision: 'fp16' };
    const run = { ...state, source: { ...state.source, spec } };
    const core = {
      handlers: {
        'runs.all': () => Promise.resolve({ runs: [run], unreadable: [] }),
        'runs.show': () => Promise.resolve({ state: run }),
        'presets.published': () => Promise.resolve({ preset: spec.model.preset, tables: [table] }),
      },
    } as unknown as Core;
    const program = programWith({ core: () => Promise.resolve(core) });
    const compared = program.parseAsync(['compare', 'published:V100', run.runId], { from: 'user' });
    return rejection(compared);
  };

  it.each([
    ['onnx', 'Published figures exist for A100/onnx/fp16. Name the GPU, for example published:A100.'],
    [
      'trt',
      'Published figures exist for A100/onnx/fp16, but this run is of trt/fp16. Compare it with another run.',
    ],
  ])('names what helps a run of %s', async (format, remedy) => {
    expect(await asked(format)).toMatchObject({ code: 'input-invalid', remedy });
  });
});
