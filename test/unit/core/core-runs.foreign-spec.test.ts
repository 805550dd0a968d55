import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WorkbenchError } from '../../../main/contract/errors';
import { openModelSchema } from '../../../main/contract/run/own-model';
import type { RunSpec } from '../../../main/contract/run/run-spec';
import type { Core } from '../../../main/core';
import { ownPreset } from '../../../main/own/own-preset';
import { homeLayout } from '../../../main/platform/layout';
import { resolveSpec } from '../../../main/presets/resolve-spec';
import { RunKey } from '../../../main/store/run-key';
import { RunStore } from '../../../main/store/run-store';
import { directReaders } from '../../support/direct-readers';
import { scripted } from '../../support/model-bench';
import { onnxBytes } from '../../support/onnx-bytes';
import { rejection } from '../../support/rejection';
import { environmentFixture } from '../../support/run-state';
import { createTestCore } from '../../support/test-core';

let home: string;
let core: Core;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-foreign-'));
  core = await createTestCore(home);
});
afterEach(async () => {
  await core.close();
  await rm(home, { recursive: true, force: true });
});

/** What a specification from elsewhere is told: when it is to become a run, and when its run is to go on. */
async function refusals(spec: RunSpec): Promise<readonly WorkbenchError[]> {
  const created = await rejection(core.handlers['runs.create']({ spec }));
  expect(await readdir(homeLayout(home).runs).catch(() => [])).toEqual([]);
  const { runs, runKey } = homeLayout(home);
  const store = new RunStore(runs, new RunKey(runKey));
  const { state, folder } = await store.create(spec, environmentFixture());
  const resumed = await rejection(core.handlers['runs.execute']({ runId: state.runId }));
  // Nothing was begun: not even a folder of a step.
  expect(await readdir(join(folder.dir, 'steps')).catch(() => [])).toEqual([]);
  expect((await core.handlers['runs.show']({ runId: state.runId })).state.attempt).toBe(0);
  return [created, resumed];
}

