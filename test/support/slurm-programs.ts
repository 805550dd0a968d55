import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Programs with the names of Slurm's in a folder: they note what they are asked, and answer with what is written here. */
export async function writeSlurmPrograms(
  folder: string,
  answers: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [program, answer] of Object.entries(answers)) {
    await writeFile(
      join(folder, program),
      `#!/bin/sh\necho "${program} $*" >> "${folder}/asked"\n${answer}\n`,
    );
    await chmod(join(folder, program), 0o755);
  }
}

/** What the programs were asked so far, a line each. */
export async function askedOfSlurm(folder: string): Promise<readonly string[]> {
  const text = await readFile(join(folder, 'asked'), 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}
