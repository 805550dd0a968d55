import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { parse } from 'yaml';
import { specOf } from '../../main/contract/run/run-source';
import { homeLayout } from '../../main/platform/layout';
import { NewDeploymentPage } from '../e2e/pages/new-deployment.page';
import { RunPage } from '../e2e/pages/run.page';
import {
  answerConsent,
  appFolder,
  createHome,
  launch,
  saveTo,
  shutDown,
  type TestHome,
  type WorkbenchApp,
} from '../e2e/support/app';
import { onlyRun } from '../e2e/support/run-on-disk';
import { startCli } from '../support/cli';

let home: TestHome;
let terminalHome: TestHome;
let app: WorkbenchApp;

test.beforeAll(async () => {
  home = await createHome();
  terminalHome = await createHome();
});
test.afterAll(async () => {
  await shutDown(app);
  await home.remove();
  await terminalHome.remove();
});

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => new Promise((resolve) => server.once('listening', resolve))));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

const args = {
  blocks: '1,1,2,1',
  width: '8',
  classes: '6',
  classifier_std: '0.25',
  image_size: '48',
  dataset_classes: '6',
  dataset_image_size: '56',
  train_images: '6',
  val_images: '12',
  train_epochs: '1',
} as const;

/** Weights and a data set as an engineer has them: made beforehand by the same toolkit, outside of any run. */
function makeOwnFiles(): { readonly dataset: string; readonly checkpoint: string } {
  const dataset = join(home.path, 'own-images');
  const checkpoint = join(home.path, 'own-weights.pt');
  const toolkit = (verb: string, ...more: string[]) =>
    execFileSync(
      homeLayout(home.path).python,
      [
        ...['-m', 'toolkit', verb, '--model-dir', join(appFolder, 'resources', 'models', 'resnet50')],
        ...[
          '--profile',
          'full',
          ...Object.entries(args).flatMap(([name, value]) => ['--arg', `${name}=${value}`]),
        ],
        ...more,
      ],
      { env: { ...process.env, PYTHONPATH: join(appFolder, 'resources') }, stdio: 'pipe' },
    );
  toolkit('make-dataset', '--output', dataset);
  toolkit('train', '--dataset', dataset, '--output', checkpoint);
  return { dataset, checkpoint };
}

/** Another value than the default for every field of every page, in the order of the pages. */
async function wishes() {
  const [httpPort = '', grpcPort = ''] = (await freePorts(2)).map(String);
  const own = makeOwnFiles();
  return {
    Environment: { 'engine.httpPort': httpPort, 'engine.grpcPort': grpcPort },
    Model: {
      'model.profile': 'full',
      'model.checkpoint': own.checkpoint,
      'model.dataset': own.dataset,
      ...Object.fromEntries(Object.entries(args).map(([name, value]) => [`model.args.${name}`, value])),
    },
    'Export & convert': { onnxOpset: '12', format: 'ts-trace', precision: 'fp16' },
    Configure: {
      'configure.maxBatchSize': '6',
      'configure.preferredBatchSizes': '2, 6',
      'configure.maxQueueDelayUs': '250',
      'configure.instances': '2',
      'configure.threads': '1',
      'configure.instanceKind': 'KIND_CPU',
      'configure.modelName': 'residual',
      'configure.modelVersion': '7',
    },
    Accuracy: {
      'accuracy.atol.*': '0.5',
      'accuracy.rtol.*': '0.25',
      'accuracy.maxMismatch.*': '0.01',
      'accuracy.atol.OUTPUT__0': '0.75',
      'accuracy.rtol.OUTPUT__0': '0.125',
      'accuracy.maxMismatch.OUTPUT__0': '0.02',
      'accuracy.maxMetricDelta': '0.5',
      'accuracy.thresholds.top1': '0.01',
      'accuracy.thresholds.top5': '0.02',
      'accuracy.allowUnverified': 'true',
      'accuracy.samples': '8',
    },
    Performance: {
      'performance.batchSizes': '6',
      'performance.concurrency': '2',
      'performance.onlineBatchSize': '2',
      'performance.requestRates': '20, 40',
      'performance.requestDistribution': 'poisson',
      'performance.requestSeed': '7',
      'performance.search': 'linear',
      'performance.latencyThresholdMs': '5000',
      // Idle once the load tool is the one without them.
      'performance.warmupMs': '100',
      'performance.errorPercentage': '2',
      'performance.loadTool': 'perf_analyzer',
      'performance.protocol': 'http',
      'performance.inputData': 'zero',
      'performance.checkOutputs': 'finite',
      'performance.sharedMemory': 'system',
      'performance.outputSharedMemoryBytes': '4096',
      'performance.measurementIntervalMs': '400',
      'performance.measurementMode': 'count_windows',
      'performance.measurementRequestCount': '20',
      'performance.warmupRequestCount': '3',
      'performance.percentile': '95',
      'performance.stabilityPercentage': '50',
      'performance.maxTrials': '4',
      'performance.repeats': '2',
      'performance.crossCheck': 'true',
      'performance.offline.loadTool': 'native',
      'performance.offline.protocol': 'grpc',
      'performance.offline.sharedMemory': 'none',
      'performance.offline.measurementRequestCount': '25',
      'performance.online.loadTool': 'native',
      'performance.online.protocol': 'grpc',
      'performance.online.sharedMemory': 'none',
      'performance.online.measurementRequestCount': '30',
      // With it the fields of windows are idle.
      'performance.requestCount': '50',
    },
    'Review & run': Object.fromEntries(
      [
        ...['prepare-data', 'export', 'convert', 'configure', 'deploy'],
        ...['accuracy', 'profile-data', 'offline', 'online', 'report'],
      ].map((step, at) => [`deadlines.${step}`, String(1000 + at)]),
    ),
  } as const;
}