describe('a specification from elsewhere', () => {
  it.each([
    [
      { parameters: { EXECUTION_ENV_PATH: { stringValue: '/tmp/env.tar.gz' } } },
      'parameters["EXECUTION_ENV_PATH"]',
    ],
    [{ modelRepositoryAgents: { agents: [{ name: 'evil' }] } }, 'model_repository_agents'],
    [{ modelOperations: { opLibraryFilename: ['/tmp/evil.so'] } }, 'model_operations'],
    [{ runtime: 'libtriton_evil.so' }, 'runtime'],
    [
      { modelWarmup: [{ name: 'w', batchSize: 1, inputs: { x: { inputDataFile: '../../../etc/passwd' } } }] },
      'model_warmup[0].inputs["x"].input_data_file',
    ],
  ])('with the patch %j is not run, and not resumed', async (configPatch, field) => {
    const spec = await core.handlers['presets.resolve']({
      preset: 'resnet50',
      overrides: { configure: { configPatch } },
    });
    for (const error of await refusals(spec)) {
      expect(error).toMatchObject({ code: 'config-invalid', where: `configure.configPatch.${field}` });
      expect(error.remedy).toContain('Remove it from config.pbtxt');
    }
  });

  it.each([
    ['engine.context', { context: 'prod' }],
    ['engine.serviceAccount', { serviceAccount: 'admin' }],
    ['engine.claim', { claim: 'home' }],
    ['engine.image', { image: 'attacker/image:1' }],
    ['engine.profile', { profile: '/somewhere/profile.yaml' }],
  ])('that names %s of Kubernetes is not run, and not resumed', async (where, named) => {
    const spec = await core.handlers['presets.resolve']({ preset: 'resnet50', overrides: {} });
    const engine: RunSpec['engine'] = { kind: 'kubernetes', ...named };
    const [created, resumed] = await refusals({ ...spec, engine });
    expect(created).toMatchObject({ code: 'not-trusted', where });
    expect(resumed).toMatchObject({ code: 'not-trusted', where });
    expect(resumed?.remedy).toContain('--trust');
  });

  it('that breaks a rule of specifications is not run, and not resumed', async () => {
    const good = await core.handlers['presets.resolve']({ preset: 'resnet50', overrides: {} });
    const spec = { ...good, model: { ...good.model, dataset: '../data' } };
    for (const error of await refusals(spec)) {
      expect(error).toMatchObject({ code: 'spec-invalid', where: 'model.dataset' });
    }
  });

  const fileSpec = async (path: string): Promise<RunSpec> => {
    const tensor = { name: 'x', datatype: 'FP32', shape: [-1, 3] };
    const source = {
      kind: 'onnx' as const,
      path,
      title: 'net',
      inputs: [{ ...tensor, sample: [1, 3] }],
      outputs: [{ ...tensor, name: 'y' }],
      batched: true,
      externalFiles: [],
    };
    const { preset } = await ownPreset(source, 'resources', directReaders);
    return resolveSpec(preset, { model: { source } });
  };

  it('cannot pass TorchScript off as an ONNX file', async () => {
    const path = join(home, 'net.pt');
    await writeFile(path, scripted('  def forward(self: M,\n    x: Tensor) -> Tensor:\n'));
    const spec = await fileSpec(path);
    for (const error of await refusals({ ...spec, format: 'ts-trace' })) {
      expect(error).toMatchObject({ code: 'not-trusted', where: path });
    }
  });

  it('cannot have TorchScript read as ONNX', async () => {
    const path = join(home, 'net.pt');
    await writeFile(path, scripted('  def forward(self: M,\n    x: Tensor) -> Tensor:\n'));
    for (const error of await refusals(await fileSpec(path))) {
      expect(error).toMatchObject({ code: 'model-file-invalid', where: path });
    }
  });

  it('cannot have an ONNX file served in a format that it is not offered in, even when the file is trusted', async () => {
    const path = join(home, 'net.onnx');
    await writeFile(path, onnxBytes());
    const spec = { ...(await fileSpec(path)), format: 'ts-trace' as const };
    await core.handlers['models.trust'](openModelSchema.parse({ path }));
    for (const error of await refusals(spec)) {
      expect(error).toMatchObject({ code: 'combination-unsupported', where: 'format' });
    }
  });

  it('cannot reach out of the folder of its model through a link', async () => {
    const path = join(home, 'net.onnx');
    await writeFile(path, onnxBytes());
    await symlink('/etc/passwd', join(home, 'net.bin'));
    const spec = await fileSpec(path);
    const source = spec.model.source && { ...spec.model.source, externalFiles: ['net.bin'] };
    for (const error of await refusals({ ...spec, model: { ...spec.model, source } })) {
      expect(error).toMatchObject({ code: 'model-file-invalid', where: path });
      expect(error.message).toContain('etc/passwd');
    }
  });

  // H6
  it('is refused with the list of the paths and images that nobody agreed to', async () => {
    const spec = await core.handlers['presets.resolve']({
      preset: 'resnet50',
      overrides: {
        model: { dataset: '/home/victim' },
        engine: { kind: 'docker', clientImage: 'attacker/image:1' },
      },
    });
    for (const error of await refusals(spec)) {
      expect(error).toMatchObject({ code: 'not-trusted', where: 'model.dataset' });
      expect(error.message).toContain('/home/victim');
      expect(error.message).toContain('attacker/image:1');
    }
  });

  it('that gives the whole machine as a data set is not run, and not resumed', async () => {
    const good = await core.handlers['presets.resolve']({ preset: 'resnet50', overrides: {} });
    for (const error of await refusals({ ...good, model: { ...good.model, dataset: '/tmp/..' } })) {
      expect(error).toMatchObject({ code: 'spec-invalid', where: 'model.dataset' });
    }
  });

  it('of an ONNX file needs no trust, and a file that is gone is named', async () => {
    const path = join(home, 'net.onnx');
    await writeFile(path, onnxBytes());
    const spec = await fileSpec(path);
    await core.handlers['approvals.give']({ path });
    // As far as the tools, which this home lacks.
    expect((await rejection(core.handlers['runs.create']({ spec }))).code).toBe('toolchain-missing');
    await rm(path);
    expect(await rejection(core.handlers['runs.create']({ spec }))).toMatchObject({
      code: 'input-invalid',
      where: path,
    });
  });
});
