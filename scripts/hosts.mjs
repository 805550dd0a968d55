import { appEnvironment, bootstrap, needs } from './lib/bootstrap.mjs';
import { main } from './lib/main.mjs';
import { say } from './lib/say.mjs';
import { vitest } from './lib/test-parts.mjs';
import { createTestRun } from './lib/test-run.mjs';

const help = `npm run test:hosts
Runs on two Docker Engines of this machine, each behind an sshd of its own in a network namespace of its own, one of them over
50 Mbit/s and 20 ms: both at once, a line that is cut for 30 s in a level, and one that stays cut. Needs root. Takes a
quarter of an hour. Exit code 1: something was lost, doubled or left.`;

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

await main(async (args) => {
  if (args.includes('--help') || args.includes('-h')) {
    say(help);
    return 0;
  }
  const { home } = await bootstrap(needs.test, { packages: ['window', 'test'], purpose: 'Testing' });
  const testRun = createTestRun();
  for (const signal of signals) process.on(signal, () => void testRun.interrupt());
  const result = await vitest('hosts-campaign')({ env: appEnvironment(home), testRun });
  await testRun.ended();
  // What ran nothing proves nothing.
  return result.failed === 0 && result.passed > 0 ? 0 : 1;
});
