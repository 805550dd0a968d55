import { describe, expect, it } from 'vitest';
import { formatConfigPbtxt, parseConfigPbtxt } from '../../../main/triton/config/config-pbtxt';
import { applyConfigPatch, diffConfig } from '../../../main/triton/served-config';
import { tinyConfig } from '../../support/tiny-model';

const written = formatConfigPbtxt(tinyConfig);
const edited = (from: string, to: string) => parseConfigPbtxt(written.replace(from, to));

/** Edits by hand of what the workbench writes, each with what it makes of the file. */
const edits: readonly (readonly [string, string, object])[] = [
  ['count: 2', 'count: 3', { instanceGroup: [{ count: 3, kind: 'KIND_CPU' }] }],
  ['max_queue_delay_microseconds: 100', '', { dynamicBatching: { maxQueueDelayMicroseconds: null } }],
  [
    'dynamic_batching {',
    'dynamic_batching { preserve_ordering: true',
    { dynamicBatching: { preserveOrdering: true } },
  ],
  [
    'backend: "python"',
    'backend: "python" response_cache { enable: true }',
    { responseCache: { enable: true } },
  ],
  ['key: "note"', 'key: "other"', { parameters: { note: null, other: { stringValue: 'a "quoted" text' } } }],
  ['backend: "python"', 'backend: "python" platform: ""', {}],
  [
    'backend: "python"',
    'backend: "python" model_warmup [ { name: "w" batch_size: 1 } ]',
    { modelWarmup: [{ name: 'w', batchSize: 1 }] },
  ],
];

describe('a patch of config.pbtxt', () => {
  it.each(edits)('%s -> %s', (from, to, expected) => {
    const wanted = edited(from, to);
    const patch = diffConfig(tinyConfig, wanted);
    expect(patch).toEqual(expected);
    expect(diffConfig(applyConfigPatch(tinyConfig, patch), wanted)).toEqual({});
  });

  it('is empty where nothing differs, and empty does nothing', () => {
    expect(diffConfig(tinyConfig, parseConfigPbtxt(written))).toEqual({});
    expect(applyConfigPatch(tinyConfig, {})).toEqual(tinyConfig);
  });

  it('takes the names of config.pbtxt as well', () => {
    const patch = { dynamic_batching: { preserve_ordering: true } };
    expect(applyConfigPatch(tinyConfig, patch).dynamicBatching).toEqual({
      ...tinyConfig.dynamicBatching,
      preserveOrdering: true,
    });
  });

  it.each([
    [{ dynamicBatching: { preferred: [4] } }, 'configure.configPatch.dynamic_batching.preferred'],
    [{ dynamicBatching: { nothing: null } }, 'configure.configPatch.dynamic_batching.nothing'],
    [JSON.parse('{"__proto__": {"polluted": true}}') as object, 'configure.configPatch.__proto__'],
    [{ maxBatchSize: 'eight' }, 'configure.configPatch.max_batch_size'],
    [{ instanceGroup: [{ kind: 'KIND_MOON' }] }, 'configure.configPatch.instance_group[0].kind'],
    [{ input: { name: 'x' } }, 'configure.configPatch.input'],
    [{ parameters: { note: { stringValue: 5 } } }, 'configure.configPatch.parameters["note"].string_value'],
  ])('refuses %j', (patch, where) => {
    expect(() => applyConfigPatch(tinyConfig, Object.fromEntries(Object.entries(patch)))).toThrow(
      expect.objectContaining({ code: 'config-invalid', where }),
    );
  });
});
