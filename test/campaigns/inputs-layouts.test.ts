import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { LoadPoint } from '../../main/contract/measured/results';
import type { ServerHandle } from '../../main/engine/engine';
import { createLocalTriton } from '../../main/engine/local/local-triton';
import { homeLayout } from '../../main/platform/layout';
import { createTritonClient } from '../../main/triton/client';
import { parseConfigPbtxt } from '../../main/triton/config/config-pbtxt';
import { cli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { imageLayouts } from '../support/layouts/image';
import { type Layout, modelsOf } from '../support/layouts/layout';
import { refusedLayouts } from '../support/layouts/refused';
import { servedLayouts } from '../support/layouts/served';
import { onnxBytes } from '../support/onnx-bytes';
import { rejection } from '../support/rejection';

let home: TestHome;
/** A Triton on the layouts that are refused. */
let triton: ServerHandle;

/** Each in a repository of its own, or all in one. */
async function write(folder: string, layout: Layout): Promise<void> {
  const put = async (path: string, content: string | Buffer) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  };
  for (const [name, { config = null, onnx, files = {} }] of Object.entries(modelsOf(layout))) {
    await mkdir(join(folder, name), { recursive: true });
    if (onnx !== undefined) await put(`${name}/1/model.onnx`, onnxBytes(onnx));
    if (config !== null) await put(`${name}/config.pbtxt`, config);
    for (const [path, content] of Object.entries(files)) await put(`${name}/${path}`, content);
  }
}

beforeAll(async () => {
  home = await createTestHome();
  const refused = join(home.path, 'refused');
  for (const layout of refusedLayouts) await write(refused, layout);
  const local = createLocalTriton({
    ...{ layout: homeLayout(home.path), resources: 'resources', env: process.env },
  });
  triton = await local.startServer({
    ...{ runId: 'layouts', key: 'layouts', repository: refused, asIs: true },
    signal: new AbortController().signal,
    logPath: join(home.path, 'triton.log'),
    onLog: () => undefined,
    onCommand: () => undefined,
  });
});
afterAll(async () => {
  await triton.stop();
  await home.remove();
});

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** The fields that a file has. */
const writtenFields = (text: string) =>
  Object.fromEntries(
    Object.entries(parseConfigPbtxt(text)).filter(
      ([name, value]) => name !== 'name' && value !== '' && value !== 0 && !isEmptyList(value),
    ),
  );

it.each(servedLayouts)('$name is measured with its own configuration', async (layout) => {
  const { name, given, outcome } = layout;
  const folder = join(home.path, 'served', name);
  await write(folder, layout);
  const shapes = Object.entries(outcome.is === 'served' ? (outcome.shapes ?? {}) : {});
  const result = await cli(
    ...[home.path, 'perf', '-m', name, '--model-repository', folder, '--trust', '--json'],
    ...[
      '--request-count',
      '8',
      ...shapes.flatMap(([input, shape]) => ['--shape', `${input}:${shape.join(',')}`]),
    ],
  );
  expect(result.code, result.stderr).toBe(0);
  const { runId, points } = JSON.parse(result.stdout) as {
    readonly runId: string;
    readonly points: readonly LoadPoint[];
  };
  expect(points).toMatchObject([{ requestCount: 8, errorCount: 0 }]);
  const served = await readFile(join(home.path, 'runs', runId, 'served', name, 'config.pbtxt'), 'utf8');
  expect(parseConfigPbtxt(served)).toMatchObject(writtenFields(given.config ?? ''));
});

/** What Triton says when it is to load the model, with the lines of its log. */
async function reasonOf(name: string): Promise<string> {
  const error = await rejection(createTritonClient(triton.httpAddress).loadModel(name));
  expect(error.code).toBe('model-load-failed');
  const log = await readFile(join(home.path, 'triton.log'), 'utf8');
  return [error.message, error.details ?? '', log].join('\n');
}

it.each(refusedLayouts.filter(({ outcome }) => outcome.is === 'refused' && outcome.isHere === true))(
  '$name is refused by Triton for the reason that is stated',
  async ({ name, outcome }) => {
    const words = outcome.is === 'refused' ? outcome.triton : null;
    expect(await reasonOf(name)).toContain(words ?? '');
  },
);

it.each(imageLayouts)('$name is not measured here', async (layout) => {
  const folder = join(home.path, 'image', layout.name);
  await write(folder, layout);
  const result = await cli(
    ...[home.path, 'perf', '-m', layout.name, '--model-repository', folder, '--trust', '--json'],
    ...['--request-count', '8'],
  );
  expect(result.code).not.toBe(0);
  expect(JSON.parse(result.stdout)).toMatchObject({ error: { code: 'combination-unsupported' } });
});
