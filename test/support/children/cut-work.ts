import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { cutText, exitWhenCut, isCut, untilCut } from '../../../scripts/bench/until-cut';

/** Measures for ever as a bench does: says each number, and writes to its file what it has when it is cut. */
async function main(): Promise<void> {
  const measured: number[] = [];
  const cut = await untilCut(async () => {
    for (let count = 1; !isCut(); count += 1) {
      measured.push(count);
      process.stdout.write(`${count}\n`);
      // The third never ends, as a load tool that hangs.
      await sleep(count < 3 ? 1 : 2 ** 30);
    }
  });
  const note = cut ? cutText(`${measured.length} measured`) : [];
  await writeFile(process.argv[2] ?? '', note.join('\n'));
  exitWhenCut();
}

void main();
