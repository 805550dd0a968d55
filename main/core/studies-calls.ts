import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Handlers } from '../contract/api';
import { type OpenModelInput, openModelSchema } from '../contract/run/own-model';
import type { StudySpec } from '../contract/study/study';
import { studySpecOf } from '../domain/study/matrix-study';
import { detailOf, planOf } from '../domain/study/study-detail';
import type { Runs } from '../pipeline/runs';
import { Studies } from '../studies/studies';
import type { ActiveStudies } from '../studies/study-hands';
import { StudyStore } from '../studies/study-store';
import { approveGiven } from './approve-given';
import type { Core, TrustedCalls } from './core-interface';
import type { CoreParts } from './core-parts';
import { withOwnModels } from './matrix-models';
import { type createSearchCalls, isOwn } from './search/search-calls';

type OtherCall =
  'spec.preview' | 'spec.resolve' | 'runs.check' | 'hosts.fit' | 'presets.list' | 'matrix.write';

type TrustedStudyCall = Extract<keyof TrustedCalls, `studies.${string}`> | 'approvals.given';

export function createStudiesCalls(
  parts: CoreParts,
  runs: Runs,
  others: Pick<Core['handlers'], OtherCall>,
  active: ActiveStudies,
  searches: Pick<ReturnType<typeof createSearchCalls>, 'start' | 'report' | 'leave'>,
): {
  readonly handlers: Pick<Handlers, Extract<keyof Handlers, `studies.${string}`>> &
    Pick<TrustedCalls, TrustedStudyCall>;
} {
  const { layout, store, trash, approvals, own, hosts, reading, emit, now } = parts;
  const trustModel = (model: OpenModelInput) => own.handlers['models.trust'](openModelSchema.parse(model));
  const given: TrustedCalls['approvals.given'] = ({ spec, ...consent }) =>
    approveGiven({ approvals, trustModel }, spec, consent);
  const write = others['matrix.write'];
  const studies = new Studies({
    runs,
    store,
    trash,
    ...{ approvals, active },
    studies: new StudyStore(layout.studies),
    approve: (spec, consent) => given({ spec, ...consent }),
    preview: others['spec.preview'],
    check: others['runs.check'],
    resolve: others['spec.resolve'],
    hostFits: others['hosts.fit'],
    hostNames: async () => (await hosts.list()).map(({ name }) => name),
    writeReport: (name, results) => write({ name, results }),
    removeReports: (name) => rm(join(layout.matrices, name), { recursive: true, force: true }),
    onEntry: (name, entry) => emit({ type: 'study', name, entry }),
  });
  const done = async (work: Promise<unknown>): Promise<null> => {
    await work;
    return null;
  };
  const start = async (spec: StudySpec, resume: boolean): Promise<null> => {
    if (isOwn({ spec })) await searches.start(spec, resume);
    else await studies.start(spec, { resume, consent: {} });
    return null;
  };
  return {
    handlers: {
      'approvals.given': given,
      'studies.list': () => studies.list(),
      'studies.get': async ({ name }) => detailOf(await studies.show(name), now().getTime()),
      'studies.read': async ({ text, fileName, preset = null }) => {
        const presets = (await others['presets.list'](undefined)).map(({ id, title }) => ({ id, title }));
        const file = await reading.readers.matrix({ text, fileName, preset, presets });
        const opened = await withOwnModels(file, presets, own.handlers['models.open']);
        return studySpecOf(opened, basename(fileName), preset);
      },
      'studies.plan': async ({ spec }) => {
        const { trials, notes } = await studies.plan(spec);
        return planOf(trials, notes);
      },
      'studies.start': ({ spec }) => start(spec, false),
      'studies.pause': ({ name }) => done(studies.stop(name, 'pause')),
      'studies.cancel': ({ name }) => done(studies.stop(name, 'cancel')),
      'studies.resume': async ({ name }) => start(await studies.specOf(name), true),
      'studies.size': ({ name }) => studies.size(name),
      'studies.remove': async ({ name, withRuns }) => {
        await searches.leave(name);
        await studies.remove(name, { withRuns });
        emit({ type: 'runs-changed' });
        return null;
      },
      'studies.report': async ({ name }) => {
        const { study, results } = await studies.show(name);
        return study !== null && isOwn(study) ? searches.report(name) : write({ name, results });
      },
      'studies.planned': ({ spec, consent: said }) => studies.plan(spec, said),
      'studies.open': ({ spec, plan, ...how }) => studies.open(spec, plan, how),
      'studies.show': ({ name }) => studies.show(name),
      'studies.specOf': ({ name }) => studies.specOf(name),
    },
  };
}
