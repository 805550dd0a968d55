import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Draft } from '../../../main/contract/run/spec-tools';
import { createDrafts } from '../../../main/store/drafts';
import { bundleChild, startChild } from '../../support/child-program';
import { until } from '../../support/until';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'drafts-'));
});
afterEach(async () => {
  await rm(dir, { recursive: true });
});

const draft = (id: string, minute: number, page = 'model'): Draft => ({
  id,
  choice: { preset: 'resnet50', overrides: { format: 'onnx' } },
  page,
  updatedAt: `2026-01-01T00:0${minute}:00.000Z`,
});

it('gives back what was saved, newest first, and nothing of what was removed', async () => {
  const drafts = createDrafts(join(dir, 'drafts'));
  expect(await drafts.list()).toEqual([]);
  for (const [id, minute] of [
    ['old', 1],
    ['new', 3],
    ['middle', 2],
  ] as const) {
    await drafts.save(draft(id, minute));
  }
  expect(await drafts.list()).toEqual([draft('new', 3), draft('middle', 2), draft('old', 1)]);
  await drafts.remove('new');
  await drafts.remove('never');
  expect((await createDrafts(join(dir, 'drafts')).list()).map(({ id }) => id)).toEqual(['middle', 'old']);
});

it('keeps the last of many saves that were asked for at once', async () => {
  const drafts = createDrafts(dir);
  await Promise.all(Array.from({ length: 20 }, (_, index) => drafts.save(draft('a', 1, `page-${index}`))));
  expect(await drafts.list()).toEqual([draft('a', 1, 'page-19')]);
});

it('leaves out what is no draft and leaves it alone', async () => {
  const drafts = createDrafts(dir);
  await drafts.save(draft('good', 1));
  await writeFile(join(dir, 'torn.json'), '{"id":"torn"');
  await writeFile(join(dir, 'alien.json'), '{"id":"alien","choice":1}');
  await writeFile(join(dir, 'copy.json'), JSON.stringify(draft('good', 2)));
  expect(await drafts.list()).toEqual([draft('good', 1)]);
  expect((await readdir(dir)).sort()).toEqual(['alien.json', 'copy.json', 'good.json', 'torn.json']);
});

it('has a whole draft whenever the process is killed while it saves', async () => {
  const child = await bundleChild('save-drafts', join(dir, 'program'));
  const folder = join(dir, 'drafts');
  for (let round = 0; round < 8; round += 1) {
    const running = startChild(child, [folder]);
    await until('it saves', () => running.lines.length > round * 3);
    await running.kill();
    const [found, ...others] = await createDrafts(folder).list();
    expect(others).toEqual([]);
    const count = Number(found?.choice.overrides['count']);
    expect(count).toBeGreaterThanOrEqual(Number(running.lines.at(-1)));
  }
  const left = (await readdir(folder)).filter((name) => name !== 'draft.json');
  const old = new Date(Date.now() - 3_600_000);
  for (const name of left) await utimes(join(folder, name), old, old);
  await createDrafts(folder).list();
  expect(await readdir(folder)).toEqual(['draft.json']);
});
