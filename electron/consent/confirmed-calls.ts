import type { Handlers } from '../../main/contract/api';
import { WorkbenchError } from '../../main/contract/errors';
import { localHost } from '../../main/contract/host/host-name';
import {
  allOfReach,
  emptyReach,
  isEmptyReach,
  type Reach,
  type Reached,
  reachOf,
} from '../../main/contract/reach';
import { knownParameters } from '../../main/contract/run/run-source';
import { pathsOfLoad } from '../../main/contract/run/server-load';
import type { SearchServer } from '../../main/contract/study/search';
import type { StudySpec } from '../../main/contract/study/study';
import type { UpgradeTarget } from '../../main/contract/study/upgrade';
import type { Core } from '../../main/core';
import { duelOf } from '../../main/domain/study/duel/duel-study';
import { modelPathsOf } from '../../main/domain/study/matrix-study';
import { searchOf } from '../../main/domain/study/search/search-study';
import { soakOf } from '../../main/domain/study/soak/soak-study';
import { engineOfTarget } from '../../main/domain/study/upgrade/target-engine';
import { upgradeOf } from '../../main/domain/study/upgrade/upgrade-study';
import { pathReach } from '../../main/store/approvals';
import {
  type ConsentQuestion,
  reachOfContent,
  reachQuestion,
  runQuestion,
  trustQuestion,
} from './consent-question';

/** The calls of the page that name a path, an image or another machine, or that lead to code being run. */
export type ConfirmedCall =
  | 'models.asPipeline'
  | 'models.check'
  | 'models.open'
  | 'models.trust'
  | 'runs.start'
  | 'runs.resume'
  | 'runs.rerunFrom'
  | 'runs.planChange'
  | 'runs.change'
  | 'runs.trust'
  | 'runs.check'
  | 'reports.change'
  | 'reports.checkLogo'
  | 'runs.import'
  | 'spec.preview'
  | 'spec.choice'
  | 'spec.editConfig'
  | 'spec.export'
  | 'spec.import'
  | 'duels.plan'
  | 'searches.plan'
  | 'soaks.plan'
  | 'studies.plan'
  | 'studies.read'
  | 'studies.start'
  | 'studies.resume'
  | 'upgrades.plan'
  | 'docker.pullImage'
  | 'monitor.start'
  | 'servers.describe'
  | 'servers.measure';

/** Those that the core has as they are, and what is asked before them: the trust of a run is asked for here alone. */
type CheckedHandlers = Pick<
  Core['handlers'],
  | Exclude<ConfirmedCall, 'runs.trust'>
  | ApprovalCall
  | 'matrix.read'
  | 'models.code'
  | 'presets.list'
  | 'runs.content'
  | 'runs.show'
  | 'runs.trustContent'
  | 'spec.readModel'
  | 'studies.specOf'
>;
type ServerCall =
  'duels.plan' | 'searches.plan' | 'soaks.plan' | 'servers.describe' | 'servers.measure' | 'monitor.start';
type ReportCall = 'reports.change' | 'reports.checkLogo';
type ApprovalCall = 'approvals.missing' | 'approvals.add';

/** True: the person agreed, in a native dialog. */
export type AskForConsent = (question: ConsentQuestion) => Promise<boolean>;

const refused = (what: string): WorkbenchError =>
  new WorkbenchError('not-trusted', `You did not agree: ${what}`, {
    remedy: 'Start again, and agree if you chose it yourself.',
  });

const sourcePath = (spec: unknown): Reach => ({
  ...emptyReach,
  paths: reachOf(spec).paths.filter(({ field }) => field === 'model.source.path'),
});

const machineOf = (host: string | undefined): Reach['machines'] =>
  host === undefined ? [] : [{ field: 'host', value: host }];

/** A Triton that runs already receives models, and load. */
const runningReach = (server: Pick<SearchServer, 'url' | 'tls'> | undefined): Reach =>
  reachOf(server === undefined ? {} : { engine: { kind: 'remote', url: server.url, tls: server.tls } });

/** Of a soak of a Triton of others: its addresses, the files that it reads, and all that is given to a load tool. */
function soakReach(spec: StudySpec): Reach {
  const subject = soakOf({ spec })?.subject;
  if (subject?.kind !== 'server') return emptyReach;
  const { load } = subject;
  const { http, grpc, metrics } = load.addresses;
  const addresses = [http, grpc, ...(metrics === null ? [] : [metrics.address])];
  const given = [...pathsOfLoad(load), load.profileExportFile ?? [], load.analyzerArguments ?? []].flat();
  return {
    ...emptyReach,
    paths: given.map((value) => ({ field: 'soak', value })),
    hosts: addresses.flatMap((url) => runningReach({ url }).hosts),
    machines: machineOf(load.host),
  };
}

/** What a serving environment executes. */
const targetReach = (target: UpgradeTarget | undefined): Reach =>
  reachOf({ engine: (target && engineOfTarget(target)) ?? {} });

