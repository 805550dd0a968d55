import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Look } from '../../../../main/contract/study/search';
import { searchCapacity } from '../../../../main/core/search/search-capacity';
import { capacityOf } from '../../../../main/domain/measured/capacity';
import { homeLayout } from '../../../../main/platform/layout';
import type { RunStore } from '../../../../main/store/run-store';
import { StudyStore } from '../../../../main/studies/study-store';
import { completeState } from '../../../support/run-state';
import { joint, searchJoint } from '../../../support/simulated-joint';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'workbench-capacity-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** With what a capacity is planned by. */
const kept = (look: Look): Look => ({
  ...look,
  measured: {
    ...{ avgUs: look.latencyUs / 2, p50Us: look.latencyUs / 2, p90Us: look.latencyUs / 2 },
    ...{ p95Us: look.latencyUs / 2, p99Us: look.latencyUs, executedBatches: [] },
  },
  ...(look.beside === undefined ? {} : { beside: look.beside.map(kept) }),
});

async function planned(of: { readonly model?: string | number; readonly candidate?: number }) {
  const layout = homeLayout(home);
  const models = joint.models.map((model) => ({ ...model, runId: `run-${model.title}` }));
  const studies = new StudyStore(layout.studies);
  const spec = { name: 'night', strategy: { ...joint, models, trials: [] }, hosts: null };
  await studies.append('night', { type: 'study-planned', spec });
  for (const look of searchJoint(joint).looks) {
    await studies.append('night', { type: 'look', look: kept(look) });
  }
  const load = (runId: string) => Promise.resolve({ state: { ...completeState(), runId } });
  const store = { load } as unknown as RunStore;
  return searchCapacity({ layout, store }, { name: 'night', ...of });
}

it('plans one model of a search of several with the loads that all held, each at its own rate', async () => {
  const { state, configuration, note, present } = await planned({ model: 'resnet' });
  expect(state.runId).toBe('run-resnet');
  expect(configuration).toContain('instances 4');
  expect(note).toContain('Each replica also serves bert');
  const ask = { rate: 500, p99Ms: 20, headroom: 0, spare: 0, pricePerHour: null };
  const found = capacityOf(state, ask);
  // The highest load that all held, 2.79 × its rate of 100, which no ladder of whole rates has.
  expect(found).toMatchObject({ heldRate: expect.closeTo(279, 0) as number, replicas: 2 });
  expect(present?.runId).toBe('run-resnet');
});

it('asks which model is meant', async () => {
  await expect(planned({})).rejects.toMatchObject({ code: 'input-invalid' });
  await expect(planned({ model: 'vgg' })).rejects.toMatchObject({ code: 'input-invalid' });
});