/** Fields that this machine, or what is chosen above, leaves one value only; the page says why. */
const fixed = [
  ...['engine.kind', 'model.preset', 'configure.backendAccelerator', 'configure.captureCudaGraph'],
  // Brings other defaults, which some of the values above may already be.
  'targetGpu',
  // The other ways to say when requests are sent, refused beside a request rate.
  ...['performance.requestIntervalsUs', 'performance.replay.file'],
];
/** Chosen last: with another batching its neighbours are idle. */
const batching = 'configure.batching';

const valueAt = (tree: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], tree);

test('an expert changes every field, edits config.pbtxt by hand, and the command line runs the very same', async () => {
  const wanted = await wishes();
  app = await launch(home);
  const { page } = app;
  const form = new NewDeploymentPage(page);
  await form.begin();
  await expect(form.start).toBeEnabled();
  for (const [name, values] of Object.entries(wanted)) {
    await form.open(name as keyof typeof wanted);
    for (const [path, value] of Object.entries<string>(values)) await form.set(path, value);
    const shown = await form.fields();
    const known = new Set([...Object.keys(values), ...fixed, batching]);
    expect(
      shown.filter((path) => !known.has(path)),
      `fields of ${name} without another value`,
    ).toEqual(shown.filter((path) => path === 'model.args.train_threads'));
    for (const path of Object.keys(values)) await expect(form.changed(path), path).toBeVisible();
  }

  await form.open('Configure');
  const text = await form.configText(app);
  await form.config.fill(`${text}\nmetric_tags { key: "team" value: "vision" }\n`);
  await expect(page.getByText(/lines? differs? from the generated text/)).toBeVisible();
  await expect(form.start).toBeEnabled();

  const exported = join(home.path, 'expert.yaml');
  await saveTo(app, exported);
  await form.exportAs('run.yaml, for the command line');
  await expect(page.getByText(exported)).toBeVisible();
  const spec: unknown = parse(await readFile(exported, 'utf8'));
  expect(valueAt(spec, 'configure.configPatch.metricTags')).toEqual({ team: 'vision' });
  expect(valueAt(spec, 'configure.modelName')).toBe('residual');
  expect(valueAt(spec, 'performance.concurrency')).toEqual([2]);
  expect(valueAt(spec, 'deadlines.report')).toBe(1009);

  await answerConsent(app, 'agree');
  await form.start.click();
  const run = new RunPage(page);
  await expect(run.status).toHaveAttribute('data-status', 'running');
  await run.button('Cancel run').click();
  await expect(run.status).toHaveAttribute('data-status', 'cancelled');

  // Of the home it was written for nothing is needed but the engineer's own files.
  const given = join(terminalHome.path, 'given.yaml');
  await writeFile(given, await readFile(exported));
  const refused = await startCli(terminalHome.path, ['run', '--spec', given]).result;
  expect(refused.stderr).toContain(`read ${wanted.Model['model.dataset']} (model.dataset)`);
  expect(refused.code).toBe(1);
  const { code, stderr, stdout } = await startCli(terminalHome.path, ['run', '--spec', given, '--trust'])
    .result;
  expect(code, stderr + stdout).toBe(0);
  const [inWindow, inTerminal] = await Promise.all([onlyRun(home), onlyRun(terminalHome)]);
  expect(specOf(inWindow.state)).not.toBeNull();
  expect(inTerminal.state.source).toEqual(inWindow.state.source);
  const served = await readFile(
    join(inTerminal.dir, 'steps', 'configure', 'model-repository', 'residual', 'config.pbtxt'),
    'utf8',
  );
  expect(served).toMatch(/metric_tags\s*\{\s*key: "team"\s*value: "vision"/);
  expect(app.complaints).toEqual([]);
});
