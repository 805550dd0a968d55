import { rm } from 'node:fs/promises';
import { invalidInput, WorkbenchError } from '../contract/errors';
import type { GoldenFile } from '../contract/golden';
import type { InputData } from '../contract/measured/input-data';
import type { OutputRules } from '../contract/measured/output-rules';
import { isDeployed } from '../contract/run/run-source';
import { repositoryOf } from '../contract/run/run-spec';
import { keptSamples } from '../deployments/version-check';
import { ruleFor, rulesWith, toleranceRule } from '../domain/outputs/rule-text';
import { checkGolden } from '../golden/check-golden';
import { goldenJson, goldenText } from '../golden/golden-json';
import { goldenNpz } from '../golden/golden-npz';
import type { GoldenSample } from '../golden/golden-samples';
import { recordGolden } from '../golden/record-golden';
import { generateInput, requireFittingShapes, requireShapedInputs } from '../perf/generate-input';
import { type WantedTensors, wantedTensors } from '../perf/input/wanted-tensor';
import { exists, makeTemporaryFolder, requireOutput, writeOutput } from '../platform/files';
import { runFiles } from '../store/step-paths';
import { createTritonClient, type ModelMetadata, type TritonClient } from '../triton/client';
import { unlistedModel } from '../triton/listed-models';
import type { ModelConfig } from '../triton/model-config';
import { readTls } from '../triton/tls';
import type { GoldenRecord, GoldenServer, GoldenWritten, TrustedCalls } from './core-interface';
import type { CoreParts } from './core-parts';

interface Served {
  readonly client: TritonClient;
  readonly model: string;
  readonly version: string;
  readonly metadata: ModelMetadata;
  readonly config: ModelConfig;
  readonly batched: boolean;
}

/** A model of the server; without a name its only one. Throws model-not-ready with the names. */
async function servedModel({ http, tls, headers, model, version = '' }: GoldenServer): Promise<Served> {
  const client = createTritonClient(http, { headers, tls: await readTls(tls ?? undefined) });
  const name = model ?? (await onlyModel(client));
  const unlisted = await unlistedModel(client, name);
  if (unlisted !== null) {
    throw new WorkbenchError('input-invalid', unlisted.message, {
      where: '--model',
      remedy: unlisted.remedy,
    });
  }
  const [metadata, config] = [
    await client.modelMetadata(name, version),
    await client.modelConfig(name, version),
  ];
  return { client, model: name, version, metadata, config, batched: config.maxBatchSize > 0 };
}

async function onlyModel(client: TritonClient): Promise<string> {
  const ready = (await client.repositoryIndex()).filter(({ state }) => state === 'READY');
  const names = [...new Set(ready.map(({ name }) => name))];
  const [only] = names;
  if (only !== undefined && names.length === 1) return only;
  throw invalidInput(
    '--model',
    `Triton at ${client.address} has ${names.length} models`,
    `Name one: ${names.join(', ')}.`,
  );
}

function wantedOf({ metadata, config, batched }: Served): WantedTensors {
  const optional = new Set(config.input.flatMap((input) => (input['optional'] === true ? [input.name] : [])));
  return {
    inputs: wantedTensors(metadata.inputs, { batched, optional }),
    outputs: wantedTensors(metadata.outputs, { batched }),
  };
}

async function inputsOf(
  served: Served,
  { samples = 8, inputData, lengths, shapes = {} }: GoldenRecord,
  { reading }: CoreParts,
  dir: string,
): Promise<InputData> {
  const { metadata, batched } = served;
  requireShapedInputs(shapes, metadata.inputs);
  requireFittingShapes(shapes, metadata.inputs, batched);
  if (inputData === undefined) {
    const needed = wantedOf(served)
      .inputs.filter(({ optional }) => optional !== true)
      .map(({ name }) => name);
    const inputs = metadata.inputs.filter(({ name }) => needed.includes(name));
    return generateInput(inputs, { batched, shapes, mode: 'random', dir, samples, lengths });
  }
  return (await reading.readers.inputStore({ path: inputData, wanted: wantedOf(served), shapes, dir })).data;
}

/** What each recorded output is compared by, written out so that it can be edited. */
function writtenRules(samples: readonly GoldenSample[], given: OutputRules): OutputRules {
  const types = new Map(
    samples.flatMap(({ outputs }) => outputs.map(({ name, datatype }) => [name, datatype])),
  );
  return Object.fromEntries([...types].map(([name, datatype]) => [name, ruleFor(name, datatype, given)]));
}

function requireKnown(rules: OutputRules, names: readonly string[]): void {
  const unknown = Object.keys(rules).find((name) => name !== '*' && !names.includes(name));
  if (unknown === undefined) return;
  throw invalidInput('--compare', `No output is named "${unknown}"`, `The outputs are: ${names.join(', ')}.`);
}

