import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DeploymentInfo } from '../../main/contract/deployment/deployment';
import { runFolder } from '../../main/store/run-folder';
import { cli, documentOf } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';

let home: TestHome;
beforeAll(async () => {
  home = await createTestHome();
});
afterAll(async () => {
  await cli(home.path, 'deployments', 'remove', 'labels', '--force');
  await home.remove();
});

const run = (name: string, ...more: readonly string[]) =>
  cli(
    ...[home.path, 'run', join('test/fixtures/inputs', name), '--profile', 'quick', ...more],
    ...['--concurrency', '2', '--measurement-interval-ms', '300'],
    ...['--set', 'performance.maxTrials=3', '--set', 'performance.warmupMs=100', '--json'],
  );
const dataset = async (name: string, document: unknown): Promise<readonly string[]> => {
  const file = join(home.path, name);
  await writeFile(file, JSON.stringify(document));
  return ['--dataset', file];
};

it.each(['string-input/text.onnx', 'string-input/label_out.onnx', 'sklearn-zipmap/columns.onnx'])(
  '%s, with text in or out, goes to a report with samples that are made',
  async (name) => {
    const result = await run(name);
    expect(result.code, result.stderr).toBe(0);
    const { accuracy, offline, online, dir } = documentOf(result);
    expect(accuracy?.passed).toBe(true);
    expect([...offline, ...online].every(({ errorCount }) => errorCount === 0)).toBe(true);
    expect(await readdir(runFolder(dir).results)).toContain('report.html');
  },
);

it('own texts are sent, compared at each batch size, deployed, and measured by both load tools', async () => {
  const given = await dataset('ids.json', { x: [1, 2, 3, 7, 1, 2, 3, 7].map((id) => [id]) });
  const result = await run(
    'string-input/label_out.onnx',
    ...given,
    '--keep-serving',
    'labels',
    '--cross-check',
  );
  expect(result.code, result.stderr).toBe(0);
  const document = documentOf(result);
  expect(document.accuracy).toMatchObject({ passed: true, sampleCount: 8 });
  const listed = await cli(home.path, 'deployments', 'list', '--json');
  const [info] = JSON.parse(listed.stdout) as readonly DeploymentInfo[];
  expect(info).toMatchObject({ id: 'labels', state: 'ready', models: [{ accuracy: 'verified' }] });
  expect(info?.models[0]?.checkedSamples).toBeGreaterThan(0);
  const report = await readFile(join(runFolder(document.dir).results, 'report.html'), 'utf8');
  expect(report).toContain('BYTES');
});

it('columns of texts and numbers are taken from a file, and another number of samples is refused', async () => {
  const rows = { age: [[22], [35], [4]], sex: [['male'], ['female'], ['none']], fare: [[1], [2], [3]] };
  const result = await run('sklearn-zipmap/columns.onnx', ...(await dataset('rows.json', rows)));
  expect(result.code, result.stderr).toBe(0);
  expect(documentOf(result).accuracy).toMatchObject({ passed: true, sampleCount: 3 });
  const wrong = await run(
    'sklearn-zipmap/columns.onnx',
    ...(await dataset('wrong.json', { ...rows, sex: [[1], [2], [3]] })),
  );
  expect(wrong.code).not.toBe(0);
  expect(wrong.stdout + wrong.stderr).toContain('sex cannot be converted to BYTES');
});
