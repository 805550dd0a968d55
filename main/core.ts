import type { AppInfo, WorkUnderWay } from './contract/api';
import type { BuiltImage } from './contract/docker';
import { isEmptyReach } from './contract/reach';
import { createCapacityCalls } from './core/capacity-calls';
import type { Core } from './core/core-interface';
import { type CoreOptions, type CoreParts, createCoreParts } from './core/core-parts';
import { createCoreRuns } from './core/core-runs';
import { createGoldenCalls } from './core/golden-calls';
import { createHomeCalls } from './core/home-calls';
import { createPipelineCalls } from './core/huggingface/pipeline-calls';
import { createHostCalls, createMachineCalls, createPresetCalls } from './core/machine-calls';
import { createReportCalls } from './core/reports/report-calls';
import { createSearchCalls } from './core/search/search-calls';
import { createWinnerCalls } from './core/search/search-winner';
import { createDeploymentCalls, createServerCalls } from './core/server-calls';
import { createStartCalls } from './core/start-calls';
import { createStudiesCalls } from './core/studies-calls';
import { createTrustedCalls } from './core/trusted-calls';
import { createRunList, startUpkeep } from './core/upkeep';
import { createWarmUpCalls } from './core/warm-up-calls';
import type { Deployments } from './deployments/deployments';
import { createDockerCalls } from './docker/docker-calls';
import { buildArgsOf } from './engine/docker/run-images';
import type { Runs } from './pipeline/runs';
import { createRunsCalls } from './pipeline/runs-calls';
import { plannedCommands } from './pipeline/steps';
import { homeLayout, isHomeFixed } from './platform/layout';
import { closedHomeText, keepHomePrivate, requireHomeFolder } from './platform/private-home';
import { endSshConnections } from './platform/ssh/ssh-connection';
import { createSpecTools } from './specification/spec-tools';
import { pathReach } from './store/approvals';
import { createDrafts } from './store/drafts';
import { ActiveStudies } from './studies/study-hands';

export type { Core } from './core/core-interface';
export type { CoreOptions } from './core/core-parts';
export type { Readers } from './core/readers';
export type { Cleaned as CleanedHome, CleanPlan, CleanRequest } from './core/upkeep';
export type { ExecuteOptions } from './pipeline/run-options';
export type { OpenStudy } from './studies/studies';
export type { StudyStops } from './studies/study-hands';
export type { ServerLoadListener, ServerResults } from './pipeline/measure/server-levels';

const isRunning = ({ status }: { readonly status: string }): boolean => status === 'running';

const workUnderWay = (
  runs: Runs,
  deployments: Pick<Deployments, 'underWay'>,
  studies: Pick<ActiveStudies, 'underWay'>,
  { images, data, tools }: CoreParts,
): WorkUnderWay => ({
  runIds: runs.ids(),
  // Not the log lines of each.
  images: images
    .list()
    .filter(isRunning)
    .map(({ kind, image }) => ({ kind, image })),
  fetches: data
    .works()
    .filter(isRunning)
    .map(({ title }) => title),
  tools: tools.underWay(),
  deployments: deployments.underWay(),
  studies: studies.underWay(),
});

function specToolsOf({ presets, layout, reading, approvals, options }: CoreParts) {
  const { resources, workerFile } = options;
  return createSpecTools({
    presets,
    places: {
      layout,
      resources,
      readers: reading.readers,
      plannedCommands: (preset, spec) => plannedCommands(preset, spec, { layout, resources, workerFile }),
    },
    mayRead: async (path) =>
      isEmptyReach(await approvals.missing(pathReach('performance.inputDataFile', path))),
  });
}

const appInfo = ({ version, home, electron, env }: CoreOptions): AppInfo => ({
  ...{ version, home, electron },
  homeFixed: isHomeFixed(home, env),
});

/** What leads to other machines. */
function endConnections({ reach }: Pick<CoreParts, 'reach'>): Promise<void> {
  reach.close();
  return endSshConnections();
}

/** The one core of window, CLI and tests. Sweeps what dead workbenches left before it returns, or beside a window. */
export async function createCore(options: CoreOptions): Promise<Core> {
  await requireHomeFolder(options.home);
  const closed = await keepHomePrivate(homeLayout(options.home));
  const parts = await createCoreParts(options);
  const { layout, store, trash, own, docker, auths, images, data, monitor, emit, now } = parts;
  const startCalls = createStartCalls(parts);
  const runs = createCoreRuns(parts, startCalls);
  const upkeep = await startUpkeep(parts, runs);
  const machineCalls = createMachineCalls(parts);
  const buildArgs = (image: BuiltImage) => buildArgsOf(image, undefined, parts.options.registry);
  const dockerCalls = createDockerCalls({ link: docker, images, buildArgs, emit, now });
  const runsCalls = createRunsCalls({ runs, store, trash, drafts: createDrafts(layout.drafts), emit });
  const runList = createRunList(parts);
  const others = {
    ...{ ...createPresetCalls(parts, runs), ...specToolsOf(parts), ...createReportCalls(parts) },
    ...startCalls.handlers,
  };
  const winners = createWinnerCalls(parts, runs, others['runs.changedSpec']);
  const deployments = createDeploymentCalls(parts, winners.foundConfig);
  const active = new ActiveStudies();
  const capacities = createCapacityCalls(parts);
  const warmUps = createWarmUpCalls(parts);
  const searches = createSearchCalls(parts, runs, { ...others, ...winners.handlers }, active, deployments);
  const studies = createStudiesCalls(parts, runs, others, active, searches);
  const underWay = () => workUnderWay(runs, deployments, active, parts);
  const homeCalls = createHomeCalls(parts, {
    upkeep,
    underWay,
    machine: machineCalls['machine.get'],
    deployments: deployments.handlers['deployments.list'],
    dockerState: dockerCalls.handlers['docker.state'],
    images: dockerCalls.handlers['docker.images'],
  });
  return {
    handlers: {
      'app.info': () => Promise.resolve(appInfo(options)),
      ...machineCalls,
      ...dockerCalls.handlers,
      'docker.login': (login) => {
        auths.login(login);
        return Promise.resolve({ kept: false });
      },
      ...monitor.handlers,
      ...data.handlers,
      ...own.handlers,
      ...parts.hub.handlers,
      ...createPipelineCalls(parts),
      ...runsCalls.handlers,
      'runs.list': runList.list,
      ...deployments.handlers,
      ...homeCalls.handlers,
      'home.closed': () => Promise.resolve(closedHomeText(layout, closed)),
      ...createHostCalls(parts),
      ...createServerCalls(runs, parts),
      ...parts.tools.handlers,
      ...others,
      ...studies.handlers,
      ...searches.handlers,
      ...winners.handlers,
      ...capacities.handlers,
      ...warmUps.handlers,
      ...createGoldenCalls(parts),
      ...createTrustedCalls(parts, runs, upkeep),
    },
    subscribe: (listener) => parts.events.add(listener),
    underWay,
    close: async () => {
      // Before its runs: it would begin the next one.
      await active.close();
      const working = [upkeep, runList, homeCalls, runs, dockerCalls, data, parts.tools, monitor];
      for (const part of [capacities, warmUps, deployments, ...working]) await part.close();
      parts.reading.close();
      await endConnections(parts);
    },
  };
}
