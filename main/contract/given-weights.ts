import type { RunSpec } from './run-spec';

/** The file that holds the weights, where the run makes none: the user's, or the own model file itself. */
export function givenWeights({ checkpoint, source }: RunSpec['model']): string | undefined {
  return source === undefined || source.kind === 'folder' ? checkpoint : source.path;
}
