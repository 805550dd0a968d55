import { WorkbenchError } from '../../contract/errors';
import { modelArtefactSchema, type PlanProvenance } from '../../contract/run/artefacts';
import { inContainers } from '../../contract/run/engine-kinds';
import { pythonOf } from '../../contract/run/own-model';
import { repositoryOf } from '../../contract/run/run-spec';
import { readModelRecord } from '../../own/huggingface/model-record';
import { readPackages } from '../../toolkit/toolkit';
import { recordColdStart } from '../measure/cold-start';
import { serveModel, stopServer } from '../serve-model';
import type { Step, StepContext } from '../step';
import { editedConfig } from '../step-files';

/** It may load the model twice. */
const deadlineS = 900;

/** With a better reason than Triton's. Throws model-load-failed for a plan from elsewhere. */
async function refuseStrangePlan(context: StepContext, plan: PlanProvenance): Promise<void> {
  const { status, finding, remedy } = await context.run.services.checkPlan(context.spec, plan);
  if (status === 'problem') {
    throw new WorkbenchError('model-load-failed', finding, {
      where: 'model.plan',
      remedy: remedy ?? undefined,
    });
  }
  if (status === 'warning') context.warning(finding);
  else context.fact('TensorRT plan', finding);
}

/** What exactly is served of a Hugging Face folder. */
async function recordModel({ run, spec, progress }: StepContext): Promise<void> {
  const { source } = spec.model;
  if (source?.kind !== 'huggingface') return;
  progress(null, 'hashing the weights');
  const { path } = source;
  const facts = await run.services.readers.huggingFace({ path });
  await run.append({ type: 'model-record', record: await readModelRecord(path, facts) });
}

/** Starts Triton and verifies that the model responds. */
export const deployStep: Step = {
  id: 'deploy',
  kind: 'session',
  needs: ['images', 'configure'],
  deadlineS,
  retry: { times: 1, codes: ['server-start-failed'] },
  async inputs(run) {
    // Ports and limits do not affect measurements.
    const engine = Object.fromEntries(
      Object.entries(run.spec.engine).filter(
        ([field]) => !['httpPort', 'grpcPort', 'limits'].includes(field),
      ),
    );
    const edited = await editedConfig(run);
    return edited === null ? engine : { engine, edited };
  },
  commands: ({ server }) => (server === null ? [] : [server]),
  async run(context) {
    const { run, spec } = context;
    if ((await editedConfig(run)) !== null) {
      context.warning(
        'config.pbtxt was edited by hand, so Triton does not serve what the specification describes.',
      );
    }
    await recordModel(context);
    const { engine } = spec;
    const isAsIs = repositoryOf(spec.model) !== null;
    const { plan } = isAsIs ? {} : await context.output('convert', modelArtefactSchema);
    if (plan !== undefined) await refuseStrangePlan(context, plan);
    const server = await serveModel(context, (started, startUs) =>
      recordColdStart(context, started, { startUs, deadlineS: spec.deadlines['deploy'] ?? deadlineS }),
    );
    context.fact('Triton', server.tritonVersion);
    context.fact('HTTP', server.httpAddress);
    context.fact('gRPC', server.grpcAddress);
    if (server.metricsAddress !== null) context.fact('Metrics', server.metricsAddress);
    context.fact('Canary inference', 'answered');
    const before = run.state().environment;
    // Known only now, because the first run of such a model installs its packages.
    const packages =
      pythonOf(run.preset.preset.framework ?? 'pyt', spec.model) !== 'python' && !inContainers(engine)
        ? await readPackages(run.services.toolkit, context.signal)
        : before.packages;
    await run.append({
      type: 'environment',
      environment: { ...before, packages, tritonVersion: server.tritonVersion },
    });
    return {};
  },
  undo: stopServer,
};
