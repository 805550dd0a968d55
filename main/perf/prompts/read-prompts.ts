import { invalidInput } from '../../contract/errors';
import type { InputData } from '../../contract/measured/input-data';
import { fileLimits } from '../../contract/reader-limits';
import { readBoundedFile } from '../../platform/plain-entry';
import { storeInput } from '../input/read-input';
import { parsePrompts } from './parse-prompts';
import { type PromptAsk, promptRequests } from './prompt-requests';

/** A file of prompts, and how they are asked. */
export interface PromptFile extends PromptAsk {
  readonly path: string;
}

/** Writes a file per request. Throws input-invalid, naming file and line. */
export async function storePrompts({ path, ...ask }: PromptFile, dir: string): Promise<InputData> {
  const found = await readBoundedFile(path, fileLimits.prompts.bytes, { links: 'follow' });
  if ('problem' in found) {
    throw invalidInput(
      path,
      `The prompts are not read: ${found.problem}`,
      'Name a file that exists, of at most 64 MiB.',
    );
  }
  const { input, wanted } = promptRequests(parsePrompts(found.text, path), ask, path);
  return storeInput(input, { inputs: wanted, outputs: [] }, dir);
}
