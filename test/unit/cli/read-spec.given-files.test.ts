import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createOutput } from '../../../main/cli/output';
import { WorkbenchError } from '../../../main/contract/errors';
import type { Core } from '../../../main/core';
import { programWith } from '../../support/cli-program';
import { rejection } from '../../support/rejection';
import { createTestCore } from '../../support/test-core';

let home: string;
let core: Core;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-given-'));
  core = await createTestCore(home);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await core.close();
  await rm(home, { recursive: true, force: true });
});

function run(...words: string[]) {
  const program = programWith({
    core: () => Promise.resolve(core),
    output: ({ json }) => createOutput(json === true, true),
    exit: () => undefined,
  });
  return program.parseAsync(['run', 'resnet50', ...words], { from: 'user' });
}

it.each([
  ['--dataset', 'The data set'],
  ['--checkpoint', 'The weights file'],
  ['--input-data', 'The input data'],
])('refuses a file of %s that does not exist before there is a run', async (flag, what) => {
  const path = join(home, 'absent.json');
  expect(await rejection(run(flag, path))).toMatchObject({
    ...{
      code: 'input-invalid',
      where: flag,
      message: `${what} ${path} does not exist`,
      remedy: 'Check the path.',
    },
  });
  expect((await core.handlers['runs.all'](undefined)).runs).toEqual([]);
});

it('takes those that exist', async () => {
  const path = join(home, 'data.json');
  await writeFile(path, '{}');
  const create = vi.fn(() => Promise.reject(new WorkbenchError('cancelled', 'created')));
  vi.spyOn(core.handlers, 'runs.create').mockImplementation(create);
  expect(await rejection(run('--dataset', path))).toMatchObject({ message: 'created' });
});
