import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import { type InputData, inputDataSchema } from '../contract/measured/input-data';
import { fileLimits } from '../contract/reader-limits';
import type { Signature } from '../contract/run/artefacts';
import { repositoryOf, type RunSpec } from '../contract/run/run-spec';
import { servedMaxBatchSize } from '../formats/model-config-of';
import { warmUpFileName, warmUpFolder, type WarmUpSample } from '../formats/warm-up';
import { makeFolder } from '../platform/files';
import { readPlainText } from '../platform/plain-entry';
import { distinctShapes, shapeAt } from './measure/cold-start';
import type { PlannedRun, StepContext } from './step';
import { makeInputData } from './steps/profile-data.step';
import { servedShape } from './sweep-commands';

export const hasWarmUpSamples = ({ configure, model }: Pick<RunSpec, 'configure' | 'model'>): boolean =>
  configure.warmup === 'samples' && repositoryOf(model) === null;

/** Where the inputs of the run are made for its warm-up; not kept. */
export const samplesIn = ({ folder }: Pick<PlannedRun, 'folder'>): string =>
  join(folder.step('configure'), 'samples');

interface MadeSamples {
  readonly samples: readonly WarmUpSample[];
  /** Of their files. */
  readonly folder: string;
  readonly remove: () => Promise<void>;
}

/** A scalar of each item is served as one value. */
const dimsOf = (shape: readonly number[], batched: boolean): readonly number[] => {
  const served = servedShape(shape, batched);
  return served.length === 0 ? [1] : served;
};

/** Of the inputs that the load sends, the first in each shape, as files of a warm-up. Throws as making them. */
export async function makeWarmUpSamples(context: StepContext, signature: Signature): Promise<MadeSamples> {
  const { spec, run } = context;
  const dir = samplesIn(run);
  const folder = join(dir, warmUpFolder);
  const remove = (): Promise<void> => rm(dir, { recursive: true, force: true });
  // Of an attempt that was killed.
  await remove();
  await makeFolder(folder);
  await makeInputData(context, signature, dir);
  const manifest = await readPlainText(join(dir, 'input-data.json'), fileLimits.stepJson.bytes);
  const data: InputData = inputDataSchema.parse(JSON.parse(manifest));
  const batched = servedMaxBatchSize(spec.configure) > 0;
  const shapes = distinctShapes(data);
  const samples: WarmUpSample[] = [];
  for (const [shape, at] of shapes) {
    const dims: Record<string, readonly number[]> = {};
    for (const [input, { name }] of signature.inputs.entries()) {
      const tensor = data.tensors.find((one) => one.name === name);
      if (tensor === undefined) {
        throw new WorkbenchError('input-invalid', `The inputs of the load have no values of ${name}`, {
          where: 'configure.warmup',
          remedy: 'Choose zeros or random values for the warm-up.',
        });
      }
      dims[name] = dimsOf(shapeAt(tensor, at), batched);
      const from = join(dir, tensor.files[at % tensor.files.length] ?? '');
      await copyFile(from, join(folder, warmUpFileName(samples.length, input)));
    }
    samples.push({ dims, ...(shapes.size === 1 ? {} : { shape }) });
  }
  return { samples, folder, remove };
}
