import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeBundle } from '../../../main/bundle/bundle';
import type { BundleImage } from '../../../main/bundle/manifests';
import type { DeployableRun } from '../../../main/deployments/deployable-run';
import { modelConfigSchema } from '../../../main/triton/model-config';
import { repository as checkout } from '../../support/home';
import { repositorySource, repositorySpec } from '../../support/repository-source';
import { completeState } from '../../support/run-state';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'twb-bundle-repository-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const written = 'backend: "python"  # by hand\n';

async function bundled(
  image: BundleImage,
  change: Partial<DeployableRun> = {},
  more: object = {},
): Promise<{ readonly dir: string; readonly text: (path: string) => Promise<string> }> {
  const folder = join(root, 'run');
  for (const [path, text] of [
    ['m/config.pbtxt', written],
    ['m/1/model.py', 'code'],
    ['called/1/model.onnx', 'weights'],
    ['called/1/__pycache__/x.pyc', 'byte code'],
  ] as const) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await mkdir(join(folder, 'whole', '1'), { recursive: true });
  const models = [
    { name: 'm', backend: 'python' },
    { name: 'called', backend: 'onnxruntime' },
    { name: 'whole', backend: 'ensemble' },
  ];
  const spec = repositorySpec(repositorySource({ models, with: ['called'] }));
  const plain = completeState();
  const state = { ...plain, accuracy: null, source: { ...plain.source, spec } };
  const run: DeployableRun = {
    about: {
      ...{ runId: 'a-run', format: 'repository', precision: 'as-is', accuracy: 'not checked' },
      repository: { version: 1, models: models.map(({ name }) => name), with: ['called'] },
    },
    config: modelConfigSchema.parse({
      ...{ name: 'm', maxBatchSize: 8, ...more },
      input: [{ name: 'x', dataType: 'TYPE_FP32', dims: [3] }],
    }),
    ...{ version: 1, engine: { kind: 'local', framework: 'pyt', asIs: true } },
    ...{ files: join(folder, 'm', '1'), samples: join(root, 'none'), keepConfig: () => Promise.resolve() },
    check: { canary: null, anyValues: true, anyAnswers: true, atol: {}, rtol: {}, maxMismatch: {} },
    ...{ sizes: [1], steady: [] },
    repository: { folder },
    ...change,
  };
  const dir = await writeBundle(join(root, 'bundle'), {
    ...{ run, state, measured: state, titles: {}, image, capacity: null, found: null },
    resources: join(checkout, 'resources'),
  });
  return { dir, text: (path) => readFile(join(dir, path), 'utf8') };
}

const builtHere = { reference: 'triton-workbench/triton-cpu:0123', builtHere: true, release: null };
const ofNvidia = {
  ...{ reference: 'nvcr.io/nvidia/tritonserver:26.07-py3', builtHere: false, release: '26.07' },
  keepsEntrypoint: true,
};

it('has all models byte for byte, with checksums, and what the smoke test asks them', async () => {
  const { dir, text } = await bundled(builtHere);
  const models = join(dir, 'model-repository');
  expect((await readdir(models)).sort()).toEqual(['called', 'm', 'whole']);
  // The empty version of an ensemble.
  expect(await readdir(join(models, 'whole'))).toEqual(['1']);
  expect(await text('model-repository/m/config.pbtxt')).toBe(written);
  expect(
    (await text('SHA256SUMS'))
      .trimEnd()
      .split('\n')
      .map((line) => line.split('  ')[1]),
  ).toEqual([
    'model-repository/called/1/model.onnx',
    'model-repository/m/1/model.py',
    'model-repository/m/config.pbtxt',
  ]);
  const expectation: unknown = JSON.parse(await text('expectation.json'));
  expect(expectation).toMatchObject({ model: 'm', version: 1, beside: ['called', 'whole'], anyValues: true });
  expect(expectation).not.toHaveProperty('decoupled');
});

it('lets Triton complete configurations, and says what the run was of', async () => {
  const { text } = await bundled(builtHere);
  for (const file of ['compose.yaml', 'kubernetes/deployment.yaml', 'kserve/inferenceservice.yaml']) {
    expect(await text(file)).toContain('--load-model=*');
    expect(await text(file)).not.toContain('--disable-auto-complete-config');
  }
  const readme = await text('README.md');
  expect(readme).toContain(
    'The model of run 20251121-081700-resnet50-onnx-fp16-a1b2c3 (Triton repository as it is, version 1 of Triton, with called, whole) for NVIDIA Triton, as it was measured; its accuracy: not checked.',
  );
  expect(readme).toContain('model-repository/: what Triton serves, all models under their own names');
  expect(readme).not.toContain('has backends of its own');
});

it('says that an image with other backends was not run', async () => {
  const { text } = await bundled(ofNvidia);
  expect(await text('README.md')).toContain(
    'nvcr.io/nvidia/tritonserver:26.07-py3 has backends of its own for these models, and was not run',
  );
  expect(await text('compose.yaml')).not.toContain('--disable-auto-complete-config');
});

it('has the configuration of a search, and a word for models that answer otherwise', async () => {
  const config = `${written}instance_group [ { count: 2 } ]\n`;
  const { text } = await bundled(
    builtHere,
    { repository: { folder: join(root, 'run'), config: { model: 'm', text: config } } },
    { modelTransactionPolicy: { decoupled: true } },
  );
  expect(await text('model-repository/m/config.pbtxt')).toBe(config);
  expect(JSON.parse(await text('expectation.json'))).toMatchObject({ decoupled: true });
});
