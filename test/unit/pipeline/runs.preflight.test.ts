import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../main/contract/errors';
import type { JournalBody } from '../../../main/contract/run/run-events';
import type { StartHow } from '../../../main/pipeline/run-options';
import { NotingRuns } from '../../support/noting-runs';
import { rejection } from '../../support/rejection';
import { specFixture } from '../../support/run-state';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-preflight-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const inDocker = (release = '26.07') =>
  specFixture((own) => {
    own.engine = { kind: 'docker', gpus: ['all'], shmSizeMiB: 64, release };
  });
const failure = () => Promise.reject(new WorkbenchError('internal', 'as a test has it'));
const driver = { title: 'NVIDIA driver', finding: 'Too old.' };
const skipped: JournalBody = { type: 'preflight', release: null, skipped: true, problems: [driver] };
const tooOld = new WorkbenchError('engine-unavailable', 'The driver is too old');

describe('the preflight of a run that continues', () => {
  it('is not asked for the report that is left, and is for what has to be measured again', async () => {
    let fails = true;
    const noting = new NotingRuns(home, { report: () => (fails ? failure() : Promise.resolve({})) });
    const runId = await noting.runs.create(inDocker());
    expect(await noting.attempt(runId)).toMatchObject({ outcome: 'failed' });
    expect(noting.done).toContain('online');
    expect(await noting.runs.planRerun(runId)).toEqual(['report']);
    fails = false;
    noting.preflight = () => Promise.reject(tooOld);
    expect(await noting.attempt(runId)).toMatchObject({ outcome: 'done' });
    expect(noting.done).toEqual(['report']);
    expect(await noting.attempt(runId, { from: 'report' })).toMatchObject({ outcome: 'done' });
    expect((await rejection(noting.attempt(runId, { from: 'online' }))).code).toBe('engine-unavailable');
  });

  it('passes over again what the run was started in spite of, on the same engine only', async () => {
    const noting = new NotingRuns(home, { online: failure });
    const asked: StartHow[] = [];
    noting.preflight = (_spec, how) => {
      asked.push(how);
      return how.skipPreflight === true || how.passed?.includes(driver.title) === true
        ? Promise.resolve(skipped)
        : Promise.reject(tooOld);
    };
    const runId = await noting.runs.create(inDocker(), undefined, { skipPreflight: true });
    await noting.attempt(runId);
    await noting.attempt(runId);
    expect(asked.map(({ passed = [] }) => passed)).toEqual([[], [driver.title]]);
    const elsewhere = noting.attempt(runId, { spec: inDocker('26.06') });
    expect((await rejection(elsewhere)).code).toBe('engine-unavailable');
  });
});
