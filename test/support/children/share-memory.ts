import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sharedName } from '../../../main/perf/native/requests/shared-names';

/** Makes both files of shared memory in the given folder, says their names and stays. */
async function main(): Promise<void> {
  const [folder = ''] = process.argv.slice(2);
  const own = sharedName();
  for (const name of [`${own}-in`, `${own}-out`]) {
    await writeFile(join(folder, name), Buffer.alloc(64));
    process.stdout.write(`${name}\n`);
  }
  await sleep(2 ** 30);
}

void main();
