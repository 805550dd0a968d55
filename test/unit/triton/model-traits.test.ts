import { describe, expect, it } from 'vitest';
import type { TritonClient } from '../../../main/triton/client';
import { composingModels, readModelTraits } from '../../../main/triton/model-traits';
import { parseServedConfig } from '../../../main/triton/served-config';

const plain = { sequences: false, decoupled: false };

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
      await expect(composingModels(client, { name: 'a', version: '' })).rejects.toThrow(
        'more than 256 models',
      );
      expect(asked).toBeLessThan(1000);
    },
  );
});

describe('the models of which times are read', () => {
  const configs: Readonly<Record<string, object>> = {
    logic: { max_batch_size: 4, instance_group: [{ count: 2 }] },
    chain: { ensemble_scheduling: { step: [{ model_name: 'net' }] } },
    net: {
      max_batch_size: 16,
      instance_group: [{ count: 2, kind: 'KIND_GPU', gpus: [0, 1] }, { count: 1 }],
    },
  };
  const client = {
    modelConfig: (name: string) => Promise.resolve(parseServedConfig({ name, ...configs[name] })),
  };

  it('are those that it calls by BLS where they are named, with what these are made of', async () => {
    const asked = { name: 'logic', version: '', blsModels: ['chain', 'net'] };
    const { steps, models } = await composingModels(client, asked);
    expect(steps).toEqual([]);
    expect(models).toMatchObject([
      { name: 'chain', bls: true, instances: null },
      // On each of two GPUs two, and one elsewhere.
      { name: 'net', bls: true, instances: 5, maxBatchSize: 16 },
    ]);
    expect((await composingModels(client, { name: 'chain', version: '' })).models).toMatchObject([
      { name: 'net', bls: false },
    ]);
  });
});
