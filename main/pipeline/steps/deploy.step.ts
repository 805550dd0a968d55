import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTritonClient } from '../../triton/client';
import { readTls } from '../../triton/tls';
import { loadAndCheckModel } from '../../engine/ready';
import { whileServing } from '../../engine/while-serving';
import { parseConfigPbtxt } from '../../triton/config-pbtxt';
import { compareServedConfig } from '../../triton/served-config';
import { modelArtefactSchema } from '../../contract/artefacts';
import type { PlanProvenance } from '../../contract/artefacts';
import { WorkbenchError } from '../../contract/errors';
import type { RunSpec } from '../../contract/run-spec';
import { isFileSource, sampleTensors } from '../../own/served-tensors';
import { zeroTensor } from '../../triton/tensor';
import type { Tensor } from '../../triton/tensor';
import { requireInertConfig } from '../../formats/inert-config';
import { readPackages } from '../../toolkit/packages';
import { editedConfig } from '../edited-config';
import type { Step, StepContext } from '../step';

/** Before Triton does it with less of a reason. Throws model-load-failed where the plan is of another place. */
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

/** A request of zeros in the shapes of an own file's samples; undefined for code, whose axes the signature tells. */
function sampleCanary({ model, precision }: RunSpec): readonly Tensor[] | undefined {
  if (!isFileSource(model)) return undefined;
  return sampleTensors(model).map(({ name, datatype, shape }) => {
    const served = precision === 'fp16' && datatype === 'FP32' ? 'FP16' : datatype;
    return zeroTensor(name, served, [1, ...shape]);
  });
}

/** Starts Triton on the run's repository and proves that the model answers. It serves until no step to come needs it. */
export const deployStep: Step = {
  id: 'deploy',
  kind: 'session',
  needs: ['images', 'configure'],
  deadlineS: 600,
  retry: { times: 1, codes: ['server-start-failed'] },
  async inputs(run) {
    const edited = await editedConfig(run);
    return edited === null ? run.spec.engine : { engine: run.spec.engine, edited };
  },
  async run(context) {
    const { run, spec } = context;
    const { modelName, modelVersion } = spec.configure;
    // The file is what Triton reads: an edit by hand counts, and a wrong one is named by its line.
    const path = join(run.folder.repository, modelName, 'config.pbtxt');
    const config = parseConfigPbtxt(await readFile(path, 'utf8'));
    if ((await editedConfig(run)) !== null) {
      requireInertConfig(config);
      context.warning(
        'config.pbtxt was edited by hand: what Triton serves is not what the specification says of it.',
      );
    }
    const { engine } = spec;
    const { plan } = await context.output('convert', modelArtefactSchema);
    if (plan !== undefined) await refuseStrangePlan(context, plan);
    context.progress(null, 'starting Triton');
    context.log([engine.kind === 'remote' ? `Using the Triton at ${engine.url}` : 'Starting Triton']);
    const server = await run.services.engine.startServer({
      runId: run.runId,
      key: run.keys.deploy,
      repository: run.folder.repository,
      logPath: `${context.dir}/triton.log`,
      httpPort: engine.kind === 'remote' ? undefined : engine.httpPort,
      grpcPort: engine.kind === 'remote' ? undefined : engine.grpcPort,
      signal: context.signal,
      onLog: context.log,
      onCommand: (argv) => {
        // A journal that cannot be written fails the step at the line after this one.
        context.command(argv).catch(() => undefined);
      },
    });
    run.server = server;
    context.progress(null, 'loading the model');
    context.log([`Loading ${modelName}, version ${modelVersion}`]);
    const client = createTritonClient(server.httpAddress, {
      tls: await readTls(server.forClients.httpTls),
    });
    const grpc = { address: server.grpcAddress, tls: await readTls(server.forClients.grpcTls) };
    await whileServing(server, context.signal, 'while it loaded the model', (signal) =>
      loadAndCheckModel({
        client,
        grpc,
        modelName,
        modelVersion: String(modelVersion),
        config,
        // Zeros of a length that an own model can take; the accuracy check looks at values.
        canary: sampleCanary(run.spec),
        anyValues: isFileSource(run.spec.model),
        load: engine.kind !== 'remote',
        signal,
      }),
    );
    const differences = compareServedConfig(
      config,
      await client.modelConfig(modelName, String(modelVersion)),
    );
    if (differences.length > 0) {
      throw new WorkbenchError('model-mismatch', `Triton serves ${modelName} with another configuration`, {
        details: differences.map((difference) => JSON.stringify(difference)).join('\n'),
      });
    }
    context.fact('Triton', server.tritonVersion);
    context.fact('HTTP', server.httpAddress);
    context.fact('gRPC', server.grpcAddress);
    if (server.metricsAddress !== null) context.fact('Metrics', server.metricsAddress);
    context.fact('Canary inference', 'answered');
    const before = run.state().environment;
    // Known only now: the first run of such a model installs what it runs on.
    const packages =
      run.preset.preset.framework === 'tf' && engine.kind !== 'docker'
        ? await readPackages(run.services.toolkit, context.signal)
        : before.packages;
    await run.append({
      type: 'environment',
      environment: { ...before, packages, tritonVersion: server.tritonVersion },
    });
    return {};
  },
  async undo(run, leave) {
    const { server } = run;
    run.server = null;
    await (leave && server?.leave !== undefined ? server.leave() : server?.stop());
  },
};
