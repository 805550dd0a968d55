import { readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type StepId, stepsOf } from '../../../main/contract/run/run-events';
import type { RunSpec } from '../../../main/contract/run/run-spec';
import { repositorySourceOf } from '../../../main/formats/own-config';
import { openModel } from '../../../main/own/open-model';
import { copyRepository, repositoryInputs } from '../../../main/pipeline/repository-run';
import type { StepContext } from '../../../main/pipeline/step';
import { resolveSpec } from '../../../main/presets/resolve-spec';
import { runFolder } from '../../../main/store/run-folder';
import { fine, useCheckedRepository } from '../../support/checked-repository';
import { rejection } from '../../support/rejection';

const { bench, repository } = useCheckedRepository();

const ensemble = {
  config: `platform: "ensemble" max_batch_size: 8  # by hand
input [ { name: "x" data_type: TYPE_FP32 dims: [ 3 ] } ]
output [ { name: "z" data_type: TYPE_FP32 dims: [ 3 ] label_filename: "labels.txt" } ]
ensemble_scheduling { step [ { model_name: "net" model_version: -1 input_map { key: "x" value: "x" } output_map { key: "y" value: "z" } } ] }
`,
  files: { 'labels.txt': 'cat\ndog\n', '1/.keep': '' },
};

async function specOf(
  name: string,
  overrides: Partial<Record<keyof RunSpec, object>> = {},
): Promise<RunSpec> {
  const path = join(await repository({ net: fine, whole: ensemble }), name);
  const { choice, preset } = await openModel({ path }, bench().tools());
  if (choice === null || preset === null) throw new Error('not opened');
  return resolveSpec(preset, { ...choice.overrides, ...overrides });
}

function sourceOf(spec: RunSpec) {
  const source = repositorySourceOf(spec.model);
  if (source === null) throw new Error('no repository');
  return source;
}

function contextOf(spec: RunSpec) {
  const facts: Record<string, string> = {};
  const lines: string[] = [];
  const folder = runFolder(join(bench().dir, 'run'));
  const context = {
    ...{ spec, run: { folder }, progress: () => undefined },
    fact: (name: string, value: string) => {
      facts[name] = value;
    },
    log: (more: readonly string[]) => lines.push(...more),
  } as unknown as StepContext;
  return { context, facts, lines, placed: folder.repository };
}

const textAt = (...parts: string[]) => readFile(join(...parts), 'utf8');

describe('copyRepository', () => {
  it('places a model and those that it is made of, byte for byte, under their own names', async () => {
    const spec = await specOf('whole');
    await symlink('labels.txt', join(bench().dir, 'r', 'whole', 'alias.txt'));
    await bench().put('r/whole/1/__pycache__/old.pyc', 'old');
    const { context, facts, placed } = contextOf(spec);
    const { output } = await copyRepository(context, sourceOf(spec));
    expect((await readdir(placed)).sort()).toStrictEqual(['net', 'whole']);
    const names = await readdir(join(placed, 'whole'), { recursive: true });
    expect(names.sort()).toStrictEqual(['1', '1/.keep', 'alias.txt', 'config.pbtxt', 'labels.txt']);
    expect(await textAt(placed, 'whole', 'config.pbtxt')).toBe(ensemble.config);
    expect(await textAt(placed, 'whole', 'alias.txt')).toBe('cat\ndog\n');
    expect(await textAt(placed, 'net', 'config.pbtxt')).toBe(fine.config);
    expect(await readFile(join(placed, 'net', '1', 'model.onnx'))).toStrictEqual(
      await readFile(join(bench().dir, 'r', 'net', '1', 'model.onnx')),
    );
    expect(facts).toStrictEqual({
      Models: 'whole (ensemble), net (onnxruntime)',
      'config.pbtxt': 'as it is, byte for byte',
    });
    expect(output).toMatchObject({ configSha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string });
  });

  it('writes a changed field into the copy, says the difference, and leaves the repository', async () => {
    const spec = await specOf('net', { configure: { instances: 3 } });
    const { context, facts, lines, placed } = contextOf(spec);
    await copyRepository(context, sourceOf(spec));
    const text = await textAt(placed, 'net', 'config.pbtxt');
    expect(text.startsWith(fine.config ?? '-')).toBe(true);
    expect(text).toMatch(/count: 3/);
    expect(facts['config.pbtxt']).toMatch(/^as it is, except \d+ added and 0 removed lines?$/);
    expect(lines.join('\n')).toContain('--- a/net/config.pbtxt');
    expect(await textAt(bench().dir, 'r', 'net', 'config.pbtxt')).toBe(fine.config);
  });

  it('takes no file that was changed after it was opened', async () => {
    const spec = await specOf('net');
    await bench().put('r/net/config.pbtxt', `${fine.config ?? ''}# changed\n`);
    const { context } = contextOf(spec);
    expect((await rejection(copyRepository(context, sourceOf(spec)))).code).toBe('input-invalid');
  });

  it('depends on the bytes of every model that is served, and on no byte code', async () => {
    const spec = await specOf('whole');
    const inputs = () => repositoryInputs({ spec }, sourceOf(spec));
    const before = await inputs();
    await bench().put('r/whole/1/__pycache__/new.pyc', 'new');
    await bench().put('r/beside/config.pbtxt', 'of another');
    expect(await inputs()).toStrictEqual(before);
    await bench().put('r/whole/labels.txt', 'dog\ncat\n');
    expect(await inputs()).not.toStrictEqual(before);
  });
});

describe('stepsOf', () => {
  const served: readonly StepId[] = ['configure', 'deploy', 'profile-data', 'offline', 'online', 'report'];

  it('of a repository leaves out what makes a model, and the check without a reference', async () => {
    expect(stepsOf(await specOf('net'))).toStrictEqual(served);
    const golden = await specOf('net', { accuracy: { golden: '/golden.npz' } });
    expect(stepsOf(golden)).toStrictEqual([...served.slice(0, 2), 'accuracy', ...served.slice(2)]);
    const contained = await specOf('net', { engine: { kind: 'docker', images: 'ngc' } });
    expect(stepsOf(contained)).toStrictEqual(['images', ...served]);
  });
});
