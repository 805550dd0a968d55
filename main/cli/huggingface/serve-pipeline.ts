import { resolve } from 'node:path';
import { invalidInput } from '../../contract/errors';
import { present, type Tree } from '../../contract/trees';
import type { Core } from '../../core';
import type { RunOptions } from '../read-spec';
import { readNumber, readOneOf } from '../read-values';

const servedAs = ['tensors', 'pipeline', 'vllm'] as const;

type Options = Pick<RunOptions, 'serve' | 'texts' | 'samples' | 'maxBatchSize'>;

/** The option that gives samples of the caller; null: none is given. */
const samplesOption = ({ texts, samples }: Options): string | null =>
  texts !== undefined ? '--texts' : samples === undefined ? null : '--samples';

/** The first option that only a Hugging Face folder has; null: none is given. */
export const folderOption = (options: Options): string | null =>
  options.serve === undefined ? samplesOption(options) : '--serve';

interface OpenedPipeline {
  /** Folder of the ensemble. */
  readonly path: string;
  /** Its reference, and the values of the load. */
  readonly overrides: Tree;
}

/**
 * Writes a Hugging Face folder as a pipeline where the options ask for it; null: they do not. Throws input-invalid, and as
 * `models.pipeline`.
 */
export async function readPipeline(
  core: Core,
  path: string,
  options: Options,
  { shapes, note }: { readonly shapes: Record<string, number[]>; readonly note: (line: string) => void },
): Promise<OpenedPipeline | null> {
  const { serve, texts, samples, maxBatchSize } = options;
  const as = serve === undefined ? 'tensors' : readOneOf('--serve', servedAs, serve);
  if (as === 'tensors') {
    const given = samplesOption(options);
    if (given === null) return null;
    throw invalidInput(
      given,
      `${given} applies only to a pipeline`,
      'For a Hugging Face folder add --serve pipeline; otherwise leave it out.',
    );
  }
  const size = maxBatchSize === undefined ? undefined : readNumber('--max-batch-size', maxBatchSize);
  let shown = '';
  const { notes, ...written } = await core.handlers['models.pipeline']({
    ...{ path, shapes },
    ...present({
      texts: texts === undefined ? undefined : resolve(texts),
      samples: samples === undefined ? undefined : resolve(samples),
      maxBatchSize: size,
      backend: as === 'vllm' ? as : undefined,
    }),
    onProgress: (text) => {
      if (text !== shown) note(`Writing the pipeline: ${text}`);
      shown = text;
    },
  });
  for (const line of notes) note(line);
  return written;
}
