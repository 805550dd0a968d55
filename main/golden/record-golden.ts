import type { InputData } from '../contract/measured/input-data';
import type { OutputRules } from '../contract/measured/output-rules';
import { type ComparedSample, compareOutputs } from '../domain/outputs/compare-outputs';
import { decodeTensor } from '../triton/decode-tensor';
import { type AskedModel, askModel } from './ask-model';
import type { GoldenSample } from './golden-samples';
import { sampleCount, sampleRequest } from './sample-request';

interface RecordInput extends AskedModel {
  readonly inputData: InputData;
  /** Of its files. */
  readonly dir: string;
  readonly rules: OutputRules;
  readonly signal?: AbortSignal | undefined;
}

export interface Recorded {
  readonly samples: readonly GoldenSample[];
  /** Why comparing with it will not hold: outputs that change from call to call. */
  readonly warnings: readonly string[];
}

/** Asks for every sample twice: what differs then would differ in every check. Throws as `askModel`. */
export async function recordGolden(input: RecordInput): Promise<Recorded> {
  const { inputData, config, rules, signal } = input;
  const count = sampleCount(inputData);
  const samples: GoldenSample[] = [];
  const twice: ComparedSample[] = [];
  for (let index = 0; index < count; index += 1) {
    const id = String(index);
    const inputs = await sampleRequest({ ...input, batched: config.maxBatchSize > 0 }, index);
    const outputs = await askModel(input, inputs, signal);
    const again = await askModel(input, inputs, signal);
    samples.push({ id, inputs, outputs });
    twice.push({ id, expected: outputs.map(decodeTensor), found: again.map(decodeTensor) });
  }
  const warnings = compareOutputs(twice, rules).flatMap(({ reason }) =>
    reason === null ? [] : [`The model answers the same request differently the second time: ${reason}`],
  );
  return { samples, warnings };
}
