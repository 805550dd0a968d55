import { join } from 'node:path';
import { toWire, WorkbenchError } from '../contract/errors';
import { fileLimits } from '../contract/reader-limits';
import { isFileSource, sampleTensors } from '../contract/run/own-model';
import type { RunSpec } from '../contract/run/run-spec';
import type { ServerHandle } from '../engine/engine';
import { loadAndCheckModel } from '../engine/ready';
import { whileServing } from '../engine/while-serving';
import { tensorPrecisionOf } from '../formats/formats';
import { requireInertConfig } from '../formats/inert-config';
import { readPlainText } from '../platform/plain-entry';
import { createTritonClient } from '../triton/client';
import { parseConfigPbtxt } from '../triton/config-pbtxt';
import { compareServedConfig } from '../triton/served-config';
import { type Tensor, zeroTensor } from '../triton/tensor';
import { readTls } from '../triton/tls';
import type { RunContext, StepContext } from './step';
import { editedConfig } from './step-files';

/** A request of zeros in the shapes of an own file's samples; undefined for code, whose axes the signature tells. */
export function sampleCanary(spec: RunSpec): readonly Tensor[] | undefined {
  const { model } = spec;
  if (!isFileSource(model)) return undefined;
  const precision = tensorPrecisionOf(spec);
  return sampleTensors(model).map(({ name, datatype, shape }) => {
    const served = precision === 'fp16' && datatype === 'FP32' ? 'FP16' : datatype;
    return zeroTensor(name, served, [1, ...shape]);
  });
}

/**
 * Starts Triton on the run's repository and proves that the model answers with the configuration that was written. The
 * server is the run's as soon as it runs, also where the model then fails.
 */
export async function serveModel(context: StepContext): Promise<ServerHandle> {
  const { run, spec } = context;
  const { engine } = spec;
  const { modelName, modelVersion } = spec.configure;
  // The file is what Triton reads: an edit by hand counts, and a wrong one is named by its line.
  const path = join(run.folder.repository, modelName, 'config.pbtxt');
  const config = parseConfigPbtxt(await readPlainText(path, fileLimits.configPbtxt.bytes));
  if ((await editedConfig(run)) !== null) requireInertConfig(config);
  context.progress(null, 'starting Triton');
  context.log([engine.kind === 'remote' ? `Using the Triton at ${engine.url}` : 'Starting Triton']);
  const server = await run.services.engine.startServer({
    runId: run.runId,
    key: run.keys.deploy,
    repository: run.folder.repository,
    logPath: join(run.folder.step('deploy'), 'triton.log'),
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
  const client = createTritonClient(server.httpAddress, { tls: await readTls(server.forClients.httpTls) });
  const grpc = { address: server.grpcAddress, tls: await readTls(server.forClients.grpcTls) };
  await whileServing(server, context.signal, 'while it loaded the model', (signal) =>
    loadAndCheckModel({
      client,
      grpc,
      modelName,
      modelVersion: String(modelVersion),
      config,
      // Zeros of a length that an own model can take; the accuracy check looks at values.
      canary: sampleCanary(spec),
      anyValues: isFileSource(spec.model),
      load: engine.kind !== 'remote',
      signal,
    }),
  );
  const differences = compareServedConfig(config, await client.modelConfig(modelName, String(modelVersion)));
  for (const { field, served } of differences.filter(({ added }) => added)) {
    context.warning(`Triton added ${field} to the configuration by itself: ${served}`);
  }
  const changed = differences.filter(({ added }) => added === undefined);
  if (changed.length > 0) {
    throw new WorkbenchError('model-mismatch', `Triton serves ${modelName} with a different configuration`, {
      details: changed.map((difference) => JSON.stringify(difference)).join('\n'),
    });
  }
  return server;
}

/** Ends the run's Triton, where it has one, and all that this started; `leave`: see `Step.undo`. */
export async function stopServer(run: Pick<RunContext, 'server'>, leave = false): Promise<void> {
  const { server } = run;
  run.server = null;
  await (leave && server?.leave !== undefined ? server.leave() : server?.stop());
}

/** What is left of the run's Triton goes, and a fresh one serves the model; one that does not start is tried twice. */
export async function serveAnew(context: StepContext): Promise<void> {
  const { run, signal } = context;
  for (let isLast = false; ; isLast = true) {
    await stopServer(run);
    try {
      await serveModel(context);
      return;
    } catch (error) {
      await stopServer(run);
      if (isLast || signal.aborted || toWire(error).code !== 'server-start-failed') throw error;
    }
  }
}
