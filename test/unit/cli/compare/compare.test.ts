import { describe, expect, it } from 'vitest';
import type { Core } from '../../../../main/core';
import { programWith } from '../../../support/cli-program';
import { rejection } from '../../../support/rejection';
import { completeState } from '../../../support/run-state';

it('says in which order published figures and a run are named', async () => {
  const program = programWith({ core: () => Promise.resolve({} as Core) });
  const asked = program.parseAsync(['compare', 'nightly', 'published:A100'], { from: 'user' });
  expect(await rejection(asked)).toMatchObject({
    code: 'input-invalid',
    remedy: 'Use: triton-workbench compare published:A100 nightly',
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
