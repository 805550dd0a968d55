import { z } from 'zod';
import type { ModelConfig } from '../../triton/model-config';
import type { RuleProblem } from './config-rules';

/** A model as an ensemble sees it: tensors of its configuration, or those that Triton completes from its file. */
export interface EnsemblePart {
  readonly name: string;
  readonly loads: boolean;
  readonly versions: readonly number[];
  /** null where Triton completes what is not known here. */
  readonly config: Pick<ModelConfig, 'maxBatchSize' | 'input' | 'output'> | null;
  /** Composing models, if it is an ensemble. */
  readonly steps: readonly string[];
}

const stepSchema = z.object({
  modelName: z.string().default(''),
  modelVersion: z.coerce.number().default(-1),
  inputMap: z.record(z.string(), z.string()).default({}),
  outputMap: z.record(z.string(), z.string()).default({}),
});
const schedulingSchema = z.object({ step: z.array(stepSchema).default([]) });

type Step = z.infer<typeof stepSchema>;

interface Flow {
  readonly from: string;
  readonly type: string;
  readonly dims: readonly number[];
  readonly full: readonly number[];
}

const fits = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((size, axis) => size === -1 || b[axis] === -1 || size === b[axis]);

function flowOf(
  from: string,
  maxBatchSize: number,
  tensor: ModelConfig['input'][number],
  own: boolean,
): Flow {
  const { shape } = (tensor['reshape'] ?? {}) as { shape?: readonly unknown[] };
  const dims = own && 'reshape' in tensor ? (shape ?? []).map(Number) : tensor.dims;
  const full = maxBatchSize > 0 ? [-1, ...dims] : dims;
  return { from, type: tensor.dataType ?? 'TYPE_INVALID', dims, full };
}

/** @param at the field that it is about */
const problem = (message: string, remedy: string, triton: string, at: string): RuleProblem => ({
  ...{ message, remedy, triton, at },
  changes: [],
});

const stepAt = (index: number): string => `ensemble_scheduling.step[${index}]`;

const dense = (axes: readonly number[]) => `[${axes.join(',')}]`;

/** One ensemble's steps, followed from its inputs to its outputs as Triton's validation does. */
class EnsembleWalk {
  readonly found: RuleProblem[] = [];
  private readonly flows = new Map<string, Flow>();
  private readonly written = new Set<string>();
  private readonly read = new Set<string>();

  constructor(
    private readonly name: string,
    private readonly config: ModelConfig,
    private readonly parts: ReadonlyMap<string, EnsemblePart>,
  ) {}

  walk(steps: readonly Step[]): void {
    for (const side of ['input', 'output'] as const) {
      for (const tensor of this.config[side]) {
        this.flows.set(tensor.name, flowOf(this.name, this.config.maxBatchSize, tensor, true));
      }
    }
    for (const [index, step] of steps.entries()) this.step(step, index);
    this.ends(steps);
  }

  private step(step: Step, index: number): void {
    const part = this.parts.get(step.modelName);
    for (const name of Object.values(step.inputMap)) this.read.add(name);
    for (const name of Object.values(step.outputMap)) {
      if (this.written.has(name)) {
        this.found.push(
          problem(
            `step ${index} (${step.modelName}) writes "${name}", which another step writes too`,
            'Give each written tensor its own name.',
            `ensemble tensor '${name}' can appear in an output map only once for ensemble '${this.name}' step ${index}`,
            `${stepAt(index)}.output_map`,
          ),
        );
      }
      this.written.add(name);
    }
    if (part === undefined || part.config === null) return;
    this.batch(step, part.config.maxBatchSize);
    this.mapped(step, index, part, 'input');
    this.mapped(step, index, part, 'output');
  }

