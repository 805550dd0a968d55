import { setTimeout as sleep } from 'node:timers/promises';
import { takeDevice } from '../../../main/store/device-queue';

/** Takes the device and holds it for some milliseconds (for ever when absent), and says so. */
async function main(): Promise<void> {
  const [root = '', what = '', holdMs] = process.argv.slice(2);
  const say = (line: string) => {
    process.stdout.write(`${line}\n`);
  };
  const release = await takeDevice({
    root,
    device: 'this machine',
    what,
    signal: new AbortController().signal,
    onWaiting: (forWhat) => {
      say(`waits for ${forWhat}`);
    },
  });
  say(`begin ${process.hrtime.bigint()}`);
  await sleep(holdMs === undefined ? 2 ** 30 : Number(holdMs));
  say(`end ${process.hrtime.bigint()}`);
  await release();
}

void main();
