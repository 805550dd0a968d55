import type { Handlers } from '../../contract/api';
import type { DeploymentEngine, DeploymentInfo } from '../../contract/deployment/deployment';
import { invalidInput, toWire, WorkbenchError } from '../../contract/errors';
import { isProcess } from '../../contract/run/engine-kinds';
import { repositoryOf, type RunSpec } from '../../contract/run/run-spec';
import type { DeployedRun } from '../../contract/run/run-state';
import type { Study, StudySpec } from '../../contract/study/study';
import type { UpgradeRequest, UpgradeSubject, UpgradeTarget } from '../../contract/study/upgrade';
import { present } from '../../contract/trees';
import { DeploymentStore } from '../../deployments/deployment-store';
import { planUpgrade } from '../../domain/study/upgrade/plan-upgrade';
import { answerOfUpgrade, upgradedOf, upgradeOf } from '../../domain/study/upgrade/upgrade-study';
import type { ActiveStudies } from '../../studies/study-hands';
import type { StudyStore } from '../../studies/study-store';
import { type UpgradeHow, Upgrades } from '../../studies/upgrade/upgrades';
import type { TrustedCalls } from '../core-interface';
import type { CoreParts } from '../core-parts';
import { requireApproved } from '../core-runs';
import { requireBeside } from '../search/contests';
import { measurableRun, verifiedRun } from '../server-calls';
import { engineWith, environmentText, runOn } from './upgrade-engine';
import { upgradeFindings } from './upgrade-findings';
import { upgradeSidesOf } from './upgrade-sides';

type Asked<Kind extends string> = Extract<UpgradeRequest['of'], Readonly<Record<Kind, unknown>>>;

interface Of {
  readonly subject: UpgradeSubject;
  readonly title: string;
  readonly run: DeployedRun;
  /** What serves it now; absent: as the run has it. */
  readonly target?: UpgradeTarget | undefined;
}

async function ofRun(parts: CoreParts, { runId }: Asked<'runId'>): Promise<Of> {
  const { state: run } = await measurableRun(parts, runId);
  const title = run.name ?? run.source.spec.configure.modelName;
  return { subject: { kind: 'run', runId }, title, run };
}

/** Where a deployment serves otherwise than its run was made. */
function targetOf(engine: DeploymentEngine, { source: { spec } }: DeployedRun): UpgradeTarget | undefined {
  if (engine.kind === 'local') {
    const own = isProcess(spec.engine) ? spec.engine.environment : undefined;
    return engine.environment === undefined || engine.environment === own
      ? undefined
      : { environment: engine.environment };
  }
  // One that was built here is found by the run.
  return engine.builtHere ? undefined : { image: engine.image };
}

/** A move is of all its models: the outputs of each have to be compared. */
async function ofDeployment(parts: CoreParts, { deployment: id, model }: Asked<'deployment'>): Promise<Of> {
  const { deployment } = await new DeploymentStore(parts.layout.deployments).load(id);
  const names = Object.keys(deployment.models);
  const [only] = names;
  if (only === undefined || names.length > 1 || (model !== undefined && model !== only)) {
    throw new WorkbenchError('combination-unsupported', `${id} serves ${names.join(', ') || 'nothing'}`, {
      where: id,
      remedy: 'Only a deployment of one model can be moved. Upgrade the runs of the models one by one.',
    });
  }
  const { runId, version } = (deployment.models[only] as (typeof deployment.models)[string]).active;
  const { state: run } = await verifiedRun(parts, runId, true).catch((cause: unknown) => {
    if (toWire(cause).code !== 'run-unknown') throw cause;
    throw new WorkbenchError(
      'input-invalid',
      `The run ${runId} of ${id} was deleted, and its inputs with it`,
      {
        where: id,
        remedy: 'Deploy an existing run, then move that deployment.',
      },
    );
  });
  const subject: UpgradeSubject = { kind: 'deployment', id, model: only, version, runId };
  return { subject, title: id, run, ...present({ target: targetOf(deployment.engine, run) }) };
}

function engineOfMove(study: Study, engine: DeploymentEngine): DeploymentEngine {
  const upgrade = upgradeOf(study);
  const target = upgrade?.sides[1].target;
  if (engine.kind === 'local') {
    const environment = target !== undefined && 'environment' in target ? target.environment : undefined;
    return { ...engine, environment };
  }
  const image = upgradedOf(study).served[2]?.image;
  if (image === undefined)
    throw invalidInput('--move', 'The study has no image to move to', 'Compare the deployment again.');
  return { ...engine, imageId: image.id, image: image.reference, builtHere: false };
}

