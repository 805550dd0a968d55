import { startChild } from '../../../main/platform/exec';

/** Starts a program that sleeps, in a group of its own, tells its process id and exits, or waits where it is told to. */
const [, , then = ''] = process.argv;
const child = startChild('sh', ['-c', 'sleep 600 & echo $!; wait'], {
  env: process.env,
  detached: true,
  stdio: ['ignore', 'pipe', 'pipe'],
});
child.stdout.once('data', (chunk: Buffer) => {
  const ids = [String(child.pid), chunk.toString().trim()];
  process.stdout.write(`${ids.join(' ')}\n`, () => {
    if (then === 'exit') process.exit(0);
  });
});