/** Each once. */
function joined(all: readonly Reach[]): Reach {
  const once = (of: (reach: Reach) => readonly Reached[]): readonly Reached[] => [
    ...new Map(all.flatMap(of).map((one) => [`${one.field} ${one.value}`, one])).values(),
  ];
  return {
    paths: once(({ paths }) => paths),
    images: once(({ images }) => images),
    hosts: once(({ hosts }) => hosts),
    machines: once(({ machines }) => machines),
  };
}

function studyReach(spec: StudySpec): Reach {
  const { strategy, hosts } = spec;
  const { server = duelOf({ spec })?.server, host } = searchOf({ spec }) ?? {};
  const spread = (hosts ?? []).filter((name) => name !== localHost);
  return joined([
    ...strategy.trials.map(({ choice }) => reachOf(choice.overrides)),
    runningReach(server),
    soakReach(spec),
    ...(upgradeOf({ spec })?.sides ?? []).map(({ target }) => targetReach(target)),
    { ...emptyReach, machines: machineOf(host) },
    { ...emptyReach, machines: spread.map((value) => ({ field: 'hosts', value })) },
  ]);
}

/** One dialog at a time; what an earlier one answered is not asked again. */
function createConsentGate(
  { 'approvals.missing': findMissing, 'approvals.add': approve }: Pick<CheckedHandlers, ApprovalCall>,
  askNatively: AskForConsent,
) {
  let tail: Promise<unknown> = Promise.resolve();
  const inTurn = <Value>(work: () => Promise<Value>): Promise<Value> => {
    const done = tail.then(work);
    tail = done.catch(() => undefined);
    return done;
  };
  return {
    inTurn,
    ensure: (reach: Reach): Promise<void> =>
      inTurn(async () => {
        const missing = await findMissing(reach);
        if (!isEmptyReach(missing)) {
          const values = allOfReach(missing).map(({ value }) => value);
          if (!(await askNatively(reachQuestion(missing)))) throw refused(values.join(', '));
        }
        await approve(reach);
      }),
    requireOpened: async (spec: unknown): Promise<void> => {
      const [missing] = (await findMissing(sourcePath(spec))).paths;
      if (missing === undefined) return;
      throw new WorkbenchError('not-trusted', `The model ${missing.value} was not opened in this window`, {
        where: missing.field,
        remedy: 'Open it on the Model page of the wizard.',
      });
    },
  };
}

const after =
  <Input, Output>(call: (input: Input) => Promise<Output>, check: (input: Input) => Promise<void>) =>
  async (input: Input): Promise<Output> => {
    await check(input);
    return call(input);
  };

/** Those that name a running Triton, or a host that reaches one. */
const serverCalls = (
  handlers: Pick<CheckedHandlers, ServerCall>,
  ensure: (reach: Reach) => Promise<void>,
): Pick<Handlers, ServerCall> => ({
  'duels.plan': after(handlers['duels.plan'], ({ server }) => ensure(runningReach(server))),
  'searches.plan': after(handlers['searches.plan'], ({ server }) => ensure(runningReach(server))),
  // As below: the soak itself is asked for where it begins.
  'soaks.plan': after(handlers['soaks.plan'], ({ of }) =>
    ensure({ ...reachOf({ engine: { tls: 'url' in of ? of.tls : undefined } }), hosts: [] }),
  ),
  // While a form is filled in: nothing runs on a host, which is asked for where it is measured.
  'servers.describe': after(handlers['servers.describe'], ({ tls }) =>
    ensure({ ...reachOf({ engine: { tls } }), hosts: [] }),
  ),
  'servers.measure': after(handlers['servers.measure'], ({ url, tls, host, performance }) =>
    ensure({
      ...reachOf({ engine: { kind: 'remote', url, tls }, performance }),
      machines: machineOf(host),
    }),
  ),
  'monitor.start': after(handlers['monitor.start'], ({ tls, host }) =>
    ensure({ ...reachOf({ engine: { tls } }), images: [], hosts: [], machines: machineOf(host) }),
  ),
});

const samplesReach = (path: string | undefined): Reach =>
  path === undefined ? emptyReach : pathReach('samples', path);

/** Those that read the logo of a report. */
const reportCalls = (
  handlers: Pick<CheckedHandlers, ReportCall>,
  ensure: (reach: Reach) => Promise<void>,
): Pick<Handlers, ReportCall> => ({
  'reports.change': after(handlers['reports.change'], ({ change }) =>
    ensure(typeof change.logo === 'string' ? pathReach('logo', change.logo) : emptyReach),
  ),
  'reports.checkLogo': after(handlers['reports.checkLogo'], ({ path }) => ensure(pathReach('logo', path))),
});

