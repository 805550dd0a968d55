import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ServedRepository } from '../../../../main/contract/run/run-spec';
import {
  ownConfigs,
  ownFilter,
  partSpec,
  requireEditable,
  requireOwnPlace,
  requireOwnSpace,
  requireSameParts,
} from '../../../../main/core/search/own-configs';
import { runFolder } from '../../../../main/store/run-folder';
import { rejection } from '../../../support/rejection';
import { repositorySource, repositorySpec } from '../../../support/repository-source';
import { specFixture } from '../../../support/run-state';

const tuned = `# by hand
name: "m"
backend: "python"   max_batch_size: 8
dynamic_batching { max_queue_delay_microseconds: 100   preserve_ordering: true }
instance_group [ { count: 1 kind: KIND_CPU } ]
`;

async function temporary(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'twb-own-configs-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

async function configurations(change: Partial<ServedRepository> = {}) {
  const source = repositorySource({ config: tuned, ...change });
  const folder = runFolder(await temporary());
  const path = join(folder.step('deploy'), 'served', 'm', 'config.pbtxt');
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, 'name: "m" max_batch_size: 8');
  return ownConfigs({ spec: repositorySpec(source), folder, runId: 'a-run' }, source);
}

describe('ownConfigs', () => {
  it('changes the searched fields and the name, and no other byte', async () => {
    const { own, configOf } = (await configurations())({ instances: 3, maxQueueDelayUs: 0 });
    expect(own?.textOf('m--2')).toBe(
      tuned
        .replace('"m"', '"m--2"')
        .replace('count: 1', 'count: 3')
        .replace(' max_queue_delay_microseconds: 100  ', ''),
    );
    expect(configOf('m--2')).toMatchObject({ name: 'm--2', maxBatchSize: 8 });
  });

  it('is the file itself where nothing is changed, and none where there is none', async () => {
    expect((await configurations())({}).own?.textOf('m')).toBe(tuned);
    expect((await configurations({ config: null }))({}).own?.textOf('m--2')).toBeNull();
  });

  it('knows what is served beside it', async () => {
    const models = ['m', 'called', 'deep'].map((name) => ({ name, backend: 'python' }));
    expect((await configurations({ models, with: ['called'] }))({}).own).toMatchObject({
      ...{ others: ['called', 'deep'], with: ['called'] },
    });
  });

  it('refuses a field that the configuration has no place for when it is written', async () => {
    const { own } = (await configurations())({ threads: 4 });
    expect(() => own?.textOf('m')).toThrow(/no parameter for its threads/);
  });
});

describe('what a search of a repository compares', () => {
  const spec = repositorySpec(repositorySource({ config: tuned }));

  it('is what the configuration has a place for', () => {
    const isServable = ownFilter(spec);
    const { instances, maxBatchSize, batching, preferredBatchSizes, maxQueueDelayUs, threads } =
      spec.configure;
    const own = { instances, maxBatchSize, batching, preferredBatchSizes, maxQueueDelayUs, threads };
    expect(isServable?.({ ...own, instances: 4 })).toBe(true);
    expect(isServable?.({ ...own, threads: 1 })).toBe(false);
    expect(ownFilter(specFixture())).toBeNull();
  });

  it('is refused where it was asked for and has no place', () => {
    expect(() => requireOwnSpace(spec, { threads: [1, 2] })).toThrow(/no parameter for its threads/);
    expect(() => requireOwnSpace(spec, { format: ['onnx'] })).toThrow(/served as they are/);
    expect(() => requireOwnSpace(spec, { instances: [1, 2], maxQueueDelayUs: [0] })).not.toThrow();
    expect(() => requireOwnSpace(specFixture(), { format: ['onnx'] })).not.toThrow();
    expect(() => requireEditable(spec, { threads: 3 })).toThrow(/no parameter for its threads/);
    expect(() => requireEditable(specFixture(), { threads: 3 })).not.toThrow();
  });

  it('is not an ensemble, whose models are searched by themselves', () => {
    const models = [{ name: 'm', backend: 'ensemble' }];
    const ensemble = repositorySpec(repositorySource({ models, config: 'platform: "ensemble"' }));
    expect(() => requireOwnSpace(ensemble, {})).toThrow(
      expect.objectContaining({
        code: 'combination-unsupported',
        remedy: expect.stringContaining('--part MODEL') as string,
      }) as Error,
    );
  });

  it('is not loaded beside the models of others with names of its own', () => {
    const models = ['m', 'called'].map((name) => ({ name, backend: 'python' }));
    const several = repositorySpec(repositorySource({ models }));
    expect(() => requireOwnPlace(several, false)).not.toThrow();
    expect(() => requireOwnPlace(several, true)).toThrow(/m is served with called, which cannot be loaded/);
    for (const single of [spec, specFixture()]) expect(() => requireOwnPlace(single, true)).not.toThrow();
  });
});

