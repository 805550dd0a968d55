import { WorkbenchError } from '../contract/errors';
import type { Signature, TensorSignature } from '../contract/run/artefacts';
import type { Preset } from '../contract/run/preset';
import type { Precision, RunSpec } from '../contract/run/run-spec';

type ModelChoice = Pick<RunSpec, 'model'>;

function tensorOf(
  tensor: Preset['signature']['inputs'][number],
  args: Readonly<Record<string, string>>,
): TensorSignature {
  const shape = tensor.shape.map((dimension) => {
    if (typeof dimension === 'number') return dimension;
    const value = args[dimension];
    if (value !== undefined && /^\d+$/.test(value)) return Number(value);
    const found = value === undefined ? 'is not given' : `is "${value}"`;
    throw new WorkbenchError('spec-invalid', `model.args.${dimension}: ${found}; it must be a whole number`, {
      where: `model.args.${dimension}`,
      remedy: `For example --set model.args.${dimension}=10.`,
    });
  });
  const { name, datatype, reshape } = tensor;
  return { name, datatype, shape, ...(reshape === undefined ? {} : { reshape }) };
}

/** Tensors of the exported model. Throws spec-invalid naming an argument that is missing or not a number. */
export function signatureOf(preset: Preset, spec: ModelChoice): Signature {
  const { args } = spec.model;
  return {
    inputs: preset.signature.inputs.map((tensor) => tensorOf(tensor, args)),
    outputs: preset.signature.outputs.map((tensor) => tensorOf(tensor, args)),
  };
}

/** As served (`tensorPrecisionOf`): fp16 makes every FP32 tensor FP16; integers stay. */
export function atPrecision(signature: Signature, precision: Precision): Signature {
  if (precision === 'fp32') return signature;
  const half = (tensor: TensorSignature) =>
    tensor.datatype === 'FP32' ? { ...tensor, datatype: 'FP16' } : tensor;
  return { inputs: signature.inputs.map(half), outputs: signature.outputs.map(half) };
}

/** The model has exactly its profile's arguments, to which the preset's signature applies. A checkpoint has its own. */
export function hasProfileArguments(preset: Preset, spec: ModelChoice): boolean {
  if (spec.model.checkpoint !== undefined) return false;
  const own = preset.profiles[spec.model.profile]?.args ?? {};
  const names = new Set([...Object.keys(own), ...Object.keys(spec.model.args)]);
  return [...names].every((name) => name in own && spec.model.args[name] === own[name]);
}

const show = (tensor: TensorSignature) => `${tensor.datatype} [${tensor.shape.join(', ')}]`;

/** Throws model-mismatch naming the first missing, undeclared or differing tensor. */
export function checkSignature(declared: Signature, exported: Signature): void {
  for (const side of ['inputs', 'outputs'] as const) {
    const kind = side === 'inputs' ? 'input' : 'output';
    const mismatch = (message: string) =>
      new WorkbenchError('model-mismatch', message, {
        where: 'preset.yaml, signature',
        remedy: "Change the model, its arguments or the preset's signature so that they agree.",
      });
    for (const tensor of declared[side]) {
      const found = exported[side].find((candidate) => candidate.name === tensor.name);
      if (found === undefined) {
        const names = exported[side].map((candidate) => candidate.name).join(', ') || 'none';
        throw mismatch(`The exported model has no ${kind} "${tensor.name}"; it has: ${names}`);
      }
      if (show(found) !== show(tensor)) {
        throw mismatch(`The ${kind} "${tensor.name}" was exported as ${show(found)}, not ${show(tensor)}`);
      }
    }
    const extra = exported[side].find(
      (candidate) => !declared[side].some((tensor) => tensor.name === candidate.name),
    );
    if (extra !== undefined) {
      throw mismatch(`The exported model has an ${kind} "${extra.name}" that the preset does not declare`);
    }
  }
}
