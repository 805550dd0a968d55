import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import type { Core } from '../../../main/core';
import { said } from '../../support/cli-program';
import { createTestCore } from '../../support/test-core';

const examples = 'docs/examples';

let home: string;
let core: Core;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-examples-'));
  core = await createTestCore(home);
});
afterAll(async () => {
  await core.close();
  await rm(home, { recursive: true, force: true });
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** What they come to is measured by `npm run test:inputs` (test/campaigns/inputs-examples.test.ts). */
it.each([
  [[`${examples}/tabular/model.onnx`, '--dataset', `${examples}/tabular/samples.json`], [/features/]],
  [[`${examples}/text/model.onnx`, '--dataset', `${examples}/text/samples.json`], [/token_ids/]],
  [[`${examples}/cnn`], [/shape-net|ShapeNet|cnn/]],
  [
    ['--matrix', `${examples}/matrix.yaml`],
    [/^ +1 .*Not started$/m, /^ +4 .*Not started$/m],
  ],
  [
    ['--matrix', `${examples}/runner.yaml`, '--profile', 'quick'],
    [/^ +1 +tft +onnx .*Not started$/m, /^ +2 +tft +ts-trace .*Not started$/m],
  ],
])('spec %j', async (words, shown) => {
  const written: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    written.push(String(chunk));
    return true;
  });
  const { text, codes } = await said(core, 'spec', ...words);
  for (const part of shown) expect(`${text}${written.join('')}`).toMatch(part);
  expect(codes.filter((code) => code !== 0)).toEqual([]);
});

it('the recipes for CI are those of the guide', async () => {
  const guide = await readFile('docs/guide/ci.md', 'utf8');
  for (const name of ['github', 'gitlab']) {
    const [, ...lines] = (await readFile(join(examples, 'ci', `${name}.yml`), 'utf8')).split('\n');
    expect(guide).toContain(`\`\`\`yaml\n${lines.join('\n')}\`\`\``);
    expect(parse(lines.join('\n'))).toBeTypeOf('object');
  }
});
