import { join } from 'node:path';
import { type KeptSamples, keptSamplesFile, type KeptTensor } from '../contract/kept-samples';
import type { OutputRules } from '../contract/measured/output-rules';
import { comparedRules } from '../domain/outputs/compare-outputs';
import { makeFolder, writeFileAtomic } from '../platform/files';
import type { Tensor } from '../triton/tensor';
import type { GoldenSample } from './golden-samples';

/** Every change of a deployment asks all of them. */
const most = { samples: 32, bytes: 64 * 2 ** 20 } as const;

const bytesOf = ({ inputs, outputs }: GoldenSample): number =>
  [...inputs, ...outputs].reduce((sum, { data }) => sum + data.byteLength, 0);

/** The first ones; one whatever its size. */
function kept(samples: readonly GoldenSample[]): readonly GoldenSample[] {
  let bytes = 0;
  return samples.slice(0, most.samples).filter((sample, index) => {
    bytes += bytesOf(sample);
    return index === 0 || bytes <= most.bytes;
  });
}

interface KeptGolden {
  readonly samples: readonly GoldenSample[];
  readonly rules: OutputRules;
  /** Name of the golden file. */
  readonly file: string;
}

/** Writes samples.json and a file per tensor: what a deployment and a bundle of the run are checked by. */
export async function keepGolden(folder: string, { samples, rules, file }: KeptGolden): Promise<void> {
  await makeFolder(folder);
  const write = async (
    kind: 'input' | 'output',
    sample: number,
    tensors: readonly Tensor[],
  ): Promise<KeptTensor[]> => {
    const written: KeptTensor[] = [];
    for (const [at, { name, datatype, shape, data }] of tensors.entries()) {
      const file = `${sample}-${kind}-${at}.bin`;
      await writeFileAtomic(join(folder, file), data);
      written.push({ name, datatype, shape: [...shape], file });
    }
    return written;
  };
  const chosen = kept(samples);
  const listed: KeptSamples['samples'] = [];
  for (const [at, { id, inputs, outputs }] of chosen.entries()) {
    listed.push({
      id,
      inputs: await write('input', at, inputs),
      outputs: await write('output', at, outputs),
    });
  }
  const document: KeptSamples = {
    ...{ lengths: {}, golden: file },
    rules: Object.fromEntries(
      comparedRules(
        chosen.map(({ outputs }) => outputs),
        rules,
      ),
    ),
    samples: listed,
  };
  await writeFileAtomic(join(folder, keptSamplesFile), `${JSON.stringify(document, null, 1)}\n`);
}