  private batch({ modelName }: Step, most: number): void {
    const { maxBatchSize } = this.config;
    if (most === 0 || most >= maxBatchSize) return;
    this.found.push({
      ...problem(
        `max_batch_size is ${maxBatchSize}, but its step ${modelName} takes at most ${most}`,
        `Write max_batch_size: ${most}, or raise that of ${modelName}.`,
        `ensemble ${this.name} allows maximum batch size ${maxBatchSize}, but it contains model ${modelName} which only allows maximum batch size to be ${most}`,
        'max_batch_size',
      ),
      changes: [{ path: 'max_batch_size', value: most }],
    });
  }

  private mapped(step: Step, index: number, { name, config }: EnsemblePart, side: 'input' | 'output'): void {
    const tensors = config?.[side] ?? [];
    const map = side === 'input' ? step.inputMap : step.outputMap;
    for (const [key, value] of Object.entries(map)) {
      const tensor = tensors.find((known) => known.name === key);
      if (tensor === undefined) {
        const to = side === 'input' ? 'mapping to' : 'mapped from';
        const known = tensors.map((one) => one.name).join(', ');
        this.found.push(
          problem(
            `${side}_map names "${key}", which is not an ${side} of ${name}`,
            `Its ${side}s are: ${known}.`,
            `in ensemble ${this.name}, ensemble tensor ${value} is ${to} non-existing ${side} ${key} in model ${name}`,
            `${stepAt(index)}.${side}_map["${key}"]`,
          ),
        );
      } else {
        const flow = flowOf(name, config?.maxBatchSize ?? 0, tensor, false);
        this.joins(value, flow, `${stepAt(index)}.${side}_map["${key}"]`);
      }
    }
    if (side === 'output') return;
    for (const tensor of tensors) {
      if (tensor.name in map || tensor['optional'] === true) continue;
      this.found.push(
        problem(
          `the input ${tensor.name} of its step ${name} is not mapped`,
          `Add input_map { key: "${tensor.name}" value: "NAME" }.`,
          `in ensemble ${this.name}, input ${tensor.name} in model ${name} is not mapped to any ensemble tensors`,
          `${stepAt(index)}.input_map`,
        ),
      );
    }
  }

  private joins(tensor: string, flow: Flow, at: string): void {
    const before = this.flows.get(tensor);
    if (before === undefined) {
      this.flows.set(tensor, flow);
      return;
    }
    const start = `in ensemble ${this.name}, ensemble tensor ${tensor}: `;
    const differ = (what: string, left: string, right: string) =>
      this.found.push(
        problem(
          `"${tensor}" is ${left} in ${before.from}, but ${right} in ${flow.from}`,
          `Make them equal in the two config.pbtxt, or put a step between them.`,
          `${start}inconsistent ${what}: ${left} is inferred from model ${before.from} while ${right} is inferred from model ${flow.from}`,
          at,
        ),
      );
    if (before.type !== flow.type) differ('data type', before.type, flow.type);
    else if (!fits(before.dims, flow.dims) && !fits(before.full, flow.full)) {
      differ('shape', dense(before.full), dense(flow.full));
    }
  }

  /** Unused inputs, outputs that nothing writes, tensors that nothing reads. */
  private ends(steps: readonly Step[]): void {
    const { input, output } = this.config;
    for (const { name } of input) {
      if (this.read.has(name)) continue;
      const triton = `ensemble input '${name}' for ensemble ${this.name} is not used`;
      const message = `no step reads the input ${name}`;
      this.found.push(problem(message, 'Map it, or remove it.', triton, `input["${name}"]`));
    }
    const ready = new Set(input.map(({ name }) => name));
    for (let before = -1; before !== ready.size;) {
      before = ready.size;
      const able = steps.filter(({ inputMap }) => Object.values(inputMap).every((name) => ready.has(name)));
      for (const { outputMap } of able) for (const name of Object.values(outputMap)) ready.add(name);
    }
    for (const { name } of output) {
      if (ready.has(name)) continue;
      const triton = this.written.has(name)
        ? `output '${name}' for ensemble '${this.name}' is not written`
        : `ensemble output '${name}' for ensemble ${this.name} is not used`;
      this.found.push(
        problem(
          `the output ${name} is not written${this.written.has(name) ? ': its step waits for a tensor that nothing gives' : ' by any step'}`,
          'Map an output of a step to it.',
          triton,
          `output["${name}"]`,
        ),
      );
    }
    const outputs = new Set(output.map(({ name }) => name));
    for (const name of this.written) {
      if (outputs.has(name) || this.read.has(name)) continue;
      const triton = `ensemble tensor '${name}' is unused in ensemble '${this.name}'`;
      const writer = steps.findIndex(({ outputMap }) => Object.values(outputMap).includes(name));
      const message = `nothing reads the tensor ${name}`;
      this.found.push(problem(message, 'Remove it from output_map.', triton, stepAt(writer)));
    }
  }
}

