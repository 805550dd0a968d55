import type { Handlers } from '../../contract/api';
import { tritonVersionOf } from '../../contract/deployment/deployment-change';
import { invalidInput, toWire, WorkbenchError } from '../../contract/errors';
import { formatDuration } from '../../contract/numbers';
import type { SoakRequest, SoakSubject } from '../../contract/study/soak';
import type { LoadQuestion, SoakPlan, StudySpec } from '../../contract/study/study';
import { present } from '../../contract/trees';
import { DeploymentStore } from '../../deployments/deployment-store';
import { planServerLoad, wantedLoad } from '../../domain/run/server-plan';
import { planSoak } from '../../domain/study/soak/plan-soak';
import { type SoakHow, Soaks } from '../../studies/soak/soaks';
import type { ActiveStudies } from '../../studies/study-hands';
import type { StudyStore } from '../../studies/study-store';
import type { TrustedCalls } from '../core-interface';
import type { CoreParts } from '../core-parts';
import { createMeasuredServers } from '../measured-servers';
import { requireBeside } from '../search/contests';
import { measurableRun, verifiedRun } from '../server-calls';
import { soakServersOf } from './soak-servers';

type Asked<Kind extends string> = Extract<SoakRequest['of'], Readonly<Record<Kind, unknown>>>;
type Of = Parameters<typeof planSoak>[1];

async function ofRun(parts: CoreParts, { runId }: Asked<'runId'>): Promise<Of> {
  const { state } = await measurableRun(parts, runId);
  requireBeside(state);
  const title = state.name ?? state.source.spec.configure.modelName;
  return { subject: { kind: 'run', runId }, title, run: state };
}

async function ofDeployment(parts: CoreParts, { deployment: id, model }: Asked<'deployment'>): Promise<Of> {
  const { deployment } = await new DeploymentStore(parts.layout.deployments).load(id);
  const names = Object.keys(deployment.models);
  const [only] = names;
  if (only === undefined || (model === undefined ? names.length > 1 : !names.includes(model))) {
    throw invalidInput(
      '--model',
      `${id} serves ${names.join(', ') || 'nothing'}`,
      'Name one of them with -m.',
    );
  }
  const name = model ?? only;
  const { active } = deployment.models[name] as (typeof deployment.models)[string];
  const { runId } = active;
  const { state } = await verifiedRun(parts, runId, true).catch((cause: unknown) => {
    if (toWire(cause).code !== 'run-unknown') throw cause;
    throw new WorkbenchError(
      'input-invalid',
      `The run ${runId} of ${id} was deleted, and its inputs with it`,
      {
        where: id,
        remedy: 'Soak its address instead: soak --url HOST:PORT -m MODEL.',
      },
    );
  });
  const version = tritonVersionOf(active);
  return { subject: { kind: 'deployment', id, model: name, version, runId }, title: id, run: state };
}

async function ofServer(
  parts: CoreParts,
  { url, tls, model, version = '', shapes = {}, protocol = 'http' }: Asked<'url'>,
): Promise<Of> {
  const load = planServerLoad(
    wantedLoad({
      ...{ url, model, modelVersion: version, shapes: present(shapes) as Record<string, number[]> },
      ...present({ tls }),
      // The level is that of the soak.
      performance: { concurrency: [1], requestRates: [], protocol },
    }),
  );
  await createMeasuredServers(parts).environmentFor(load, []);
  return { subject: { kind: 'server', load }, title: model, run: null };
}

function questionOf(subject: SoakSubject, { soak: { reloadMs } }: SoakPlan): LoadQuestion | undefined {
  if (reloadMs === undefined || subject.kind === 'run') return undefined;
  const [model, where] =
    subject.kind === 'deployment'
      ? [subject.model, subject.id]
      : [subject.load.models[0]?.name ?? '', subject.load.addresses.http];
  return {
    question: `Unload ${model} on ${where} and load it again every ${formatDuration(reloadMs * 1000)}?`,
    facts: [`Meanwhile, requests of other clients to ${model} fail there.`],
  };
}

/** Soaks: planned, and worked on. */
export function createSoakCalls(
  parts: CoreParts,
  {
    studies,
    active,
    usualName,
  }: {
    readonly studies: StudyStore;
    readonly active: ActiveStudies;
    readonly usualName: () => string;
  },
): {
  readonly begin: (spec: StudySpec, how: SoakHow) => Promise<{ readonly end: Promise<void> }>;
  readonly handlers: Pick<Handlers, 'soaks.plan'> & Pick<TrustedCalls, 'soaks.work'>;
} {
  const { emit } = parts;
  const soaks = new Soaks({
    ...{ studies, active, onEntry: (name, entry) => emit({ type: 'study', name, entry }) },
    ...soakServersOf(parts),
  });
  const subjectOf = ({ of }: SoakRequest): Promise<Of> => {
    if ('runId' in of) return ofRun(parts, of);
    return 'url' in of ? ofServer(parts, of) : ofDeployment(parts, of);
  };
  return {
    begin: (spec, how) => soaks.begin(spec, how),
    handlers: {
      'soaks.plan': async (request) => {
        const of = await subjectOf(request);
        const plan = planSoak({ ...request, name: request.name ?? usualName() }, of);
        return { ...plan, ...present({ asks: questionOf(of.subject, plan) }) };
      },
      'soaks.work': async ({ spec, ...how }) => (await soaks.begin(spec, how)).end,
    },
  };
}