type Header = Pick<GoldenFile, 'model' | 'modelVersion' | 'recordedFrom' | 'tritonVersion'>;

async function write(
  { output, rules = {} }: GoldenRecord,
  header: Header,
  samples: readonly GoldenSample[],
  batched: boolean,
  now: Date,
): Promise<GoldenWritten> {
  if (samples.length === 0) throw invalidInput('--from', 'The source has no samples to record');
  requireKnown(rules, [...new Set(samples.flatMap(({ outputs }) => outputs.map(({ name }) => name)))]);
  const outputs = writtenRules(samples, rules);
  const whole = { ...header, recordedAt: now.toISOString(), outputs };
  const content = output.endsWith('.npz')
    ? goldenNpz(whole, samples, batched)
    : goldenText(goldenJson(whole, samples));
  await writeOutput(output, content);
  return { file: output, model: header.model, samples: samples.length, outputs, warnings: [] };
}

async function fromServer(
  request: GoldenRecord,
  server: GoldenServer,
  parts: CoreParts,
): Promise<GoldenWritten> {
  const served = await servedModel(server);
  const { client, model, version, config, batched } = served;
  const dir = await makeTemporaryFolder('workbench-golden-', 'file-unwritable');
  try {
    const inputData = await inputsOf(served, request, parts, dir);
    const { rules = {}, signal } = request;
    const { samples, warnings } = await recordGolden({
      client,
      model,
      version,
      config,
      inputData,
      dir,
      rules,
      signal,
    });
    const { version: tritonVersion } = await client.serverMetadata();
    const header = {
      ...{ model, tritonVersion, recordedFrom: request.from ?? client.address },
      ...(version === '' ? {} : { modelVersion: version }),
    };
    return { ...(await write(request, header, samples, batched, parts.now())), warnings };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** The samples that its accuracy check kept, with the outputs of its reference. */
async function fromRun(request: GoldenRecord, runId: string, parts: CoreParts): Promise<GoldenWritten> {
  const { state, folder } = await parts.store.load(runId);
  if (!isDeployed(state))
    throw invalidInput(
      '--from',
      `${runId} has no samples: it deployed no model`,
      'Record the outputs of a served model: --from its address, or a deployment.',
    );
  const { spec } = state.source;
  const { samples, without, rules: own } = await keptSamples(runFiles(folder, spec).keptSamples);
  if (samples.length === 0) {
    throw invalidInput(
      '--from',
      `${runId} kept no samples`,
      repositoryOf(spec.model) === null
        ? `Check its accuracy first: resume ${runId} --from accuracy.`
        : 'Its outputs were not compared. Record those of a server that you trust: --from its address, or a deployment.',
    );
  }
  const names = [...new Set(samples.flatMap(({ outputs }) => outputs.map(({ name }) => name)))];
  const checked: OutputRules =
    own ?? Object.fromEntries(names.map((name) => [name, toleranceRule(spec.accuracy, name)]));
  const rules = rulesWith(
    checked,
    request.rules ?? {},
    samples.flatMap(({ outputs }) => outputs),
  );
  const header = { model: spec.configure.modelName, recordedFrom: runId };
  const kept = samples.slice(0, request.samples ?? samples.length);
  const batched = spec.configure.maxBatchSize > 0;
  const written = await write({ ...request, rules }, header, kept, batched, parts.now());
  const warnings = without.map((name) => `${name} is not recorded: its samples differ in length.`);
  return { ...written, warnings };
}

/** Before anything is asked. Throws input-invalid. */
async function requireNewFile({ output, force = false }: GoldenRecord): Promise<void> {
  await requireOutput(output);
  if (force || !(await exists(output))) return;
  throw invalidInput(
    '--output',
    `${output} already exists`,
    'Name another file, or overwrite it with --force.',
  );
}

export function createGoldenCalls(parts: CoreParts): Pick<TrustedCalls, 'golden.record' | 'golden.check'> {
  return {
    'golden.record': async (request) => {
      await requireNewFile(request);
      const { of } = request;
      return 'runId' in of ? fromRun(request, of.runId, parts) : fromServer(request, of, parts);
    },
    'golden.check': async ({ path, server, rules = {}, signal }) => {
      // The file may name the model; an npz file is read by the model's tensors.
      const named = server.model ?? (await parts.reading.readers.goldenModel({ path })) ?? undefined;
      const served = await servedModel({ ...server, ...(named === undefined ? {} : { model: named }) });
      const { client, model, version, config, batched } = served;
      const golden = await parts.reading.readers.goldenRead({ path, wanted: wantedOf(served), batched });
      const { samples, header } = golden;
      const outputs = samples.flatMap((sample) => sample.outputs);
      const all = rulesWith(header?.outputs ?? {}, rules, outputs);
      requireKnown(rules, [...new Set(outputs.map(({ name }) => name))]);
      return checkGolden({ client, model, version, config, samples, rules: all, signal });
    },
  };
}
