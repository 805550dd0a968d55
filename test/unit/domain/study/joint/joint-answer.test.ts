import { describe, expect, it } from 'vitest';
import type { JointStrategy } from '../../../../../main/contract/study/joint';
import { jointAnswer } from '../../../../../main/domain/study/joint/joint-answer';
import { joint, searchJoint } from '../../../../support/simulated-joint';

const searched = searchJoint(joint);
const answer = jointAnswer(joint, searched);

it('says what is held, what was not, what limits, and the configuration of each', () => {
  expect(answer.sentence).toBe(
    'These 2 models hold their targets together up to 2.53 × the given rates (2.93 × the given rates was not held), 2.66 × the present configurations (2.53 to 2.78); resnet limits. resnet: model instances 4; bert: present configuration',
  );
  expect(answer).toMatchObject({ factor: 2.53, presentFactor: 0.952, isConfirmed: true, limiting: 'resnet' });
});

it('has a row per model, with what it holds now and then', () => {
  expect(
    answer.rows.map(({ model, instances, inferencesPerSecond, presentInferencesPerSecond }) => [
      model,
      instances,
      inferencesPerSecond,
      presentInferencesPerSecond,
    ]),
  ).toEqual([
    ['resnet', 4, 253, 95.2],
    ['bert', 2, 126.5, 47.6],
  ]);
  expect(answer.rows.every(({ latencyUs, limitUs }) => (latencyUs ?? Infinity) <= limitUs)).toBe(true);
});

it('names configurations that could not be measured, with the reason, and those that were not', () => {
  const faulty = jointAnswer(joint, searchJoint(joint, { fault: [2] }));
  expect(faulty.untried).toContain('Could not be measured: model instances 2 of resnet (does not load)');
  const early = jointAnswer(joint, { looks: searched.looks.slice(0, 1), failed: {} });
  expect(early.untried).toEqual([
    expect.stringMatching(/^Not varied of resnet: .*maximum batch size 4/),
    'Not measured of resnet: model instances 2; model instances 4',
    expect.stringMatching(/^Not varied of bert: /),
    'Not measured of bert: model instances 1; model instances 4',
  ]);
});

describe('other ends', () => {
  it('before a look it says what will be measured', () => {
    expect(jointAnswer(joint, { looks: [], failed: {} })).toMatchObject({
      ...{ factor: null, sentence: '2 models to be measured together', isConfirmed: false },
    });
  });

  it('where no load is held', () => {
    const impatient = { ...joint, models: joint.models.map((model) => ({ ...model, latencyUs: 4000 })) };
    expect(jointAnswer(impatient, searchJoint(impatient)).sentence).toBe(
      'The 2 models hold no load together within their targets, not even a tenth of the given rates',
    );
  });

  it('the fewest instances, in place of how many', () => {
    const cheapest: JointStrategy = { ...joint, objective: 'instances' };
    expect(jointAnswer(cheapest, searchJoint(cheapest)).sentence).toBe(
      'These 2 models hold the given rates together within their targets with 3 instances. resnet: model instances 2; bert: model instances 1',
    );
    const roomy = { ...cheapest, models: cheapest.models.map((model) => ({ ...model, rate: 20 })) };
    expect(jointAnswer(roomy, searchJoint(roomy)).sentence).toContain('with 2 instances in place of 3');
    const busy = { ...cheapest, models: joint.models.map((model) => ({ ...model, rate: 4 * model.rate })) };
    expect(jointAnswer(busy, searchJoint(busy)).sentence).toContain('× the given rates, not the given rates');
  });

  it('of a mix in inferences/s', () => {
    const mix = { ...joint, isMix: true, models: joint.models.map((model) => ({ ...model, rate: 0.5 })) };
    expect(jointAnswer(mix, searchJoint(mix)).sentence).toContain('up to 366.0 inferences/s in all');
  });

  it('the present configurations as the best have no gain', () => {
    const fixed = {
      ...joint,
      models: joint.models.map((model) => ({ ...model, candidates: model.candidates.slice(0, 1) })),
    };
    const own = jointAnswer(fixed, searchJoint(fixed));
    expect(own).toMatchObject({ gain: null, presentFactor: 0.952, factor: 0.952 });
    expect(own.sentence).not.toContain('× the present');
  });
});
