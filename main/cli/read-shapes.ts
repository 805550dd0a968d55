import { WorkbenchError } from '../contract/errors';
import { readNumbers } from './read-values';

/** `NAME:3,224,224`, any number of them, as dimensions by name. Throws input-invalid. */
export function readShapes(texts: readonly string[]): Record<string, number[]> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, dims] = /^([^:]+):([\d,]+)$/.exec(text) ?? [];
      if (name === undefined || dims === undefined) {
        throw new WorkbenchError('input-invalid', `"${text}" is not of the form NAME:3,224,224`, {
          where: '--shape',
        });
      }
      return [name, readNumbers('--shape', dims)];
    }),
  );
}
