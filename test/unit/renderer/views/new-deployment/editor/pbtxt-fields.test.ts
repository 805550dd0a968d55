import { describe, expect, it } from 'vitest';
import {
  fieldsAt,
  pbtxtPlace,
  valuesAt,
} from '../../../../../../renderer/views/new-deployment/editor/pbtxt-fields';

const namesAt = (...path: string[]): readonly string[] => fieldsAt(path).map(({ name }) => name);

describe('the fields of config.pbtxt', () => {
  it('are those of ModelConfig, by the names of the text', () => {
    expect(namesAt()).toContain('max_batch_size');
    expect(fieldsAt([]).find(({ name }) => name === 'input')).toEqual({
      ...{ name: 'input', type: 'repeated ModelInput', isMessage: true },
    });
  });

  it('are those of the message around', () => {
    expect(namesAt('dynamic_batching')).toContain('preferred_batch_size');
    expect(namesAt('dynamic_batching', 'default_queue_policy')).toContain('timeout_action');
    expect(namesAt('optimization', 'execution_accelerators', 'gpu_execution_accelerator')).toContain(
      'parameters',
    );
    expect(namesAt('parameters')).toEqual(['key', 'value']);
    expect(namesAt('parameters', 'value')).toEqual(['string_value']);
    expect(namesAt('nowhere')).toEqual([]);
  });

  it('have values where they are words', () => {
    expect(valuesAt(['input'], 'data_type')).toContain('TYPE_FP32');
    expect(valuesAt(['instance_group'], 'kind')).toContain('KIND_GPU');
    expect(valuesAt(['response_cache'], 'enable')).toEqual(['true', 'false']);
    expect(valuesAt([], 'name')).toEqual([]);
  });
});

describe('the place in a text of config.pbtxt', () => {
  it.each([
    ['', [], null],
    ['name: "a"\n', [], null],
    ['max_batch_size: ', [], 'max_batch_size'],
    ['dynamic_batching {\n  ', ['dynamic_batching'], null],
    ['dynamic_batching { }\n', [], null],
    ['input [\n  { name: "x"\n    data_type: ', ['input'], 'data_type'],
    ['input [ { name: "{" } ]\n', [], null],
    ['input [ { dims: [ 1, 2 ] }, { ', ['input'], null],
    ['instance_group { kind: KIND_CPU # {\n', ['instance_group'], null],
    ['parameters { key: "a" value: { ', ['parameters', 'value'], null],
  ])('%j', (text, path, valueOf) => {
    expect(pbtxtPlace(text)).toEqual({ path, valueOf });
  });

  it.each(['name: "a', '# a comment', 'name: "'])('%j is no place for a field', (text) => {
    expect(pbtxtPlace(text)).toBeNull();
  });
});
