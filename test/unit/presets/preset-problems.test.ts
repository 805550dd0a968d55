import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { smallestPreset } from '../../../main/cli/help/preset-page';
import { presetKeys } from '../../../main/contract/run/preset-keys';
import { parseYaml } from '../../../main/platform/parse-yaml';
import { checkPreset, presetError } from '../../../main/presets/preset-problems';

type Tree = Record<string, unknown>;
const smallest = () => parseYaml(smallestPreset) as Tree;

/** Message, remedy and details of what is wrong with a tree. */
function saidOf(tree: unknown) {
  const found = checkPreset(tree);
  if ('id' in found) throw new Error('nothing is wrong');
  const { code, message, remedy = '', details = '', where } = presetError(found, '/folder/preset.yaml');
  expect([code, where]).toEqual(['model-folder-invalid', '/folder/preset.yaml']);
  return { message, remedy, details };
}

const files = [
  ...readdirSync('resources/models').map((name) => join('resources', 'models', name, 'preset.yaml')),
  'resources/own/template/preset.yaml',
];

it.each(files)('%s has nothing wrong, in its fields of run.yaml neither', (path) => {
  expect(checkPreset(parseYaml(readFileSync(path, 'utf8')))).toHaveProperty('id');
});

describe('a preset.yaml', () => {
  it('of a title only is told all that it lacks at once, each with its form', () => {
    const { message, remedy, details } = saidOf({ title: 'Mine' });
    const required = presetKeys().filter(({ path, isRequired }) => isRequired && !/[.[]/.test(path));
    expect(required.length).toBeGreaterThan(9);
    for (const { path } of required) {
      if (path === 'title') continue;
      expect(message).toMatch(new RegExp(`\\b${path}\\b`));
      expect(details).toMatch(new RegExp(`^${path} is missing; for example ${path}: `, 'm'));
    }
    expect(details).toContain('for example id: my-model\n');
    expect(details).toContain(
      'inputs: [{ name: INPUT__0, datatype: FP32, shape: [-1, 3] }], outputs: [{ name: OUTPUT__0',
    );
    expect(remedy).toContain('The form of each is below.');
    expect(remedy).toContain('"init NEW_FOLDER"');
  });

  it.each([
    ['an empty file', null, ['preset.yaml must be an object'], ['reference preset']],
    ['one key less', { id: undefined }, ['preset.yaml lacks id'], ['for example id: my-model.']],
    [
      'a slip of the pen',
      { precision: ['fp32'], precisions: undefined },
      ['lacks precisions', 'precision is an unknown key (did you mean precisions?)'],
      ['precisions: [fp32, fp16]'],
    ],
    ['a name of its own', { colour: 'red' }, ['colour is an unknown key; its keys are id, title'], []],
    ['an id that is a title', { id: 'My Model' }, ['id must have lower-case letters'], ['id: my-model']],
    ['a format in one word', { formats: 'onnx' }, ['formats must be a list'], ['formats: [onnx, ts-trace]']],
    [
      'a format that there is not',
      { formats: ['onnx', 'torchscript'] },
      ['formats[1] must be one of onnx, ts-trace'],
      ['formats: [onnx, ts-trace]'],
    ],
    [
      'a datatype of another language',
      { signature: { inputs: [{ name: 'x', datatype: 'float32', shape: [-1, 3] }], outputs: [] } },
      ['signature.inputs[0].datatype must be one of BOOL', 'signature.outputs must have at least 1 value'],
      ['datatype: FP32', 'outputs: [{ name: OUTPUT__0'],
    ],
    [
      'a release that is a number',
      { ngcRelease: 26.07 },
      ['ngcRelease must be text'],
      ["ngcRelease: '26.07'"],
    ],
    [
      'no profile',
      { profiles: {} },
      ['profiles must have a profile quick or full'],
      ['profiles: { quick: {'],
    ],
    ['another profile', { profiles: { fast: {} } }, ['profiles.fast is an unknown key'], []],
    [
      'a profile without its parts',
      { profiles: { quick: { args: {} } } },
      ['lacks profiles.quick.summary, profiles.quick.defaults'],
      ['summary: A short look.', 'defaults: {'],
    ],
    [
      'a field that run.yaml does not have',
      { defaults: { configure: { maxBatch: 8 } } },
      ['defaults.configure.maxBatch is not a field of run.yaml (did you mean maxBatchSize?)'],
      ['"triton-workbench fields configure" lists the fields'],
    ],
    [
      'a value that its field does not take, in a profile',
      { profiles: { quick: { summary: '', args: {}, defaults: { performance: { warmupMs: 'long' } } } } },
      ['profiles.quick.defaults.performance.warmupMs must be a'],
      ['"triton-workbench fields performance" lists what each field takes'],
    ],
  ] as const)('with %s is told so, and how it is written', (_what, change, says, helps) => {
    const tree =
      change === null ? null : (JSON.parse(JSON.stringify({ ...smallest(), ...change })) as unknown);
    const { message, remedy } = saidOf(tree);
    for (const words of says) expect(message).toContain(words);
    for (const words of helps) expect(remedy).toContain(words);
    expect(`${message}${remedy}`).not.toMatch(/Correct the named field|\.\.(?!\.)/);
  });

  it('with hundreds of wrong keys is told the first of them, and how many there are', () => {
    const keys = Object.fromEntries(Array.from({ length: 500 }, (_one, index) => [`key${index}xyzw`, 1]));
    const { message, details } = saidOf({ ...smallest(), ...keys });
    expect(message.length).toBeLessThan(8000);
    expect(message).toMatch(/; 80 more$/);
    expect(details.split('\n')).toHaveLength(100);
  });
});
