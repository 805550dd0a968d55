import { basename } from 'node:path';
import { invalidInput } from '../../contract/errors';
import { studyNameOf } from '../../domain/study/matrix-study';
import { readText, type RunOptions } from '../read-spec';
import { readRange } from '../read-values';

const flag = '--length-buckets';

interface AskedMatrix {
  readonly text: string;
  readonly fileName: string;
  /** Where the text has none. */
  readonly name: string;
  /** Absent: written by the options. */
  readonly file?: string;
}

/** One run per length. Throws input-invalid. */
function lengthMatrix(preset: string | undefined, buckets: string, options: RunOptions): AskedMatrix {
  if (options.matrix !== undefined) {
    const remedy = 'Write the lengths into the file: "matrix: { lengthDistribution: [32, 64, 128] }".';
    throw invalidInput(flag, `--matrix and ${flag} cannot be used together`, remedy);
  }
  if (options['lengthDistribution'] !== undefined) {
    const remedy =
      'Leave one of them out. In a file, both are values of the axis lengthDistribution of --matrix.';
    throw invalidInput(flag, `--length-distribution and ${flag} cannot be used together`, remedy);
  }
  if (preset === undefined)
    throw invalidInput('[preset]', 'No model given', `For example: run ./my-bert ${flag} ${buckets}`);
  const lengths = readRange(flag, buckets);
  const odd = lengths.find((length) => !Number.isInteger(length) || length < 1);
  if (odd !== undefined) {
    throw invalidInput(flag, `${odd} is not a length`, `Give whole numbers, for example ${flag} 32,64,128.`);
  }
  return {
    text: JSON.stringify({ matrix: { 'performance.lengthDistribution': lengths.map(String) } }),
    ...{ fileName: 'lengths.yaml', name: studyNameOf(`${basename(preset)}-lengths`) },
  };
}

/** The matrix that the options ask for. Throws input-invalid. */
export async function askedMatrix(preset: string | undefined, options: RunOptions): Promise<AskedMatrix> {
  const { matrix: file = '-', lengthBuckets } = options;
  if (lengthBuckets !== undefined) return lengthMatrix(preset, lengthBuckets, options);
  const fileName = file === '-' ? '' : basename(file);
  return { text: await readText(file, '--matrix'), fileName, name: studyNameOf(basename(file)), file };
}
