import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { StudySummary } from '../../../../main/contract/study/study';
import type { Core } from '../../../../main/core';
import { said } from '../../../support/cli-program';
import { environmentFixture, specFixture, stateOf } from '../../../support/run-state';
import { createTestCore } from '../../../support/test-core';

const spec = specFixture(({ performance }) => {
  performance.batchSizes = [1, 2];
  performance.concurrency = [4];
});
const state = stateOf([
  { type: 'run-created', runId: 'r', spec, specHash: 'h', environment: environmentFixture() },
  { type: 'run-started', attempt: 1, pid: 1 },
  { type: 'step-started', step: 'offline', attempt: 1, key: 'k' },
]);
const summary: StudySummary = {
  ...{ name: 'night', state: 'running', interrupted: false, sentence: '0 of 2 runs complete' },
  ...{ createdAt: '', updatedAt: '', runs: 2, complete: 0, isKept: true, error: null },
};
const trial = { axes: [], spec, leftOut: null, error: null };
const runningCore = {
  handlers: {
    'studies.show': () =>
      Promise.resolve({
        study: null,
        summary,
        results: [
          { ...trial, number: 1, state },
          { ...trial, number: 2, state: null },
        ],
      }),
  },
} as unknown as Core;

it('studies show says of each run in progress which level it is at', async () => {
  const { text } = await said(runningCore, 'studies', 'show', 'night');
  expect(text.split('\n')).toContainEqual(expect.stringMatching(/^ {2}Run 1 of 2: level 1 of 3, /));
  expect(text).not.toContain('Run 2 of 2:');
  const { documents } = await said(runningCore, 'studies', 'show', 'night', '--json');
  expect(documents).toMatchObject([{ study: { underWay: [expect.stringContaining('level 1 of 3')] } }]);
});

it('studies show says why a study failed as a whole', async () => {
  const error = { code: 'docker-unreachable' as const, message: 'Cannot connect to the Docker daemon' };
  const failed = { study: null, summary: { ...summary, state: 'failed', error }, results: [] };
  const core = { handlers: { 'studies.show': () => Promise.resolve(failed) } } as unknown as Core;
  const { text } = await said(core, 'studies', 'show', 'night');
  expect(text).toContain('Cannot connect to the Docker daemon\n  remedy: ');
  const { documents } = await said(core, 'studies', 'show', 'night', '--json');
  expect(documents).toMatchObject([{ study: { state: 'failed', error } }]);
});

it('a study whose journal is damaged is listed and shown as damaged, and removed', async () => {
  const home = await mkdtemp(join(tmpdir(), 'twb-studies-'));
  const core = await createTestCore(home);
  onTestFinished(async () => {
    await core.close();
    await rm(home, { recursive: true, force: true });
  });
  const dir = join(home, 'studies', 'night');
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'journal.jsonl'), 'not a journal\n');
  expect((await said(core, 'studies', 'list')).text).toMatch(/night +damaged +\S+ \S+ +0 runs/);
  expect((await said(core, 'studies', 'show', 'night')).text).toContain(
    'night: damaged, 0 runs\n  its journal is damaged: it can be removed, but not continued\n',
  );
  expect((await said(core, 'studies', 'remove', 'night', '--yes')).text).toContain('night removed.');
  expect((await said(core, 'studies', 'list')).text).toContain('No studies yet.');
});
