import { freemem } from 'node:os';
import type { Handlers } from '../../contract/api';
import { WorkbenchError } from '../../contract/errors';
import type { DuelRequest } from '../../contract/study/duel';
import type { DuelPlan, Study, StudySpec } from '../../contract/study/study';
import { present } from '../../contract/trees';
import { duelOf } from '../../domain/study/duel/duel-study';
import { planDuel } from '../../domain/study/duel/plan-duel';
import { jointOf } from '../../domain/study/joint/joint-study';
import { loadQuestion } from '../../domain/study/load-question';
import { searchOf } from '../../domain/study/search/search-study';
import { soakOf } from '../../domain/study/soak/soak-study';
import { upgradeOf } from '../../domain/study/upgrade/upgrade-study';
import type { Runs } from '../../pipeline/runs';
import type { WrittenStudy } from '../../reports/study-files';
import { Searches } from '../../studies/search/searches';
import type { ActiveStudies } from '../../studies/study-hands';
import { StudyStore } from '../../studies/study-store';
import { createAnalyzerCalls } from '../analyzer-calls';
import type { Core, TrustedCalls } from '../core-interface';
import type { CoreParts } from '../core-parts';
import { gpusOf } from '../host-gpus';
import { type createDeploymentCalls, measurableRun } from '../server-calls';
import { createSoakCalls } from '../soak/soak-calls';
import { createUpgradeCalls } from '../upgrade/upgrade-calls';
import { contestOf, placeHandsOf, requireBeside, requireTogether } from './contests';
import { createJointCalls, jointContest } from './joint-calls';
import { requireEditable, requireOwnPlace } from './own-configs';
import { createSearchPlan } from './search-plan';
import { leaveServer, searchedServer } from './search-server';
import { writeStudyReport } from './study-report';

/** "search-1128-123759" */
function usualName(kind: string, now: Date): string {
  const stamp = now.toISOString();
  return `${kind}-${stamp.slice(5, 10).replace('-', '')}-${stamp.slice(11, 19).replaceAll(':', '')}`;
}

/** It measures by itself, without runs. */
export const isOwn = ({ spec }: Pick<Study, 'spec'>): boolean =>
  [searchOf, jointOf, duelOf, soakOf, upgradeOf].some((of) => of({ spec }) !== null);

/** Throws as `searches.plan`. */
async function duelPlan(
  parts: CoreParts,
  { name, server: given, ...request }: DuelRequest,
): Promise<DuelPlan> {
  const { between } = request;
  const isTry = 'suggestion' in between;
  const [one, other] = isTry ? [between.runId, between.runId] : [between.first, between.second];
  const { state: first } = await measurableRun(parts, one);
  const second = one === other ? first : (await measurableRun(parts, other)).state;
  for (const { source } of [first, second]) requireOwnPlace(source.spec, given !== undefined);
  const asked = { ...request, name: name ?? usualName(isTry ? 'try' : 'compare', parts.now()) };
  if (given !== undefined) {
    const { server, note, before } = await searchedServer(parts, first.source.spec, given);
    const planned = planDuel([first, second], { ...asked, server });
    return { ...planned, notes: [note, ...planned.notes], asks: loadQuestion(before, 2) };
  }
  for (const state of [first, second]) requireBeside(state);
  requireTogether(first, second);
  const planned = planDuel([first, second], asked);
  requireEditable(second.source.spec, present(planned.duel.sides[1].configure ?? {}));
  return planned;
}

/** Searches for the best configuration, comparisons in turns, soaks and upgrades. */
export function createSearchCalls(
  parts: CoreParts,
  runs: Runs,
  others: Pick<Core['handlers'], 'spec.preview' | 'spec.resolve' | 'searches.configs' | 'runs.check'>,
  active: ActiveStudies,
  deployments: Pick<ReturnType<typeof createDeploymentCalls>, 'move'>,
): {
  /** Works on it behind the caller’s back, as a window does: what becomes of it is in its journal. */
  readonly start: (spec: StudySpec, resume: boolean) => Promise<void>;
  readonly report: (name: string) => Promise<WrittenStudy>;
  /** Before it is removed: unloads what is left of it on a running Triton, as far as that answers. */
  readonly leave: (name: string) => Promise<void>;
  readonly handlers: Pick<TrustedCalls, Extract<keyof TrustedCalls, `searches.${string}`>> &
    Pick<TrustedCalls, 'soaks.work' | 'upgrades.work'> &
    Pick<
      Handlers,
      'searches.plan' | 'searches.planJoint' | 'duels.plan' | 'soaks.plan' | 'upgrades.plan' | 'upgrades.move'
    >;
} {
  const { layout, emit, store } = parts;
  const plan = createSearchPlan(parts, others['spec.preview']);
  const studies = new StudyStore(layout.studies);
  const searches = new Searches({
    ...{ studies, active, runs, store },
    resolve: others['spec.resolve'],
    verified: async (runId) => (await measurableRun(parts, runId)).state,
    onEntry: (name, entry) => emit({ type: 'study', name, entry }),
    contestOf: (spec, runIds) => {
      const joint = jointOf({ spec });
      return joint === null ? contestOf(parts, spec, runIds) : jointContest(parts, joint, runIds);
    },
    ...placeHandsOf(parts),
    freeBytes: () => freemem(),
    gpusOf: (host) => gpusOf(parts, host),
  });
  const soaks = createSoakCalls(parts, {
    ...{ studies, active, usualName: () => usualName('soak', parts.now()) },
  });
  const upgrades = createUpgradeCalls(parts, {
    ...{ studies, active, usualName: () => usualName('upgrade', parts.now()) },
    ...{ check: others['runs.check'], move: deployments.move },
  });
  const beginOf = (spec: StudySpec) => {
    if (soakOf({ spec }) !== null) return soaks.begin;
    return upgradeOf({ spec }) === null ? searches.begin.bind(searches) : upgrades.begin;
  };
  const studyOf = async (name: string): Promise<Study> => {
    const study = await studies.load(name);
    if (study !== null && isOwn(study)) return study;
    throw new WorkbenchError('study-unknown', `Unknown search "${name}"`);
  };
  const report = async (name: string, out?: string): Promise<WrittenStudy> =>
    writeStudyReport(parts, await studyOf(name), others['searches.configs'], out);
  return {
    report,
    leave: async (name) => {
      const study = await studies.load(name).catch(() => null);
      if (study !== null && !(await studies.isHeld(name))) await leaveServer(study).catch(() => undefined);
    },
    start: async (spec, resume) => {
      const { end } = await beginOf(spec)(spec, { resume });
      // Its journal has it.
      (end as Promise<unknown>).catch(() => undefined);
    },
    handlers: {
      'searches.plan': ({ name = usualName('search', parts.now()), ...request }) =>
        plan({ ...request, name }),
      ...soaks.handlers,
      ...upgrades.handlers,
      ...createAnalyzerCalls(parts, others['spec.resolve']),
      ...createJointCalls(parts, others['spec.preview'], () => usualName('search', parts.now())),
      'duels.plan': (request) => duelPlan(parts, request),
      'searches.work': async ({ spec, ...how }) => (await searches.begin(spec, how)).end,
      'searches.get': ({ name }) => studyOf(name),
      'searches.report': ({ name, out }) => report(name, out),
    },
  };
}
