import { expect, it } from 'vitest';
import { readJointFile } from '../../../main/specification/joint-file';

const read = (...lines: readonly string[]) =>
  readJointFile({ text: lines.join('\n'), fileName: 'shared.yaml' });
const second = '  - {model: bert, rate: 20}';

it('reads the models with their lines, and what applies to all', () => {
  const found = read(
    ...['name: night', 'objective: instances', 'budgetS: 120', 'hostMemoryMiB: 4096', 'models:'],
    ...[
      '  - model: latest',
      '    rate: 100',
      '    p99Ms: 20',
      '    space:',
      '      instances: [1, 2]',
      second,
    ],
  );
  expect(found?.lines).toEqual([6, 11]);
  expect(found?.file).toEqual({
    ...{ name: 'night', objective: 'instances', budgetS: 120, hostMemoryMiB: 4096 },
    models: [
      { model: 'latest', rate: 100, p99Ms: 20, space: { instances: [1, 2] } },
      { model: 'bert', rate: 20 },
    ],
  });
});

it('leaves files of something else to others', () => {
  expect(read('model: {preset: resnet50}')).toBeNull();
  expect(read('- 1')).toBeNull();
});

it.each([
  [
    ['models:', '  - {model: a, rate: 0}', second],
    'line 2, models.0.rate',
    'models.0.rate must be more than 0',
  ],
  [['models:', second, '  - {rate: 1}'], 'line 3, models.1.model', 'models.1.model is missing'],
  [['models:', second], 'line 1, models', 'models must have at least 2 values'],
  [
    ['models:', second, '  - {model: a, rate: 1,', '     space: {instance: [1]}}'],
    'line 4, models.1.space.instance',
    'Unknown field models.1.space.instance',
  ],
  [
    ['models:', second, second, 'objective: cost'],
    'line 4, objective',
    'objective must be one of load, instances',
  ],
  [['models:', second, second, 'name: "../x"'], 'line 4, name', /^name must have up to 40 letters/],
])('says in which line %j is wrong', (lines, where, message) => {
  try {
    read(...lines);
    expect.unreachable();
  } catch (error) {
    expect(error).toMatchObject({ code: 'input-invalid', where: `shared.yaml, ${where}` });
    expect(error).toMatchObject({ message: expect.stringMatching(message) as string });
  }
});

it('says what a misspelled field may mean, and where YAML is broken', () => {
  expect(() => read('models:', second, '  - {model: a, rat: 1}')).toThrow(
    expect.objectContaining({ remedy: 'Did you mean rate?' }),
  );
  expect(() => read('models: [', '}')).toThrow(/line 2/);
});
