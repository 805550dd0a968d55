import { describe, expect, it } from 'vitest';
import type { WorkbenchError } from '../../../main/contract/errors';
import { assertLoadKind, type LoadKind } from '../../../main/perf/load-tools';
import type { TritonClient } from '../../../main/triton/client';
import { composingModels, readModelTraits } from '../../../main/triton/model-traits';
import { parseServedConfig } from '../../../main/triton/served-config';

const sequences = { length: 20, lengthVariation: 20, concurrent: 4, firstId: 1 };
const plain = { sequences: false, decoupled: false };

function refusal(traits: typeof plain, settings: LoadKind['settings'], change: Partial<LoadKind> = {}) {
  try {
    assertLoadKind(traits, { modelName: 'm', protocol: 'grpc', batchSizes: [1], settings, ...change });
    return null;
  } catch (error) {
    return error as WorkbenchError;
  }
}

describe('load of the kind that a model takes', () => {
  it.each([
    ['single requests to a plain model', plain, {}],
    ['a stream to a plain model', plain, { streaming: true }],
    ['sequences to a stateful model', { ...plain, sequences: true }, { sequences }],
    ['a stream to a decoupled model', { ...plain, decoupled: true }, { streaming: true }],
    ['both to a model that is both', { sequences: true, decoupled: true }, { sequences, streaming: true }],
  ])('is let through: %s', (_what, traits, settings) => {
    expect(refusal(traits, settings)).toBeNull();
  });

  it.each([
    ['single requests to a stateful model', { ...plain, sequences: true }, {}, {}, /--sequence-length/],
    ['sequences to a model without state', plain, { sequences }, {}, /sequence_batching/],
    ['single calls to a decoupled model', { ...plain, decoupled: true }, {}, {}, /--streaming/],
    ['a stream over HTTP', plain, { streaming: true }, { protocol: 'http' as const }, /--protocol grpc/],
    [
      'batches of one sequence',
      { ...plain, sequences: true },
      { sequences },
      { batchSizes: [1, 4] },
      /size 1/,
    ],
    [
      'shared memory for several answers',
      plain,
      { streaming: true, sharedMemory: 'system' as const },
      {},
      /--shared-memory/,
    ],
  ])('else is refused with the remedy: %s', (_what, traits, settings, change, remedy) => {
    const error = refusal(traits, settings, change);
    expect(error?.code).toBe('combination-unsupported');
    expect(error?.remedy).toMatch(remedy);
  });
});

/** Configurations as Triton's HTTP interface gives them, by model. */
function clientOf(configs: Readonly<Record<string, unknown>>) {
  const client: Pick<TritonClient, 'modelConfig'> = {
    modelConfig: (name) => Promise.resolve(parseServedConfig(configs[name])),
  };
  return client;
}

describe('the traits of a model', () => {
  const configs = {
    plain: { name: 'plain', model_transaction_policy: { decoupled: false } },
    talker: { name: 'talker', model_transaction_policy: { decoupled: true } },
    // Triton writes the field without anything in it when only the defaults apply.
    stateful: { name: 'stateful', sequence_batching: {} },
    outer: {
      name: 'outer',
      ensemble_scheduling: { step: [{ model_name: 'inner' }, { model_name: 'plain' }] },
    },
    inner: { name: 'inner', ensemble_scheduling: { step: [{ model_name: 'stateful' }] } },
  };

  it.each([
    ['plain', plain],
    ['talker', { ...plain, decoupled: true }],
    ['stateful', { ...plain, sequences: true }],
    ['outer', { ...plain, sequences: true }],
  ])('are read from its configuration, and from those it is composed of: %s', async (name, traits) => {
    expect(await readModelTraits(clientOf(configs), { name, version: '' })).toEqual(traits);
  });

  it('are those of an ensemble whose parts name each other, each asked about once', async () => {
    const step = (name: string) => ({
      name,
      ensemble_scheduling: { step: [{ model_name: 'a' }, { model_name: 'b' }] },
    });
    const asked: string[] = [];
    const client: Pick<TritonClient, 'modelConfig'> = {
      modelConfig: (name) => {
        asked.push(name);
        return Promise.resolve(parseServedConfig(step(name)));
      },
    };
    expect(await readModelTraits(client, { name: 'a', version: '1' })).toEqual(plain);
    expect(asked).toEqual(['a', 'b']);
  });

  it.each(['one', 'many'])(
    'are refused of an ensemble without an end: %s new names in every answer',
    async (kind) => {
      let asked = 0;
      const client = {
        modelConfig: () => {
          asked += 1;
          const step = Array.from({ length: kind === 'one' ? 1 : 5000 }, (_unused, at) => ({
            model_name: `part-${asked}-${at}`,
          }));
          return Promise.resolve(parseServedConfig({ name: 'a', ensemble_scheduling: { step } }));
        },
      };
      await expect(readModelTraits(client, { name: 'a', version: '' })).rejects.toThrow(
        'more than 256 models',
      );
      await expect(composingModels(client as unknown as TritonClient, 'a', '')).rejects.toThrow(
        'more than 256 models',
      );
      expect(asked).toBeLessThan(1000);
    },
  );
});