it('models that variants share are the same, byte for byte', async () => {
  const dir = await temporary();
  const variant = async (run: string, others: Readonly<Record<string, string>>) => {
    const folder = join(dir, run);
    for (const [name, code] of Object.entries({ m: run, ...others })) {
      await mkdir(join(folder, name), { recursive: true });
      await writeFile(join(folder, name, 'model.py'), code);
    }
    return { name: 'm', own: { folder, others: Object.keys(others), with: [], textOf: () => null } };
  };
  const one = await variant('one', { part: 'p' });
  await expect(requireSameParts([one, await variant('two', { part: 'p' })])).resolves.toBeUndefined();
  expect(await rejection(requireSameParts([one, await variant('three', { part: 'q' })]))).toMatchObject({
    message: 'The runs are served with different models part',
  });
});

describe('a model in an ensemble', () => {
  const scale = 'backend: "python"   # by hand\nmax_batch_size: 4\ninstance_group [ { count: 1 } ]\n';
  const step = (name: string) => `{ model_name: "${name}" model_version: -1 }`;
  const config = `name: "m" platform: "ensemble"\nensemble_scheduling { step [ ${step('scale')}, ${step('net')} ] }\n`;
  const models = [
    { name: 'm', backend: 'ensemble' },
    { name: 'scale', backend: 'python' },
    { name: 'net', backend: 'onnxruntime' },
  ];
  const source = repositorySource({ models, config });
  const spec = repositorySpec(source);

  async function served() {
    const folder = runFolder(await temporary());
    for (const [path, text] of [
      [join(folder.step('deploy'), 'served', 'm', 'config.pbtxt'), 'name: "m" max_batch_size: 4'],
      [join(folder.step('deploy'), 'served', 'scale', 'config.pbtxt'), 'name: "scale" max_batch_size: 4'],
      [join(folder.step('deploy'), 'served', 'net', 'config.pbtxt'), 'name: "net" max_batch_size: 4'],
      [join(folder.repository, 'scale', 'config.pbtxt'), scale],
    ] as const) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    }
    return { spec, folder, runId: 'a-run' };
  }

  it('has its fields searched, where it is one', async () => {
    const run = await served();
    expect((await partSpec(run, 'scale')).configure).toMatchObject({
      ...{ modelName: 'scale', maxBatchSize: 4, instances: 1 },
    });
    // Without a file Triton completed it.
    expect((await partSpec(run, 'net')).configure).toMatchObject({ maxBatchSize: 4, batching: 'dynamic' });
    expect(await rejection(partSpec(run, 'other'))).toMatchObject({
      ...{ code: 'input-invalid', remedy: 'Its models are: scale, net.' },
    });
    expect((await rejection(partSpec({ ...run, spec: repositorySpec() }, 'm'))).remedy).toBe('Leave it out.');
  });

  it('is served under a name of its own, which the ensemble of each variant names', async () => {
    const configs = await ownConfigs(await served(), source, 'scale');
    const { own } = configs({ instances: 2 });
    expect(own?.textOf('m--2')).toBe(
      config.replace('name: "m"', 'name: "m--2"').replace('"scale"', '"scale--of-m--2"'),
    );
    expect(own?.part?.nameIn('m--2')).toBe('scale--of-m--2');
    expect(own?.part?.textOf('scale--of-m--2')).toBe(scale.replace('count: 1', 'count: 2'));
    expect(own?.others).toEqual(['scale', 'net']);
  });
});
