import { appEnvironment, bootstrap, needs } from './lib/bootstrap.mjs';
import { main } from './lib/main.mjs';
import { say } from './lib/say.mjs';
import { vitest } from './lib/test-parts.mjs';
import { createTestRun } from './lib/test-run.mjs';

const help = `npm run test:slurm
Runs a matrix of six runs on a private Slurm cluster of two nodes on this machine: one node is drained, one job reaches its
time limit, one is cancelled from outside, and resume completes all of them. Prints how long after each change of a job
the list of runs said it. Takes a quarter of an hour. Exit code 1: something was lost, doubled or not told.`;

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

await main(async (args) => {
  if (args.includes('--help') || args.includes('-h')) {
    say(help);
    return 0;
  }
  const { home } = await bootstrap(needs.test, { packages: ['window', 'test'], purpose: 'Testing' });
  const testRun = createTestRun();
  for (const signal of signals) process.on(signal, () => void testRun.interrupt());
  const result = await vitest('slurm-campaign')({ env: appEnvironment(home), testRun });
  await testRun.ended();
  // What ran nothing proves nothing.
  return result.failed === 0 && result.passed > 0 ? 0 : 1;
});
