import { toWire } from '../../contract/errors';
import type { OfKind } from '../../contract/run/engine-kinds';
import type { RunSpec } from '../../contract/run/run-spec';
import type { StartProblem } from '../../contract/run/spec-tools';
import type { ModelMetadata, TritonClient } from '../../triton/client';
import { datatypeOf, type ModelConfig } from '../../triton/model-config';
import { compareServedConfig } from '../../triton/served-config';
import { openReady } from './remote-triton';

/** Milliseconds per request: a user is waiting. */
const askMs = 3000;
const shownModels = 5;

type Tensor = ModelMetadata['inputs'][number];

/** Tensors as a server describes them, including a batch dimension. */
function wantedTensors(config: ModelConfig, kind: 'input' | 'output'): readonly Tensor[] {
  return config[kind].map(({ name, dataType, dims }) => ({
    name,
    datatype: datatypeOf(dataType),
    shape: config.maxBatchSize > 0 ? [-1, ...dims] : [...dims],
  }));
}

const tensorText = ({ datatype, shape }: Tensor): string => `${datatype} [${shape.join(', ')}]`;

/** -1 on either side fits any dimension. */
function fits(wanted: Tensor, served: Tensor): boolean {
  return (
    wanted.datatype === served.datatype &&
    wanted.shape.length === served.shape.length &&
    wanted.shape.every(
      (size, axis) => size === -1 || served.shape[axis] === -1 || served.shape[axis] === size,
    )
  );
}

/** One sentence per missing or different tensor. */
export function tensorMismatches(config: ModelConfig, served: Pick<ModelMetadata, 'inputs' | 'outputs'>) {
  const sides = [
    ['Input', wantedTensors(config, 'input'), served.inputs],
    ['Output', wantedTensors(config, 'output'), served.outputs],
  ] as const;
  return sides.flatMap(([side, wanted, there]) =>
    wanted.flatMap((tensor) => {
      const other = there.find(({ name }) => name === tensor.name);
      if (other === undefined) {
        const names = there.map(({ name }) => name).join(', ') || 'none';
        return [
          `${side} ${tensor.name}: the run needs ${tensorText(tensor)}, but the server has no such tensor (it has ${names})`,
        ];
      }
      return fits(tensor, other)
        ? []
        : [
            `${side} ${tensor.name}: the run needs ${tensorText(tensor)}, the server has ${tensorText(other)}`,
          ];
    }),
  );
}

/** Fields of the specification behind parts of config.pbtxt. */
const fieldOf: readonly (readonly [RegExp, string])[] = [
  [/^max_batch_size/, 'configure.maxBatchSize'],
  [/^dynamic_batching\.preferred/, 'configure.preferredBatchSizes'],
  [/^dynamic_batching\.max_queue/, 'configure.maxQueueDelayUs'],
  [/^dynamic_batching/, 'configure.batching'],
  [/^instance_group\[\d+\]\.kind/, 'configure.instanceKind'],
  [/^instance_group/, 'configure.instances'],
];

/** Only the width of floating-point types differs. */
const differsInPrecision = (mismatches: readonly string[]): boolean =>
  mismatches.every((line) => /needs FP(16|32) (\[.*\]), the server has FP(16|32) \2$/.test(line));

async function modelProblems(
  client: TritonClient,
  { configure, precision }: RunSpec,
  config: ModelConfig | null,
): Promise<readonly StartProblem[]> {
  const { modelName, modelVersion } = configure;
  const version = String(modelVersion);
  const problem = (
    code: StartProblem['code'],
    field: string,
    message: string,
    remedy: string,
  ): StartProblem => ({ code, field, severity: 'problem', message, remedy });
  if (!(await client.modelReady(modelName, version))) {
    const ready = (await client.repositoryIndex().catch(() => [])).filter(({ state }) => state === 'READY');
    const names = [...new Set(ready.map(({ name }) => name))];
    const more = names.length > shownModels ? ', …' : '';
    const has = names.length === 0 ? 'no model' : `${names.slice(0, shownModels).join(', ')}${more}`;
    return [
      problem(
        'model-not-ready',
        'configure.modelName',
        `Triton at ${client.address} does not serve version ${version} of ${modelName}; ready models: ${has}`,
        'Load the model on that server, or change the model name.',
      ),
    ];
  }
  if (config === null) return [];
  const mismatches = tensorMismatches(config, await client.modelMetadata(modelName, version));
  if (mismatches.length > 0) {
    const other = precision === 'fp16' ? 'FP32' : 'FP16';
    const [field, remedy] = differsInPrecision(mismatches)
      ? ['precision', `Choose precision ${other}, or another model on that server.`]
      : ['configure.modelName', 'Choose the preset of the served model, or another model on that server.'];
    const message = `${modelName} at ${client.address} does not fit this run. ${mismatches.join('. ')}`;
    return [problem('model-mismatch', field, message, remedy)];
  }
  const served = await client.modelConfig(modelName, version);
  return compareServedConfig(config, served).map((difference) => {
    const found = fieldOf.find(([pattern]) => pattern.test(difference.field));
    const field = found?.[1] ?? 'configure.modelName';
    if (difference.added === true) {
      const message = `The server has ${difference.field}, which this run does not set: ${difference.served}`;
      const remedy = 'Measure it as it is, or use the value of the server.';
      return { code: 'model-mismatch', field, severity: 'warning', message, remedy };
    }
    return problem(
      'model-mismatch',
      field,
      `${difference.field} is ${difference.configured} in this run and ${difference.served} on the server`,
      'Use the value of the server: its configuration cannot be changed from the workbench.',
    );
  });
}

/** Whether the remote Triton serves the model as needed. Requests metadata only. @param config null until the export */
export async function remoteProblems(
  spec: RunSpec,
  engine: OfKind<'remote'>,
  config: ModelConfig | null,
): Promise<readonly StartProblem[]> {
  try {
    const { client } = await openReady(engine, askMs);
    return await modelProblems(client, spec, config);
  } catch (error) {
    const { code, message, where, remedy } = toWire(error);
    return [
      {
        code,
        field: where?.startsWith('engine.') === true ? where : 'engine.url',
        severity: 'problem',
        message,
        remedy: remedy ?? 'Check the address and that the server is running.',
      },
    ];
  }
}
