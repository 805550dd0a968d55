import { freemem } from 'node:os';
import { join, resolve } from 'node:path';
import type { Handlers } from '../../contract/api';
import { WorkbenchError } from '../../contract/errors';
import type { DuelRequest } from '../../contract/study/duel';
import type { SearchStrategy } from '../../contract/study/search';
import type { DuelPlan, Study, StudySpec } from '../../contract/study/study';
import { duelAnswer } from '../../domain/study/duel/duel-answer';
import { duelOf } from '../../domain/study/duel/duel-study';
import { planDuel } from '../../domain/study/duel/plan-duel';
import { jointAnswer } from '../../domain/study/joint/joint-answer';
import { jointCommands, jointOf } from '../../domain/study/joint/joint-study';
import { loadQuestion } from '../../domain/study/load-question';
import { searchAnswer } from '../../domain/study/search/search-answer';
import { searchOf } from '../../domain/study/search/search-study';
import { answerOfSoak, soakedOf, soakOf } from '../../domain/study/soak/soak-study';
import type { Runs } from '../../pipeline/runs';
import type { StoredReportSettings } from '../../reports/report-settings';
import { type StudyFile, writeStudyFiles, type WrittenStudy } from '../../reports/study-files';
import { Searches } from '../../studies/search/searches';
import type { ActiveStudies } from '../../studies/study-hands';
import { StudyStore } from '../../studies/study-store';
import { createAnalyzerCalls } from '../analyzer-calls';
import type { Core, TrustedCalls } from '../core-interface';
import type { CoreParts } from '../core-parts';
import { gpusOf } from '../host-gpus';
import { createReportPlaces } from '../reports/report-places';
import { verifiedRun } from '../server-calls';
import { createSoakCalls } from '../soak/soak-calls';
import { contestOf, placeHandsOf, requireBeside, requireTogether } from './contests';
import { createJointCalls, jointContest } from './joint-calls';
import { createSearchPlan } from './search-plan';
import { leaveServer, searchedServer } from './search-server';

/** "search-1128-123759" */
function usualName(kind: string, now: Date): string {
  const stamp = now.toISOString();
  return `${kind}-${stamp.slice(5, 10).replace('-', '')}-${stamp.slice(11, 19).replaceAll(':', '')}`;
}

/** It measures by itself, without runs. */
export const isOwn = ({ spec }: Pick<Study, 'spec'>): boolean =>
  [searchOf, jointOf, duelOf, soakOf].some((of) => of({ spec }) !== null);

async function reportFiles(
  study: Study,
  how: { readonly generatedAt: string; readonly settings: StoredReportSettings },
  configsOf: Handlers['searches.configs'],
): Promise<readonly StudyFile[]> {
  const { name, searched } = study;
  const soak = soakOf(study);
  if (soak !== null) {
    const { soakFiles } = await import('../../reports/soak-report');
    return soakFiles({ name, ...how, soak, soaked: soakedOf(study), answer: answerOfSoak(study, soak) });
  }
  const duel = duelOf(study);
  if (duel !== null) {
    const { duelFiles } = await import('../../reports/duel-report');
    return duelFiles({ name, ...how, duel, answer: duelAnswer(duel, searched) });
  }
  const joint = jointOf(study);
  if (joint !== null) {
    const { jointFiles } = await import('../../reports/joint-report');
    const configs = await Promise.all(
      joint.models.map((_model, at) => configsOf({ name, model: at + 1 }).catch(() => null)),
    );
    return jointFiles({
      ...{ name, ...how, joint, searched, configs, commands: jointCommands(study, joint) },
      answer: jointAnswer(joint, searched),
    });
  }
  const { searchFiles } = await import('../../reports/search-report');
  const search = searchOf(study) as SearchStrategy;
  // Without its run there are none.
  const configs = await configsOf({ name }).catch(() => null);
  return searchFiles({
    ...{ name, ...how, search, searched, configs, answer: searchAnswer(search, searched) },
  });
}

