import { describe, expect, it } from 'vitest';
import type { Field } from '../../../../../../renderer/views/new-deployment/fields/field';
import { idleText, shownFields } from '../../../../../../renderer/views/new-deployment/fields/shown-fields';

const field = (name: string, idle?: string): Field => ({
  ...{ keys: ['performance', name], label: name, term: name, help: '', control: { kind: 'flag' } },
  ...(idle === undefined ? {} : { idle }),
});
const rates = 'Applies only with request rates.';

describe('fields of a section', () => {
  const [always, seed, distribution, length] = [
    field('search'),
    field('requestSeed', 'Applies only with Poisson.'),
    field('requestDistribution', rates),
    field('latencyThresholdMs', rates),
  ];
  const all = [always, seed, distribution, length];

  it('without an effect are hidden in one group per reason', () => {
    const { shown, idle } = shownFields(all, () => false);
    expect(shown).toEqual([always]);
    expect(idle.map(idleText)).toEqual([
      '1 setting applies only with Poisson',
      '2 settings apply only with request rates',
    ]);
    expect(idle.flatMap(({ fields }) => fields)).toEqual([seed, distribution, length]);
  });

  it('stay in their place where they hold a changed value', () => {
    const { shown, idle } = shownFields(all, ({ keys }) => keys[1] === 'latencyThresholdMs');
    expect(shown).toEqual([always, length]);
    expect(idle.map(({ fields }) => fields.length)).toEqual([1, 1]);
  });

  it('say another reason in full', () => {
    expect(idleText({ reason: 'Only TensorRT captures CUDA graphs.', fields: [seed] })).toBe(
      '1 setting has no effect: Only TensorRT captures CUDA graphs',
    );
  });
});
