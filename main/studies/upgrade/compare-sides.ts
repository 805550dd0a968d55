import type { OutputRules } from '../../contract/measured/output-rules';
import type { UpgradeOutputs } from '../../contract/study/upgrade';
import { type ComparedSample, compareOutputs } from '../../domain/outputs/compare-outputs';
import { decodeTensor } from '../../triton/decode-tensor';
import type { Tensor } from '../../triton/tensor';

/** What is asked of a side. */
export interface AskedSide {
  /** Outputs of one request. Throws inference-failed, server-gone. */
  readonly ask: (inputs: readonly Tensor[]) => Promise<readonly Tensor[]>;
  /** Compares with the reference of the run. Throws as `ask`. */
  readonly checkReference: () => Promise<Omit<UpgradeOutputs['reference'][number], 'side'>>;
}

interface Comparison {
  /** Ascending. */
  readonly batchSizes: readonly number[];
  /** Requests of the run's inputs, one at least. */
  readonly requestsOf: (batchSize: number) => Promise<readonly (readonly Tensor[])[]>;
  readonly rules: OutputRules;
}

/** The same requests to both, and to the present one twice: what differs from itself tells nothing. Throws as its sides. */
async function comparedAt(
  [present, next]: readonly [AskedSide, AskedSide],
  batchSize: number,
  { requestsOf, rules }: Comparison,
): Promise<UpgradeOutputs['between'][number]> {
  const [between, twice]: [ComparedSample[], ComparedSample[]] = [[], []];
  for (const [index, inputs] of (await requestsOf(batchSize)).entries()) {
    const id = String(index);
    const expected = (await present.ask(inputs)).map(decodeTensor);
    between.push({ id, expected, found: (await next.ask(inputs)).map(decodeTensor) });
    twice.push({ id, expected, found: (await present.ask(inputs)).map(decodeTensor) });
  }
  return {
    ...{ batchSize, requests: between.length, outputs: compareOutputs(between, rules) },
    varying: compareOutputs(twice, rules).flatMap(({ output, passed }) => (passed ? [] : [output])),
  };
}

/** Whether both answer alike, at each batch size, and as the reference of the run. Throws as its sides. */
export async function compareSides(
  sides: readonly [AskedSide, AskedSide],
  comparison: Comparison,
): Promise<UpgradeOutputs> {
  const between: UpgradeOutputs['between'] = [];
  for (const batchSize of comparison.batchSizes) {
    between.push(await comparedAt(sides, batchSize, comparison));
  }
  const [present, next] = sides;
  return {
    between,
    reference: [
      { side: 1, ...(await present.checkReference()) },
      { side: 2, ...(await next.checkReference()) },
    ],
  };
}
