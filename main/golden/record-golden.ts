import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InputData } from '../contract/measured/input-data';
import type { OutputRules } from '../contract/measured/output-rules';
import { type ComparedSample, compareOutputs } from '../domain/outputs/compare-outputs';
import { decodeTensor } from '../triton/decode-tensor';
import type { Tensor } from '../triton/tensor';
import { type AskedModel, askModel } from './ask-model';
import type { GoldenSample } from './golden-samples';

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

/** One sample of each input; those with fewer samples begin again. */
async function requestOf({ inputData, dir, config }: RecordInput, index: number): Promise<Tensor[]> {
  return Promise.all(
    inputData.tensors.map(async ({ name, datatype, shape, shapes, files }) => {
      const at = index % files.length;
      const own = shapes?.[at] ?? shape;
      const data = await readFile(join(dir, files[at] ?? ''));
      return { name, datatype, shape: config.maxBatchSize > 0 ? [1, ...own] : own, data };
    }),
  );
}

/** Asks for every sample twice: what differs then would differ in every check. Throws as `askModel`. */
export async function recordGolden(input: RecordInput): Promise<Recorded> {
  const { inputData, rules, signal } = input;
  const count = inputData.tensors.reduce((most, { files }) => Math.max(most, files.length), 0);
  const samples: GoldenSample[] = [];
  const twice: ComparedSample[] = [];
  for (let index = 0; index < count; index += 1) {
    const id = String(index);
    const inputs = await requestOf(input, index);
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
