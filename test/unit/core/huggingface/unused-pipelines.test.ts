import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { unusedPipelines } from '../../../../main/core/huggingface/unused-pipelines';
import { homeLayout } from '../../../../main/platform/layout';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-pipelines-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const put = async (path: string, text: string): Promise<void> => {
  await mkdir(dirname(join(home, path)), { recursive: true });
  await writeFile(join(home, path), text);
};
const named = (name: string) => `path: ${home}/pipelines/${name}/models/bert\n`;
const unused = () => unusedPipelines(homeLayout(home));

it('are those that no run, study or draft names', async () => {
  expect(await unused()).toEqual([]);
  const names = ['of-run', 'of-trash', 'of-study', 'of-draft', 'of-link', 'left'];
  for (const name of names) await put(`pipelines/${name}/models/bert/config.pbtxt`, '');
  await put('runs/a/run.yaml', named('of-run'));
  await put('trash/b/run.yaml', named('of-trash'));
  await put('studies/c/journal.jsonl', named('of-study') + 'x'.repeat(5 * 2 ** 20));
  await put('drafts/d.json', named('of-draft'));
  await put('elsewhere/run.yaml', named('of-link'));
  await symlink(join(home, 'elsewhere'), join(home, 'runs', 'e'));
  await put('pipelines/new-1.0a1b2c3d.tmp/models/bert/config.pbtxt', '');
  // A log is not where a run names its model.
  await put('runs/a/logs.txt', named('left'));
  expect(await unused()).toEqual([join(home, 'pipelines', 'left')]);
});

it('are all without runs, and a name that only begins alike does not count', async () => {
  for (const name of ['bert-1', 'bert-12']) await put(`pipelines/${name}/pipeline.json`, '{}');
  expect(await unused()).toHaveLength(2);
  await put('runs/a/run.yaml', named('bert-12'));
  expect(await unused()).toEqual([join(home, 'pipelines', 'bert-1')]);
});
