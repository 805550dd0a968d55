import { initModelFolder } from '../own/own-preset';
import type { Runs } from '../pipeline/runs';
import { pointsCsv } from '../reports/csv';
import type { TrustedCalls } from './core-interface';
import type { CoreParts } from './core-parts';
import { writePipeline } from './huggingface/write-pipeline';
import { runReading } from './reading/run-reading';
import { createReportPlaces } from './reports/report-places';
import { serveRepository } from './repository-server';
import type { Upkeep } from './upkeep';

type MadeElsewhere =
  | 'approvals.given'
  | 'comparisons.write'
  | 'deployments.recover'
  | 'deployments.trace'
  | 'home.closed'
  | 'hosts.fit'
  | 'machine.check'
  | 'memory.measure'
  | 'matrix.write'
  | 'runs.changedSpec'
  | 'runs.reportPath'
  | 'runs.writeReports'
  | 'spec.check'
  | 'spec.resolve'
  | `golden.${string}`
  | `soaks.${string}`
  | `searches.${string}`
  | `studies.${string}`
  | `warmUps.${string}`
  | `upgrades.${string}`;

type Calls<Area extends string> = Pick<
  TrustedCalls,
  Exclude<Extract<keyof TrustedCalls, `${Area}.${string}`>, MadeElsewhere>
>;

const runCalls = (runs: Runs, { store }: CoreParts): Calls<'runs' | 'jobs'> => ({
  'runs.create': async ({ spec, out, ...how }) => ({ runId: await runs.create(spec, out, how) }),
  'runs.createOnServer': async ({ load, ...how }) => ({ runId: await runs.createServer(load, how) }),
  'runs.execute': ({ runId, ...how }) => runs.execute(runId, how),
  'runs.content': ({ runId }) => runs.content(runId),
  'runs.trustContent': ({ runId, hash }) => runs.trust(runId, hash),
  ...runReading(store),
  'runs.folder': async ({ runId }) => ({ dir: (await store.folderOf(runId)).dir }),
  'runs.levelsCsv': ({ points }) => Promise.resolve(pointsCsv(points)),
  'jobs.isHandedOver': ({ runId }) => runs.isHandedOver(runId),
  'jobs.submit': ({ runIds, name, signal }) => runs.submit(runIds, name, signal),
  'jobs.follow': ({ runId }) => runs.follow(runId),
  'jobs.ends': ({ runId, when }) => runs.jobEnds(runId, when),
});

const monitorCalls = (parts: CoreParts): Calls<'monitor'> => {
  const { monitor } = parts;
  return {
    'monitor.watch': ({ target, intervalMs, headers }) => monitor.watch(target, intervalMs, headers),
    'monitor.requireModel': ({ target, headers, model }) => monitor.requireModel(target, headers, model),
    'monitor.judgeBy': ({ rules }) => {
      monitor.judgeBy(rules);
      return Promise.resolve();
    },
    'monitor.unjudged': () => Promise.resolve(monitor.unjudged()),
    'monitor.recordTo': ({ path }) => monitor.recordTo(path),
    'monitor.replayFile': ({ path, speed }) => monitor.replayFile(path, speed),
    'monitor.write': async ({ path, kind }) =>
      monitor.exportTo(path, kind, await createReportPlaces(parts).read({ kind: 'monitor' })),
    'monitor.fileStem': () => Promise.resolve(monitor.fileStem()),
  };
};

const homeCalls = (
  upkeep: Upkeep,
  { tools, data, images }: CoreParts,
): Calls<'data' | 'docker' | 'tools' | 'upkeep'> => ({
  'data.fetchTo': (request) => Promise.resolve().then(() => ({ workId: data.fetch(request) })),
  'data.ended': ({ workId }) => data.ended(workId),
  'docker.imageWorkEnded': ({ workId }) => images.ended(workId),
  'tools.plan': ({ components, repair }) => tools.plan(components, { repair }),
  'tools.systemPackages': () => tools.systemPackages(),
  'tools.ended': () => tools.ended(),
  'upkeep.plan': (request) => upkeep.planClean(request),
  'upkeep.clean': (request) => upkeep.clean(request),
});

const readingCalls = (
  parts: CoreParts,
): Calls<'approvals' | 'matrix' | 'models' | 'replay' | 'spec' | 'traces'> => {
  const {
    approvals,
    own,
    options,
    reading: { readers },
  } = parts;
  return {
    'approvals.missing': (reach) => approvals.missing(reach),
    'approvals.add': (reach) => approvals.add(reach),
    'approvals.give': ({ path }) => {
      approvals.give(path);
      return Promise.resolve();
    },
    'matrix.read': readers.matrix,
    'models.code': (input) => own.code(input),
    'models.lookHub': ({ reference, ...how }) => parts.hub.look(reference, how),
    'models.serve': (given) => serveRepository(parts, given),
    'models.pipeline': (given) => writePipeline(parts, given),
    'models.init': ({ dir }) => initModelFolder(dir, options.resources),
    'replay.read': readers.replayRead,
    'traces.read': readers.slowRequests,
    'spec.readModel': readers.specModel,
  };
};

export const createTrustedCalls = (
  parts: CoreParts,
  runs: Runs,
  upkeep: Upkeep,
): Omit<TrustedCalls, MadeElsewhere> => ({
  ...runCalls(runs, parts),
  ...monitorCalls(parts),
  ...homeCalls(upkeep, parts),
  ...readingCalls(parts),
});
