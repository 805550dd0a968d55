import type { GoldenCheck } from '../contract/golden';
import type { OutputRules } from '../contract/measured/output-rules';
import { type ComparedSample, compareOutputs } from '../domain/outputs/compare-outputs';
import { type LabeledAnswer, taskFiguresOf } from '../domain/outputs/task-figures';
import { decodeTensor } from '../triton/decode-tensor';
import { type AskedModel, askModel } from './ask-model';
import type { GoldenSample } from './golden-samples';

interface CheckInput extends AskedModel {
  readonly samples: readonly GoldenSample[];
  /** Of the file, and over them those of the person who asks. */
  readonly rules: OutputRules;
  readonly signal?: AbortSignal | undefined;
}

/** Sends each sample, and compares what comes with what is expected, and with what is true. Throws as `askModel`. */
export async function checkGolden(input: CheckInput): Promise<GoldenCheck> {
  const { model, samples, rules, signal } = input;
  const compared: ComparedSample[] = [];
  const labeled: LabeledAnswer[] = [];
  const found = new Set<string>();
  for (const { id, inputs, outputs, notCompared = [], truth } of samples) {
    const answered = await askModel(input, inputs, signal);
    for (const { name } of answered) found.add(name);
    if (truth !== undefined) {
      const framework = [...outputs, ...notCompared];
      const triton = answered.filter(({ name }) => framework.some((output) => output.name === name));
      labeled.push({
        truth,
        framework: framework.map(decodeTensor),
        triton: triton.map(decodeTensor),
      });
    }
    compared.push({
      id,
      expected: outputs.map(decodeTensor),
      // Others are not compared, and may be of a type that has no values here.
      found: answered.filter(({ name }) => outputs.some((output) => output.name === name)).map(decodeTensor),
    });
  }
  const outputs = compareOutputs(compared, rules);
  const known = new Set(samples.flatMap((sample) => sample.outputs.map(({ name }) => name)));
  return {
    model,
    // A tie is asked for the figures only.
    samples: samples.filter(({ outputs: expected }) => expected.length > 0).length,
    outputs,
    notChecked: [...found].filter((name) => !known.has(name)),
    ...(labeled.length === 0 ? {} : { labeled: labeled.length, figures: [...taskFiguresOf(labeled)] }),
    passed: outputs.every(({ passed }) => passed),
  };
}
