import type { GoldenCheck } from '../contract/golden';
import type { OutputRules } from '../contract/measured/output-rules';
import { type ComparedSample, compareOutputs } from '../domain/outputs/compare-outputs';
import { decodeTensor } from '../triton/decode-tensor';
import { type AskedModel, askModel } from './ask-model';
import type { GoldenSample } from './golden-samples';

interface CheckInput extends AskedModel {
  readonly samples: readonly GoldenSample[];
  /** Of the file, and over them those of the person who asks. */
  readonly rules: OutputRules;
  readonly signal?: AbortSignal | undefined;
}

/** Sends each sample, and compares what comes with what is expected. Throws as `askModel`. */
export async function checkGolden(input: CheckInput): Promise<GoldenCheck> {
  const { model, samples, rules, signal } = input;
  const compared: ComparedSample[] = [];
  const found = new Set<string>();
  for (const { id, inputs, outputs } of samples) {
    const answered = await askModel(input, inputs, signal);
    for (const { name } of answered) found.add(name);
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
    samples: samples.length,
    outputs,
    notChecked: [...found].filter((name) => !known.has(name)),
    passed: outputs.every(({ passed }) => passed),
  };
}
