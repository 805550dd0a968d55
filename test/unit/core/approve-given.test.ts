import { expect, it } from 'vitest';
import type { Reach } from '../../../main/contract/reach';
import type { RunSpec } from '../../../main/contract/run/run-spec';
import { approveGiven } from '../../../main/core/approve-given';
import type { GivenConsent } from '../../../main/store/approvals';

type Engine = RunSpec['engine'];

async function approved(engine: Engine, consent: GivenConsent): Promise<Reach> {
  const all: Reach[] = [];
  const approvals = {
    give: () => undefined,
    add: (reach: Reach) => {
      all.push(reach);
      return Promise.resolve();
    },
  };
  await approveGiven({ approvals, trustModel: () => Promise.resolve() }, { engine }, consent);
  return all[0] as Reach;
}

const environment = '/srv/other-triton';
const elsewhere: Engine = { kind: 'local', environment };
const named = { field: 'engine.environment', value: `the Triton in ${environment}` };

it('takes a serving environment as named where the usual engine was not typed with it', async () => {
  const { machines } = await approved(elsewhere, { typed: { engine: { environment } } });
  expect(machines).toEqual([named]);
  const both = await approved(elsewhere, { typed: { engine: { kind: 'local', environment } } });
  expect(both.machines).toEqual([named]);
});

it('asks for what came from elsewhere, or was typed otherwise', async () => {
  for (const typed of [
    undefined,
    {},
    { engine: { environment: '/srv/another' } },
    { model: { dataset: '/x' } },
  ]) {
    expect((await approved(elsewhere, { typed })).machines, JSON.stringify(typed)).toEqual([]);
  }
  expect((await approved(elsewhere, { trust: true })).machines).toEqual([named]);
});

it('does not take a cluster for named by the name of something in it', async () => {
  const cluster = { kind: 'kubernetes', context: 'shared', namespace: 'triton' } as unknown as Engine;
  const { machines } = await approved(cluster, { typed: { engine: { namespace: 'triton' } } });
  expect(machines).toEqual([{ field: 'engine.namespace', value: 'Kubernetes namespace triton' }]);
});
