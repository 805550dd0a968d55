import { expect, it } from 'vitest';
import { jointAnswer } from '../../../../../main/domain/study/joint/joint-answer';
import { jointFigures } from '../../../../../main/domain/study/joint/joint-figures';
import { joint, searchJoint } from '../../../../support/simulated-joint';

it('has the factor with what was not held, the present one, the gain with its interval, and what limits', () => {
  const figures = jointFigures(joint, jointAnswer(joint, searchJoint(joint)));
  expect(figures.map(({ label, value }) => [label, value])).toEqual([
    ['Held together', '2.53'],
    ['Present configurations', '0.95'],
    ['Gain', expect.stringMatching(/^2\.\d\d$/)],
    ['Limited by', 'resnet'],
    ['Instances', '6'],
    ['Load', expect.stringMatching(/^\d+$/)],
  ]);
  expect(figures[0]?.note).toMatch(/^2\.\d\d was not held$/);
  expect(figures[2]?.note).toMatch(/^2\.\d\d to 2\.\d\d$/);
  expect(figures[4]?.note).toBe('at present 3');
});

it('says so where nothing is held, or the best set was not measured at full length', () => {
  const slow = { ...joint, models: joint.models.map((model) => ({ ...model, latencyUs: 1000 })) };
  const [held] = jointFigures(slow, jointAnswer(slow, searchJoint(slow)));
  expect(held).toMatchObject({ value: '–', note: 'no load within all targets' });
  const { looks } = searchJoint(joint);
  const early = { looks: looks.slice(0, 2), failed: {} };
  expect(jointFigures(joint, jointAnswer(joint, early))[0]?.note).toContain('; not at full length');
});