/** Throws combination-unsupported for a run of a repository that is served as it is. */
export function requireWritten({
  runId,
  source: { spec },
}: Pick<DeployedRun, 'runId'> & { readonly source: { readonly spec: Pick<RunSpec, 'model'> } }): void {
  if (repositoryOf(spec.model) === null) return;
  throw new WorkbenchError('combination-unsupported', 'The run serves a repository as it is', {
    where: runId,
    remedy:
      'Run the repository in the other environment and compare the two runs, or run the model with --rewrite.',
  });
}

interface UpgradeParts {
  readonly studies: StudyStore;
  readonly active: ActiveStudies;
  readonly usualName: () => string;
  readonly check: Handlers['runs.check'];
  readonly move: (id: string, engine: DeploymentEngine) => Promise<DeploymentInfo>;
}

/** Upgrades: planned, worked on, and done. */
export function createUpgradeCalls(
  parts: CoreParts,
  { studies, active, usualName, check, move }: UpgradeParts,
): {
  readonly begin: (spec: StudySpec, how: UpgradeHow) => Promise<{ readonly end: Promise<void> }>;
  readonly handlers: Pick<Handlers, 'upgrades.plan' | 'upgrades.move'> & Pick<TrustedCalls, 'upgrades.work'>;
} {
  const { emit, approvals } = parts;
  const upgrades = new Upgrades({
    ...{ studies, active, onEntry: (name, entry) => emit({ type: 'study', name, entry }) },
    ...upgradeSidesOf(parts),
  });
  return {
    begin: (spec, how) => upgrades.begin(spec, how),
    handlers: {
      'upgrades.plan': async ({ of: asked, to, name = usualName(), ...request }) => {
        const of = 'runId' in asked ? await ofRun(parts, asked) : await ofDeployment(parts, asked);
        const { run, subject, title, target } = of;
        requireBeside(run);
        requireWritten(run);
        const targets = [target, to] as const;
        const [from, next] = targets.map((one) => runOn(run, { title: '', ...present({ target: one }) }));
        if (from === undefined || next === undefined) throw new Error('An upgrade has two sides');
        const specs = { from: from.source.spec, to: next.source.spec };
        // Its programs are asked what they are.
        for (const spec of [specs.from, specs.to]) await requireApproved(approvals, spec);
        const { config } = (await verifiedRun(parts, run.runId, true)).run;
        const findings = await upgradeFindings(parts, specs, config, check);
        const sideOf = (one: UpgradeTarget | undefined) => ({
          title: environmentText(engineWith(run.source.spec.engine, one)),
          ...present({ target: one }),
        });
        const sides: [ReturnType<typeof sideOf>, ReturnType<typeof sideOf>] = [sideOf(target), sideOf(to)];
        return planUpgrade(run, { ...request, name }, { subject, title, sides, findings: [...findings] });
      },
      'upgrades.work': async ({ spec, ...how }) => (await upgrades.begin(spec, how)).end,
      'upgrades.move': async ({ name }) => {
        const study = await studies.load(name);
        const upgrade = study === null ? null : upgradeOf(study);
        if (study === null || upgrade === null) {
          throw new WorkbenchError('study-unknown', `Unknown upgrade "${name}"`);
        }
        const { subject } = upgrade;
        if (subject.kind !== 'deployment') {
          throw invalidInput(
            name,
            'The upgrade compared a run, which serves no traffic',
            'Deploy the run instead.',
          );
        }
        const { verdict, sentence } = answerOfUpgrade(study, upgrade);
        if (verdict !== 'may-move')
          throw invalidInput(name, sentence, 'Only an upgrade that is ready to move can be moved.');
        const { deployment } = await new DeploymentStore(parts.layout.deployments).load(subject.id);
        const now = deployment.models[subject.model]?.active;
        if (now?.runId !== subject.runId || now.version !== subject.version) {
          const message = `${subject.id} serves another version now`;
          throw invalidInput(name, message, 'Compare that version first.');
        }
        return move(subject.id, engineOfMove(study, deployment.engine));
      },
    },
  };
}
