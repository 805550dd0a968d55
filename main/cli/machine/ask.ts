import { createInterface } from 'node:readline/promises';
import { WorkbenchError } from '../../contract/errors';
import { type Output, printText } from '../output';

/**
 * Asks whether what was shown is to be removed. Throws input-invalid where nobody can be asked, cancelled at Ctrl-C.
 * @param otherwise what to do to see it only
 */
export async function askToRemove(output: Output, verb: string, otherwise: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY || output.json) {
    throw new WorkbenchError(
      'input-invalid',
      `Nothing was removed: ${verb} asks first, and this is not a terminal`,
      { where: verb, remedy: `Add --yes to remove it without asking, or ${otherwise}.` },
    );
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await lines.question('Remove this? [y/N] ')).trim());
  } catch (error) {
    // Ctrl-C, or Ctrl-D.
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
    printText('\n', 'stderr');
    throw new WorkbenchError('cancelled', 'Nothing was removed', {
      where: verb,
      remedy: `Start it again, or ${otherwise}.`,
      cause: error,
    });
  } finally {
    lines.close();
  }
}
