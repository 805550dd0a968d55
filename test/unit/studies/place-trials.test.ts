import { describe, expect, it } from 'vitest';
import type { HostFit } from '../../../main/contract/host/host-text';
import { emptyReach, type Reach, reachOf } from '../../../main/contract/reach';
import { dockerEngineSchema, type RunSpec } from '../../../main/contract/run/run-spec';
import type { RunState } from '../../../main/contract/run/run-state';
import type { MatrixAxis } from '../../../main/contract/run/spec-tools';
import type { StudyConsent } from '../../../main/contract/study/study';
import { placed } from '../../../main/studies/place-trials';
import type { PlannedTrial, StudyHands } from '../../../main/studies/study-hands';
import {
  createdBodies,
  measurementBody,
  pointFixture,
  preparationBodies,
  specFixture,
  stateOf,
  stepBodies,
} from '../../support/run-state';
import { plannedTrial, studySession } from '../../support/study-session';

const onHost = (host?: string): RunSpec =>
  specFixture((spec) => {
    spec.engine = dockerEngineSchema.parse({ kind: 'docker', ...(host === undefined ? {} : { host }) });
  });
const begun = (host: string): RunState => stateOf(createdBodies(onHost(host)));
const measured = (host: string): RunState =>
  stateOf([
    ...createdBodies(onHost(host)),
    ...preparationBodies(),
    ...stepBodies('offline', [measurementBody('offline', pointFixture())]),
  ]);

/** A session whose hosts are there, but for those that are away; what they are asked is noted. */
function sessionWith(
  hosts: readonly string[] | null,
  away: readonly string[] = [],
  never: readonly string[] = [],
  consent: StudyConsent = { trust: true },
) {
  const approved: Reach['machines'][number][] = [];
  const asked: { readonly hosts: readonly string[]; readonly modelOfGpu: boolean }[] = [];
  const hands = {
    check: () => Promise.resolve([]),
    approve: (spec: RunSpec, { trust = false, typed }: { trust?: boolean; typed?: unknown }) => {
      const named = reachOf(typed).machines.map(({ value }) => value);
      const { machines } = reachOf(spec);
      approved.push(...machines.filter(({ value }) => trust || named.includes(value)));
      return Promise.resolve();
    },
    approvals: {
      add: () => Promise.resolve(),
      missing: ({ machines }: Reach) =>
        Promise.resolve({
          ...emptyReach,
          machines: machines.filter(({ value }) => !approved.some((one) => one.value === value)),
        }),
    },
    hostFits: ({ hosts: names, modelOfGpu }: Parameters<StudyHands['hostFits']>[0]) => {
      asked.push({ hosts: names, modelOfGpu });
      return Promise.resolve(
        names.map((host): HostFit => {
          if (never.includes(host)) return { host, fits: false, reason: 'It has no NVIDIA GPU', error: null };
          if (!away.includes(host)) return { host, fits: true, gpus: host === 'gpus' ? ['GPU-1'] : null };
          const error = { code: 'docker-unreachable', message: 'no answer' } as const;
          return { host, fits: false, reason: 'no answer', error };
        }),
      );
    },
  };
  return { session: studySession(hands, { hosts, consent }).session, asked };
}

const run = (spec: RunSpec, state: RunState | null = null, axes: readonly MatrixAxis[] = []): PlannedTrial =>
  plannedTrial(1, { spec, state, axes });

describe('a run of a matrix', () => {
  it('is measured where it says itself, without hosts', async () => {
    const { session, asked } = sessionWith(null);
    expect(await placed(session, run(onHost()))).toMatchObject({
      allocations: null,
      leftOut: null,
      error: null,
    });
    expect(asked).toEqual([]);
    expect(await placed(session, run(onHost('a')))).toMatchObject({
      hosts: ['a'],
      allocations: [{ host: 'a' }],
    });
    // Who names the host of a run has chosen its GPU.
    expect(asked).toEqual([{ hosts: ['a'], modelOfGpu: false }]);
  });

  it('may be given to every host that fits, with the GPUs there, and says why not to the others', async () => {
    const { session, asked } = sessionWith(['a', 'gpus', 'b'], ['b'], ['a']);
    const found = await placed(session, run(onHost()));
    expect(found).toMatchObject({
      hosts: ['gpus'],
      allocations: [{ host: 'gpus', gpus: ['GPU-1'] }],
      error: null,
    });
    expect(found.notes).toEqual(['not on a. It has no NVIDIA GPU', 'not on b. no answer']);
    expect(asked[0]?.modelOfGpu).toBe(true);
  });

  it('goes to hosts that the command line names, and to those of a file once they are approved', async () => {
    const named = sessionWith(['a', 'local'], [], [], { hosts: true });
    expect(await placed(named.session, run(onHost()))).toMatchObject({ hosts: ['a', 'local'], error: null });
    const ofFile = sessionWith(['a', 'local'], [], [], {});
    const refused = await placed(ofFile.session, run(onHost()));
    expect(refused.error).toMatchObject({ code: 'not-trusted' });
    expect(refused.error?.remedy).toContain('--trust');
    // Nobody agreed to it: it is not even asked.
    expect(ofFile.asked).toEqual([]);
  });

  it('is left out where its host is none of them, and where it is not in containers', async () => {
    const { session } = sessionWith(['a', 'b']);
    expect((await placed(session, run(onHost('c')))).leftOut).toBe(
      'Its host c is not one of the hosts of this matrix.',
    );
    expect((await placed(session, run(specFixture()))).leftOut).toMatch(/^Hosts run only containers/);
    const here = run(onHost(), null, [{ field: 'engine.host', value: 'local' }]);
    expect((await placed(session, here)).leftOut).toBe(
      'Its host local is not one of the hosts of this matrix.',
    );
  });

  it('that is complete is left as it is', async () => {
    const { session, asked } = sessionWith(['a', 'b']);
    const done = stateOf([...createdBodies(onHost('b')), { type: 'run-finished', outcome: 'done' }]);
    expect(await placed(session, run(onHost(), done))).toMatchObject({ hosts: ['b'], state: done });
    expect(asked).toEqual([]);
  });
});

describe('a run that is continued', () => {
  it('stays on its host', async () => {
    const { session, asked } = sessionWith(['a', 'b']);
    const state = begun('b');
    expect(await placed(session, run(onHost(), state))).toMatchObject({ hosts: ['b'], state });
    expect(asked.map(({ hosts }) => hosts)).toEqual([['b']]);
  });

  it('is begun anew on another one where its host is away and nothing was measured', async () => {
    const { session } = sessionWith(['a', 'b'], ['b']);
    expect(await placed(session, run(onHost(), begun('b')))).toMatchObject({
      hosts: ['a'],
      state: null,
      error: null,
    });
  });

  it('is not run now where something was measured there', async () => {
    const state = measured('b');
    const away = await placed(sessionWith(['a', 'b'], ['b']).session, run(onHost(), state));
    expect(away).toMatchObject({
      hosts: ['b'],
      state,
      allocations: [],
      error: { code: 'docker-unreachable' },
    });
    // It has figures, so that it is not left out.
    const other = await placed(sessionWith(['a', 'b'], [], ['b']).session, run(onHost(), state));
    expect(other).toMatchObject({ state, leftOut: null, error: { code: 'combination-unsupported' } });
  });
});
