import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { takesAll } from '../support/campaign';
import { cli, documentOf } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { makeModels } from '../support/made-models';

let home: TestHome;
let models: string;
/** The template of `init` with a forward that does something else for one sample. */
let branching: string;

beforeAll(async () => {
  home = await createTestHome();
  models = await makeModels(home.path, join(home.path, 'models'));
  branching = join(home.path, 'branching');
  await cli(home.path, 'init', branching);
  const path = join(branching, 'model.py');
  const code = await readFile(path, 'utf8');
  const branched = code.replace(
    /^( +)return (self\.second\(.*\))$/m,
    '$1scores = $2\n$1return scores * 2 if x.shape[0] == 1 else scores',
  );
  expect(branched).not.toBe(code);
  await writeFile(path, branched);
});
afterAll(() => home.remove());

const short = [
  ...[
    '--profile',
    'quick',
    '--json',
    '--batch-sizes',
    '1',
    '--concurrency',
    '1',
    '--measurement-interval-ms',
    '200',
  ],
  ...['--set', 'performance.maxTrials=3', '--set', 'performance.warmupMs=100'],
];
const run = (model: string, ...flags: readonly string[]) =>
  cli(home.path, 'run', model, ...short, '--trust', ...flags);

it('a trace that has the branch of a batch fails the gate at batch size 1 only', async () => {
  const result = await run(branching, '--format', 'ts-trace');
  expect(result.code).toBe(3);
  const document = documentOf(result);
  expect(document.accuracy?.outputs.map(({ passed }) => passed)).toEqual([true]);
  const failed = document.accuracy?.batches?.filter(({ passed }) => !passed) ?? [];
  expect(failed.map(({ batchSize, gathered }) => [batchSize, gathered])).toEqual([[1, undefined]]);
  expect(failed[0]?.maxAbsDiff).toBeGreaterThan(1);
  expect(document.accuracy?.reasons[0]).toMatch(/^At batch size 1: OUTPUT__0: largest absolute difference/);
  expect(document.offline).toEqual([]);
});

if (takesAll) {
  it('a script of the same model agrees at each size, and the answers of gathered requests are warned of', async () => {
    const result = await run(branching, '--format', 'ts-script');
    expect(result.stderr).toContain('compared at batch sizes 1 and ');
    const document = documentOf(result);
    expect([result.code, document.accuracy?.passed]).toEqual([0, true]);
    const gathered = document.accuracy?.batches?.find((batch) => batch.gathered !== undefined);
    expect(gathered?.gathered?.at(-1)).toBeGreaterThan(1);
    expect(document.accuracy?.warnings.join()).toContain('depends on the other requests');
  });
}

if (takesAll) {
  it('outputs without values on both sides pass the gate, and are said to show nothing', async () => {
    const result = await run(join(models, 'empty.onnx'));
    const document = documentOf(result);
    expect([result.code, document.accuracy?.passed]).toEqual([0, true]);
    expect(document.accuracy?.warnings.join()).toContain('y has no values in any sample');
  });
}

it('a model that draws random numbers is told as that, by the operator that draws', async () => {
  const result = await run(join(models, 'drawing.onnx'));
  expect(result.code).toBe(3);
  const { accuracy } = documentOf(result);
  expect(accuracy?.reasons).toHaveLength(1);
  expect(accuracy?.reasons[0]).toMatch(
    /change from call to call.*same input: y by up to .*RandomNormalLike \(node "noise"\)/,
  );
});

if (takesAll) {
  it('a batch that is built in is named with flags that work', async () => {
    const failed = documentOf(await run(join(models, 'baked.onnx')));
    expect(failed.error?.message).toMatch(/^baked\.onnx works only at batch size 1; a batch of 3 fails: /);
    const remedy = failed.error?.remedy ?? '';
    const flags = /: (--max-batch-size .*?)\. Or/.exec(remedy)?.[1]?.split(' ') ?? [];
    expect(flags).toContain('--batch-sizes');
    const worked = await run(join(models, 'baked.onnx'), ...flags);
    expect([worked.code, documentOf(worked).accuracy?.passed]).toEqual([0, true]);
  });
}

it('the longest length that a model takes is named with the option that sets it', async () => {
  const failed = documentOf(await run(join(models, 'positions.onnx'), '--shape', 'x=1,1000'));
  expect(failed.error?.message).toContain(
    'positions.onnx works up to length 300 (axis 1 of x); 1000 fails: ',
  );
  expect(failed.error?.message).not.toContain('onnxruntime::');
  expect(failed.error?.remedy).toContain('--shape x=1,300');
});
