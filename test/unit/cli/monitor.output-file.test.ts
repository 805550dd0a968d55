import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { programWith } from '../../support/cli-program';
import { rejection } from '../../support/rejection';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twb-target-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

describe.each([
  ['perf', ['perf', '-u', 'localhost:8000', '-m', 'resnet50', '--csv']],
  ['monitor', ['monitor', '-u', 'localhost:8000', '--csv']],
])('%s refuses a file that could not be written at the end, before it asks anything', (_verb, words) => {
  // Without a core: whoever asks for one fails.
  const refusal = (file: string) => rejection(programWith().parseAsync([...words, file], { from: 'user' }));

  it('as it is a folder', async () => {
    expect(await refusal(dir)).toMatchObject({ code: 'input-invalid', message: `${dir} is a folder` });
  });

  it('as its folder is a file', async () => {
    const file = join(dir, 'a');
    await writeFile(file, '');
    expect((await refusal(join(file, 'b.csv'))).message).toContain(file);
    expect(await readdir(dir)).toEqual(['a']);
  });
});

it.each(['report.docx', 'report'])('monitor refuses a report named %s', async (file) => {
  const words = ['monitor', '-u', 'localhost:8000', '--report', join(dir, file)];
  expect(await rejection(programWith().parseAsync(words, { from: 'user' }))).toMatchObject({
    code: 'input-invalid',
    remedy: 'Use a name that ends in .html or .pdf.',
  });
});
