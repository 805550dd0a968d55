import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { unusedPipelines } from '../../../../main/core/huggingface/unused-pipelines';
import { homeLayout } from '../../../../main/platform/layout';
import { takeFileLease } from '../../../../main/store/file-lease';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-pipelines-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const put = async (path: string, text: string): Promise<void> => {
  await mkdir(dirname(join(home, path)), { recursive: true });
  await writeFile(join(home, path), text);
};
const hoursAgo = async (path: string, hours: number): Promise<void> => {
  const time = new Date(Date.now() - hours * 3600 * 1000);
  await utimes(join(home, path), time, time);
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
  for (const name of ['bert-1', 'bert-12']) {
    await put(`pipelines/${name}/pipeline.json`, '{}');
    await hoursAgo(`pipelines/${name}/pipeline.json`, 2);
  }
  expect(await unused()).toHaveLength(2);
  await put('runs/a/run.yaml', named('bert-12'));
  expect(await unused()).toEqual([join(home, 'pipelines', 'bert-1')]);
});

it('are not those of the last hour, whose run another process may be about to create', async () => {
  for (const [name, hours] of [
    ['old', 1.1],
    ['fresh', 0.9],
  ] as const) {
    await put(`pipelines/${name}/pipeline.json`, '{}');
    await hoursAgo(`pipelines/${name}/pipeline.json`, hours);
  }
  expect(await unused()).toEqual([join(home, 'pipelines', 'old')]);
});

it('are also what a killed writing left, and not what one writes', async () => {
  const folder = (name: string) => `pipelines/bert-1.${name}.tmp`;
  const names = { live: '0000000a', killed: '0000000b', young: '0000000c', old: '0000000d' };
  for (const name of Object.values(names)) await put(`${folder(name)}/models/bert/config.pbtxt`, '');
  // Writing takes as long as it takes.
  await hoursAgo(folder(names.live), 25);
  await hoursAgo(folder(names.young), 23);
  await hoursAgo(folder(names.old), 25);
  const { release } = await takeFileLease(join(home, `${folder(names.live)}.lease`));
  const dead = JSON.stringify({ pid: 2 ** 22 + 1, startTime: '1' });
  await put(`${folder(names.killed)}.lease`, dead);
  await put(`${folder('0000000e')}.lease`, dead);
  const left = [
    folder(names.killed),
    `${folder(names.killed)}.lease`,
    folder(names.old),
    `${folder('0000000e')}.lease`,
  ];
  expect((await unused()).toSorted()).toEqual(left.map((path) => join(home, path)).toSorted());
  await release?.();
});
