import { join } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import type { RunSpec } from '../contract/run/run-spec';
import { exists } from '../platform/files';

/** Of a model folder: makes its data. */
export const datasetFile = 'make_dataset.py';

export const datasetNote = `The folder has no ${datasetFile}: a run needs your data with --dataset.`;

export const makesDataset = (folder: string): Promise<boolean> => exists(join(folder, datasetFile));

/** Error of a run that would have no data; null where it has some. */
export async function missingDataset({ source, dataset }: RunSpec['model']): Promise<WorkbenchError | null> {
  if (source?.kind !== 'folder' || dataset !== undefined || (await makesDataset(source.path))) return null;
  return new WorkbenchError(
    'spec-invalid',
    `The run has no data: the model folder has no ${datasetFile}, and no data set is given`,
    {
      where: 'model.dataset',
      remedy: `Give the data that dataloader.py reads with --dataset PATH, or write ${datasetFile} with a function make_dataset(directory, progress): "triton-workbench init NEW_FOLDER" writes an example.`,
    },
  );
}
