import { resolve } from 'node:path';
import { invalidInput } from '../../contract/errors';
import { present, type Tree } from '../../contract/trees';
import type { Core } from '../../core';
import type { RunOptions } from '../read-spec';
import { readNumber, readOneOf } from '../read-values';

const servedAs = ['tensors', 'pipeline', 'vllm'] as const;

type Options = Pick<RunOptions, 'serve' | 'texts' | 'maxBatchSize'>;

/** The first option that only a Hugging Face folder has; null: none is given. */
export const folderOption = ({ serve, texts }: Options): string | null =>
  serve !== undefined ? '--serve' : texts === undefined ? null : '--texts';

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
  const { serve, texts, maxBatchSize } = options;
  const as = serve === undefined ? 'tensors' : readOneOf('--serve', servedAs, serve);
  if (as === 'tensors') {
    if (texts === undefined) return null;
    throw invalidInput(
      '--texts',
      '--texts applies only to a pipeline',
      'Add --serve pipeline, or leave it out.',
    );
  }
  const size = maxBatchSize === undefined ? undefined : readNumber('--max-batch-size', maxBatchSize);
  let shown = '';
  const { notes, ...written } = await core.handlers['models.pipeline']({
    ...{ path, shapes },
    ...present({
      texts: texts === undefined ? undefined : resolve(texts),
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
