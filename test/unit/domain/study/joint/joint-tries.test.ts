import { expect, it } from 'vitest';
import { jointAnswer } from '../../../../../main/domain/study/joint/joint-answer';
import { jointTryColumns } from '../../../../../main/domain/study/joint/joint-columns';
import { jointTries, setText } from '../../../../../main/domain/study/joint/joint-tries';
import { joint, searchJoint } from '../../../../support/simulated-joint';

const searched = searchJoint(joint);
const tries = jointTries(joint, searched);

it('has each set that was measured, with what it holds, what it does not, and which model limits it', () => {
  const [first] = tries;
  const best = tries.filter(({ isBest }) => isBest);
  expect(first).toMatchObject({ number: 1, text: 'present configurations', isPresent: true, instances: 3 });
  expect(first).toMatchObject({ result: 'held', factor: 0.952, limiting: 'resnet' });
  const { factor, missed, limiting } = jointAnswer(joint, searched);
  expect(best).toEqual([
    expect.objectContaining({ text: 'resnet: model instances 4', result: 'best', factor, missed, limiting }),
  ]);
  expect(tries.reduce((sum, { looks }) => sum + looks, 0)).toBe(searched.looks.length);
});

it('has each load of a set with the latency of every model, and whether all were within their targets', () => {
  const best = tries.find(({ isBest }) => isBest);
  const factors = best?.loads.map(({ factor }) => factor) ?? [];
  expect(factors).toEqual(factors.toSorted((one, other) => one - other));
  expect(factors.length).toBeGreaterThan(1);
  for (const { parts, share, held } of best?.loads ?? []) {
    expect(parts.map(({ model }) => model)).toEqual(['resnet', 'bert']);
    expect(share).toBe(Math.max(...parts.map(({ latencyUs, limitUs }) => latencyUs / limitUs)));
    if (held) expect(share).toBeLessThanOrEqual(1);
  }
});

it('one that holds nothing, and one of which nothing is known, are told apart', () => {
  const slow = { ...joint, models: joint.models.map((model) => ({ ...model, latencyUs: 1000 })) };
  const none = jointTries(slow, searchJoint(slow));
  expect(none.every(({ factor, result }) => factor === null && result === 'holds no load')).toBe(true);
  expect(jointTries(joint, { looks: [], failed: {} })).toEqual([]);
});

it('names every model that differs', () => {
  expect(setText(joint, [1, 4])).toBe('present configurations');
  expect(setText(joint, [2, 5])).toBe('resnet: model instances 2; bert: model instances 1');
});

it('has a factor of the rates in its columns, or inferences/s of a mix', () => {
  const titles = (isMix: boolean) => jointTryColumns({ isMix }).map(({ title, unit }) => `${title} ${unit}`);
  expect(titles(false)).toContain('Held × rates');
  expect(titles(true)).toContain('Held inferences/s');
});
