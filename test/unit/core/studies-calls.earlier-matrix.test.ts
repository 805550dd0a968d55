import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readStudySpec } from '../../../main/cli/studies/study-spec';
import type { StudySummary } from '../../../main/contract/study/study';
import type { Core } from '../../../main/core';
import type { matrixDocument } from '../../../main/domain/measured/matrix';
import { said } from '../../support/cli-program';
import { createTestCore } from '../../support/test-core';

/** Three runs of which the third was killed in its second level, as commit 087b191a wrote them. */
const written = join(import.meta.dirname, '..', '..', 'fixtures', 'earlier-matrix');
const file = join(written, 'small.yaml');

type Document = ReturnType<typeof matrixDocument> & { readonly study: StudySummary };

let home: string;
let core: Core;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-earlier-'));
  await cp(written, home, { recursive: true });
  core = await createTestCore(home);
});
afterEach(async () => {
  await core.close();
  await rm(home, { recursive: true, force: true });
});

const answerOf = async <Answer>(...words: readonly string[]): Promise<Answer> =>
  (await said(core, ...words, '--json')).documents[0] as Answer;

it('a matrix of an earlier version is in the list by its name', async () => {
  expect(await answerOf('studies')).toMatchObject([
    { name: 'small', state: 'paused', runs: 3, complete: 2, isKept: false, createdAt: /./ },
  ]);
});

it('is shown with what each of its runs came to', async () => {
  const { study, summary, runs } = await answerOf<Document>('studies', 'show', 'small');
  expect([study.state, summary]).toEqual(['paused', '2 of 3 runs complete, 1 interrupted']);
  expect(runs.map(({ state }) => state)).toEqual(['Complete', 'Complete', 'Interrupted']);
  for (const { offline, online } of runs.slice(0, 2)) {
    expect(offline?.inferencesPerSecond).toBeGreaterThan(0);
    expect(online?.p99Us).toBeGreaterThan(0);
  }
  const { text } = await said(core, 'studies', 'show', 'small');
  expect(text).toContain('written by an earlier version: continue it with run --matrix FILE --resume');
});

it('has runs that are shown as runs of it, and compared', async () => {
  const { runs } = await core.handlers['runs.list'](undefined);
  expect(runs.map(({ matrix, origin }) => [matrix?.name, origin])).toEqual(Array(3).fill(['small', 'own']));
  const [, second = '', first = ''] = runs.map(({ runId }) => runId);
  expect((await said(core, 'show', first)).text).toContain('Run of the study small');
  const { text } = await said(core, 'compare', first, second);
  expect(text).toMatch(/Throughput A .*Throughput B/);
  expect(text).toMatch(/^ +1 +1 +[\d.,]+ +[\d.,]+ /m);
});

it('is found again by --resume: what is complete is kept, and the run that was killed is due', async () => {
  const { runs } = await core.handlers['runs.list'](undefined);
  const { spec, consent } = await readStudySpec(core, 'resnet50', { matrix: file });
  const plan = await core.handlers['studies.planned']({ spec, consent });
  const study = await core.handlers['studies.open']({ spec, plan, resume: true, consent });
  try {
    expect(study.existing).toEqual({ ofTrials: 3, all: 3 });
    const ids = runs.map(({ runId }) => runId).toReversed();
    expect(study.trials.map(({ state }) => state?.runId)).toEqual(ids);
    expect(study.trials.map(({ state }) => state?.status)).toEqual(['done', 'done', 'interrupted']);
  } finally {
    await study.close();
  }
});

it('is continued by its file alone, and removed by its name', async () => {
  await expect(said(core, 'studies', 'resume', 'small')).rejects.toMatchObject({
    message: 'The matrix "small" is of an earlier version',
  });
  await core.handlers['studies.remove']({ name: 'small', withRuns: true });
  expect((await core.handlers['runs.list'](undefined)).runs).toEqual([]);
  expect(await core.handlers['studies.list'](undefined)).toEqual([]);
});
