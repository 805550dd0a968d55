import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createRunsCalls } from '../../../main/pipeline/runs-calls';
import { createDrafts } from '../../../main/store/drafts';
import { createRunTrash } from '../../../main/store/run-trash';
import { NotingRuns } from '../../support/noting-runs';
import { specFixture } from '../../support/run-state';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-calls-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

it('a run is told what complete runs like it took, and nothing of others', async () => {
  const { runs, store } = new NotingRuns(home, {});
  const { handlers } = createRunsCalls({
    ...{
      runs,
      store,
      trash: createRunTrash(store, { runs: join(home, 'runs'), trash: join(home, 'trash') }),
    },
    ...{ drafts: createDrafts(join(home, 'drafts')), emit: () => undefined },
  });
  const complete = async (change: Parameters<typeof specFixture>[0]): Promise<string> => {
    const runId = await runs.create(specFixture(change));
    await (
      await runs.execute(runId)
    ).end;
    return runId;
  };
  const first = await complete(() => undefined);
  expect(await handlers['runs.past']({ runId: first })).toEqual([]);
  await complete((spec) => {
    spec.precision = 'fp32';
  });
  await complete((spec) => {
    spec.model.preset = 'bert';
  });
  const next = await runs.create(specFixture());
  const past = await handlers['runs.past']({ runId: next });
  expect(past.map(({ alike }) => alike)).toEqual(['choice', 'model']);
  expect(past[0]?.stepS.export).toBeGreaterThanOrEqual(0);
  expect(Object.keys(past[0]?.stepS ?? {})).toContain('report');
});
