import { describe, expect, it } from 'vitest';
import {
  fine,
  type Given,
  onnx,
  tensors,
  useCheckedRepository,
  x,
  y,
} from '../../../support/checked-repository';

const { check } = useCheckedRepository();

describe('an ensemble', () => {
  const step = (model: string, from: string, to: string, rest = '') =>
    `{ model_name: "${model}" model_version: -1 ${rest} input_map { key: "x" value: "${from}" } output_map { key: "y" value: "${to}" } }`;
  const ensemble = (
    steps: readonly string[],
    rest = 'max_batch_size: 8',
    sides = `${tensors('input', 'in')} ${tensors('output', 'out')}`,
  ): Given => ({
    config: `platform: "ensemble" ${rest} ${sides} ensemble_scheduling { step [ ${steps.join(', ')} ] }\n`,
    files: { '1/.keep': '' },
  });

  it('fits step by step, also with models that Triton completes', async () => {
    const models = {
      e: ensemble([step('a', 'in', 't'), step('b', 't', 'out')], 'max_batch_size: 4'),
      a: fine,
      b: { onnx: {} },
    };
    expect(await check(models, 'e')).toMatchObject({ verdict: 'loads', problems: [], versions: [1] });
  });

  it.each<readonly [string, Readonly<Record<string, Given>>, string, string]>([
    [
      'a model that is not there',
      { e: ensemble([step('a', 'in', 'out')]) },
      'the repository has no model a',
      'ensemble e contains models that are not available or ambiguous: a',
    ],
    [
      'a model that does not load',
      { e: ensemble([step('a', 'in', 'out')]), a: { ...fine, config: `name: "z" ${onnx} ${x} ${y}` } },
      'its step a does not load',
      "ensemble 'e' depends on 'a' which has no loaded version.",
    ],
    [
      'a larger batch',
      { e: ensemble([step('a', 'in', 'out')], 'max_batch_size: 16'), a: fine },
      'its step a takes at most 8',
      'ensemble e allows maximum batch size 16, but it contains model a which only allows maximum batch size to be 8',
    ],
    [
      'a name that no input has',
      { e: ensemble([step('a', 'in', 'out').replace('"x"', '"X"')]), a: fine },
      'input_map names "X"',
      'in ensemble e, ensemble tensor in is mapping to non-existing input X in model a',
    ],
    [
      'a name that no output has',
      { e: ensemble([step('a', 'in', 'out').replace('"y"', '"Y"')]), a: fine },
      'output_map names "Y"',
      'in ensemble e, ensemble tensor out is mapped from non-existing output Y in model a',
    ],
    [
      'another type',
      {
        e: ensemble(
          [step('a', 'in', 'out')],
          'max_batch_size: 8',
          `${tensors('input', 'in', 'data_type: TYPE_UINT8 dims: [ 3 ]')} ${tensors('output', 'out')}`,
        ),
        a: fine,
      },
      '"in" is TYPE_UINT8 in e, but TYPE_FP32 in a',
      'inconsistent data type: TYPE_UINT8 is inferred from model e while TYPE_FP32 is inferred from model a',
    ],
    [
      'other axes',
      {
        e: ensemble(
          [step('a', 'in', 'out')],
          'max_batch_size: 8',
          `${tensors('input', 'in', 'data_type: TYPE_FP32 dims: [ 4 ]')} ${tensors('output', 'out')}`,
        ),
        a: fine,
      },
      '"in" is [-1,4] in e, but [-1,3] in a',
      'inconsistent shape: [-1,4] is inferred from model e while [-1,3] is inferred from model a',
    ],
    [
      'an output that nothing writes',
      { e: ensemble([step('a', 'in', 't')]), a: fine },
      'the output out is not written by any step',
      "ensemble output 'out' for ensemble e is not used",
    ],
    [
      'a tensor that nothing gives',
      { e: ensemble([step('a', 'nothing', 'out')]), a: fine },
      'its step waits for a tensor that nothing gives',
      "output 'out' for ensemble 'e' is not written",
    ],
    [
      'an input that nothing reads',
      { e: ensemble([step('a', 'nothing', 'out')]), a: fine },
      'no step reads the input in',
      "ensemble input 'in' for ensemble e is not used",
    ],
    [
      'a version that is not there',
      { e: ensemble([step('a', 'in', 'out').replace('-1', '7')]), a: fine },
      'names version 7; served are: 1',
      "depends on 'a' whose required version 7 is not loaded.",
    ],
    [
      'itself',
      { e: ensemble([step('f', 'in', 'out')]), f: ensemble([step('e', 'in', 'out')]) },
      'the ensemble is a step of itself: e → f → e',
      'circular dependency between ensembles: e -> ... -> f -> e',
    ],
    [
      'instances',
      { e: ensemble([step('a', 'in', 'out')], 'max_batch_size: 8 instance_group { count: 2 }'), a: fine },
      'An ensemble has no instance_group',
      "instance group should not be specified for ensemble 'e'",
    ],
    [
      'no version folder',
      { e: { ...ensemble([step('a', 'in', 'out')]), files: {} }, a: fine },
      'the model has no version folder',
      "at least one version must be available under the version policy of model 'e'",
    ],
    [
      'no steps',
      { e: { config: 'platform: "ensemble"', files: { '1/.keep': '' } } },
      'The ensemble has no steps',
      'ensemble scheduling must be set for ensemble e whose platform is ensemble',
    ],
    [
      'two steps that write one tensor',
      { e: ensemble([step('a', 'in', 'out'), step('a', 'in', 'out')]), a: fine },
      'writes "out", which another step writes too',
      "ensemble tensor 'out' can appear in an output map only once for ensemble 'e' step 1",
    ],
  ])('does not load with %s', async (_what, models, message, triton) => {
    const model = await check(models, 'e');
    expect(model.verdict).toBe('does not load');
    expect(model.problems.map((problem) => problem.message).join('\n')).toContain(message);
    expect(model.problems.map((problem) => problem.triton).join('\n')).toContain(triton);
  });
});