/** The way from an ensemble back to itself; null without one. */
function circle(name: string, parts: ReadonlyMap<string, EnsemblePart>): readonly string[] | null {
  const seen = new Set<string>();
  const way = (from: string): readonly string[] | null => {
    for (const next of parts.get(from)?.steps ?? []) {
      if (next === name) return [from];
      if (seen.has(next)) continue;
      seen.add(next);
      const rest = way(next);
      if (rest !== null) return [from, ...rest];
    }
    return null;
  };
  return way(name);
}

function partProblems(name: string, steps: readonly Step[], parts: ReadonlyMap<string, EnsemblePart>) {
  const found: RuleProblem[] = [];
  const names = [...new Set(steps.map(({ modelName }) => modelName))];
  const stepOf = (part: string | undefined) =>
    `${stepAt(steps.findIndex(({ modelName }) => modelName === part))}.model_name`;
  const missing = names.filter((one) => !parts.has(one));
  if (missing.length > 0) {
    found.push(
      problem(
        `the repository has no ${missing.length === 1 ? 'model' : 'models'} ${missing.join(', ')}`,
        `Put ${missing.length === 1 ? 'its folder' : 'their folders'} beside that of the ensemble.`,
        `ensemble ${name} contains models that are not available or ambiguous: ${missing.join(', ')}`,
        stepOf(missing[0]),
      ),
    );
  }
  for (const part of names) {
    if (parts.get(part)?.loads !== false) continue;
    const triton = `ensemble '${name}' depends on '${part}' which has no loaded version.`;
    found.push(problem(`its step ${part} does not load`, `See ${part}.`, triton, stepOf(part)));
  }
  for (const [index, { modelName, modelVersion }] of steps.entries()) {
    const part = parts.get(modelName);
    if (part === undefined || modelVersion < 0 || part.versions.includes(modelVersion)) continue;
    found.push(
      problem(
        `its step ${modelName} names version ${modelVersion}; served are: ${part.versions.join(', ') || 'none'}`,
        'Write model_version: -1 for the newest.',
        `ensemble '${name}' depends on '${modelName}' whose required version ${modelVersion} is not loaded.`,
        `${stepAt(index)}.model_version`,
      ),
    );
  }
  return found;
}

/** What Triton refuses in an ensemble: composing models, versions, circles, tensors from step to step. Pure. */
export function ensembleProblems(
  name: string,
  config: ModelConfig,
  parts: ReadonlyMap<string, EnsemblePart>,
): readonly RuleProblem[] {
  const parsed = schedulingSchema.safeParse(config['ensembleScheduling'] ?? {});
  const steps = parsed.success ? parsed.data.step : [];
  const way = circle(name, parts);
  if (way !== null) {
    const [triton, last = name] = [`circular dependency between ensembles: ${name}`, way.at(-1)];
    const message = `the ensemble is a step of itself: ${[...way, name].join(' → ')}`;
    const circular = `${triton} -> ... -> ${last} -> ${name}`;
    return [problem(message, 'Remove one of the steps.', circular, 'ensemble_scheduling')];
  }
  const walk = new EnsembleWalk(name, config, parts);
  walk.walk(steps);
  return [...partProblems(name, steps, parts), ...walk.found];
}