/** Throws as `searches.plan`. */
async function duelPlan(
  parts: CoreParts,
  { name, server: given, ...request }: DuelRequest,
): Promise<DuelPlan> {
  const { between } = request;
  const isTry = 'suggestion' in between;
  const [one, other] = isTry ? [between.runId, between.runId] : [between.first, between.second];
  const { state: first } = await verifiedRun(parts, one, false);
  const second = one === other ? first : (await verifiedRun(parts, other, false)).state;
  const asked = { ...request, name: name ?? usualName(isTry ? 'try' : 'compare', parts.now()) };
  if (given !== undefined) {
    const { server, note, before } = await searchedServer(parts, first.source.spec, given);
    const planned = planDuel([first, second], { ...asked, server });
    return { ...planned, notes: [note, ...planned.notes], asks: loadQuestion(before, 2) };
  }
  for (const state of [first, second]) requireBeside(state);
  requireTogether(first, second);
  return planDuel([first, second], asked);
}

/** Searches for the best configuration, comparisons in turns, and soaks. */
export function createSearchCalls(
  parts: CoreParts,
  runs: Runs,
  others: Pick<Core['handlers'], 'spec.preview' | 'spec.resolve' | 'searches.configs'>,
  active: ActiveStudies,
): {
  /** Works on it behind the caller’s back, as a window does: what becomes of it is in its journal. */
  readonly start: (spec: StudySpec, resume: boolean) => Promise<void>;
  readonly report: (name: string) => Promise<WrittenStudy>;
  /** Before it is removed: unloads what is left of it on a running Triton, as far as that answers. */
  readonly leave: (name: string) => Promise<void>;
  readonly handlers: Pick<TrustedCalls, Extract<keyof TrustedCalls, `searches.${string}`>> &
    Pick<TrustedCalls, 'soaks.work'> &
    Pick<Handlers, 'searches.plan' | 'searches.planJoint' | 'duels.plan' | 'soaks.plan'>;
} {
  const { layout, emit, store } = parts;
  const plan = createSearchPlan(parts, others['spec.preview']);
  const studies = new StudyStore(layout.studies);
  const searches = new Searches({
    ...{ studies, active, runs, store },
    resolve: others['spec.resolve'],
    verified: async (runId) => (await verifiedRun(parts, runId, false)).state,
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
  const studyOf = async (name: string): Promise<Study> => {
    const study = await studies.load(name);
    if (study !== null && isOwn(study)) return study;
    throw new WorkbenchError('study-unknown', `Unknown search "${name}"`);
  };
  const report = async (name: string, out?: string) => {
    const study = await studyOf(name);
    const settings = await createReportPlaces(parts).read({ kind: 'study', name });
    const how = { generatedAt: parts.now().toISOString(), settings };
    const files = await reportFiles(study, how, others['searches.configs']);
    const dir = out === undefined ? join(layout.matrices, name) : resolve(out);
    return writeStudyFiles(dir, files, parts.options.printPdf);
  };
  return {
    report,
    leave: async (name) => {
      const study = await studies.load(name).catch(() => null);
      if (study !== null && !(await studies.isHeld(name))) await leaveServer(study).catch(() => undefined);
    },
    start: async (spec, resume) => {
      const { end } = await (soakOf({ spec }) === null ? searches : soaks).begin(spec, { resume });
      end.catch(() => undefined);
    },
    handlers: {
      'searches.plan': ({ name = usualName('search', parts.now()), ...request }) =>
        plan({ ...request, name }),
      ...soaks.handlers,
      ...createAnalyzerCalls(parts, others['spec.resolve']),
      ...createJointCalls(parts, others['spec.preview'], () => usualName('search', parts.now())),
      'duels.plan': (request) => duelPlan(parts, request),
      'searches.work': async ({ spec, ...how }) => (await searches.begin(spec, how)).end,
      'searches.get': ({ name }) => studyOf(name),
      'searches.report': ({ name, out }) => report(name, out),
    },
  };
}