/**
 * The core's calls behind consent: a path, image or machine that the page names is asked for in a native dialog unless
 * a dialog, a drop or an earlier agreement gave it. Calls made while a form is filled in ask nothing; an own model that
 * nobody opened here is then refused.
 */
export function confirmedCalls(
  handlers: CheckedHandlers,
  askNatively: AskForConsent,
): Pick<Handlers, ConfirmedCall> {
  const { inTurn, ensure, requireOpened } = createConsentGate(handlers, askNatively);
  const reachOfRun = async ({ runId }: { readonly runId: string }): Promise<Reach> =>
    reachOf(knownParameters((await handlers['runs.show']({ runId })).state));
  const ensureRun = async (run: { readonly runId: string }): Promise<void> => ensure(await reachOfRun(run));
  const ensureStudy = (spec: StudySpec): Promise<void> => ensure(studyReach(spec));
  return {
    'models.check': after(handlers['models.check'], async ({ paths }) => {
      for (const path of paths) await ensure(pathReach('model', path));
    }),
    'models.asPipeline': after(handlers['models.asPipeline'], ({ path, texts, samples }) =>
      ensure(joined([pathReach('model', path), ...[texts, samples].flatMap(samplesReach)])),
    ),
    'models.open': async (input) => {
      await ensure(pathReach('model', input.path));
      const opened = await handlers['models.open'](input);
      // The model of a saved_model.pb is its folder.
      await handlers['approvals.add'](pathReach('model', opened.path));
      return opened;
    },
    'models.trust': async (input) => {
      await ensure(pathReach('model', input.path));
      const sha256 = await inTurn(async () => {
        const code = await handlers['models.code'](input);
        if (await askNatively(trustQuestion(code))) return code.sha256;
        throw refused(code.path);
      });
      // Trust covers exactly the content that was shown.
      return handlers['models.trust']({ ...input, sha256 });
    },
    'runs.start': after(handlers['runs.start'], ({ spec }) => ensure(reachOf(spec))),
    'runs.resume': after(handlers['runs.resume'], ensureRun),
    'runs.rerunFrom': after(handlers['runs.rerunFrom'], ensureRun),
    'runs.planChange': after(handlers['runs.planChange'], ({ spec }) => requireOpened(spec)),
    'runs.change': after(handlers['runs.change'], ({ spec }) => ensure(reachOf(spec))),
    'runs.trust': async ({ runId }) => {
      const content = await handlers['runs.content']({ runId });
      await inTurn(async () => {
        if (!(await askNatively(runQuestion(content)))) throw refused(content.dir);
        // Trust covers exactly the content that was shown.
        await handlers['runs.trustContent']({ runId, hash: content.hash });
        await handlers['approvals.add'](reachOfContent(content));
      });
      return null;
    },
    'runs.check': after(handlers['runs.check'], ({ spec }) => requireOpened(spec)),
    'runs.import': after(handlers['runs.import'], async ({ path, beside = [] }) => {
      for (const one of [path, ...beside]) await ensure(pathReach('import', one));
    }),
    'spec.preview': after(handlers['spec.preview'], ({ overrides }) => requireOpened(overrides)),
    'spec.editConfig': after(handlers['spec.editConfig'], ({ overrides }) => requireOpened(overrides)),
    'spec.export': after(handlers['spec.export'], ({ overrides }) => requireOpened(overrides)),
    'spec.choice': after(handlers['spec.choice'], ({ spec }) => ensure(sourcePath(spec))),
    'spec.import': after(handlers['spec.import'], async ({ text, fileName, overrides }) => {
      const { source } = await handlers['spec.readModel']({ text, fileName });
      await ensure(sourcePath({ model: { source } }));
      await requireOpened(overrides);
    }),
    'studies.plan': after(handlers['studies.plan'], async ({ spec }) => {
      for (const { choice } of spec.strategy.trials) await requireOpened(choice.overrides);
    }),
    'studies.read': after(handlers['studies.read'], async ({ text, fileName, preset = null }) => {
      const presets = await handlers['presets.list'](undefined);
      const file = await handlers['matrix.read']({ text, fileName, preset, presets });
      for (const path of modelPathsOf(file, presets)) await ensure(pathReach('model', path));
    }),
    'studies.start': after(handlers['studies.start'], ({ spec }) => ensureStudy(spec)),
    'studies.resume': after(handlers['studies.resume'], async ({ name }) =>
      ensureStudy(await handlers['studies.specOf']({ name })),
    ),
    'upgrades.plan': after(handlers['upgrades.plan'], async ({ of, to }) => {
      await ensure(joined([targetReach(to), 'runId' in of ? await reachOfRun(of) : emptyReach]));
    }),
    'docker.pullImage': after(handlers['docker.pullImage'], ({ reference }) =>
      ensure({ ...emptyReach, images: [{ field: 'pull', value: reference }] }),
    ),
    ...reportCalls(handlers, ensure),
    ...serverCalls(handlers, ensure),
  };
}
