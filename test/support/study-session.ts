import type { StudyBody, StudyConsent, StudySpec } from '../../main/contract/study/study';
import {
  createStudyStops,
  type PlacedTrial,
  type PlannedTrial,
  type StudyHands,
  type StudySession,
} from '../../main/studies/study-hands';
import { specFixture } from './run-state';

export const studySpec = (more: Partial<StudySpec> = {}): StudySpec => ({
  ...{ name: 'night', hosts: null },
  strategy: {
    kind: 'matrix',
    trials: [{ choice: { preset: 'resnet50', overrides: {} }, axes: [], refusal: null }],
  },
  ...more,
});

/** A session with these hands, and what is recorded of it. */
export function studySession(
  hands: unknown,
  more: { readonly hosts?: readonly string[] | null; readonly consent?: StudyConsent } = {},
) {
  const { hosts = null, consent = {} } = more;
  const recorded: StudyBody[] = [];
  const session: StudySession = {
    ...{ hands: hands as StudyHands, spec: studySpec(), hosts, consent, stops: createStudyStops() },
    runOf: () => undefined,
    record: (body) => {
      recorded.push(body);
      return Promise.resolve();
    },
  };
  return { session, recorded };
}

export const plannedTrial = (number: number, more: Partial<PlannedTrial> = {}): PlannedTrial => ({
  ...{ number, axes: [], spec: specFixture(), state: null, leftOut: null, error: null },
  ...{ choice: { preset: 'resnet50', overrides: {} }, entry: String(number) },
  ...more,
});

export const placedTrial = (number: number, hosts: readonly string[] | null): PlacedTrial => ({
  ...plannedTrial(number),
  notes: [],
  allocations: hosts === null ? null : hosts.map((host) => ({ host, gpus: null })),
  ...(hosts === null ? {} : { hosts }),
});
