import { appEnvironment, bootstrap, needs } from './lib/bootstrap.mjs';
import { markerName } from './lib/end-marked.mjs';
import { main } from './lib/main.mjs';
import { say, SetupError } from './lib/say.mjs';
import { ensureEngineForTests, ensureImagesForTests } from './lib/steps/docker.mjs';
import { partNames, runParts } from './lib/test-parts.mjs';
import { createTestRun } from './lib/test-run.mjs';

/** What the runners themselves need; the tools are set up beside the first tests. */
const ofClone = ['modules', 'build'];
/** What runs when only one part is asked for needs no more than this. */
const needsOf = { check: needs.check, python: needs.check, unit: ['modules'] };

function chosen(args) {
  const unknown = args.find((arg) => !partNames.includes(arg));
  if (unknown !== undefined) {
    throw new SetupError(`Unknown test part "${unknown}": choose from ${partNames.join(', ')}.`);
  }
  return args.length === 0 ? partNames : partNames.filter((name) => args.includes(name));
}

/** What of the set-up `make` cannot be had here: the reason, or null. */
async function problemOf(make) {
  try {
    await make();
    return null;
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    return error.message;
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Sums up the parts, after what failed in them. @returns the exit status */
function report(results, { sum, lines }, testRun) {
  const interrupted = testRun.interrupted();
  for (const { name, seconds, ...result } of results) {
    // A part that ran nothing proves nothing.
    if (!interrupted && result.passed + result.failed === 0) result.failed = 1;
    for (const key of Object.keys(sum)) sum[key] += result[key];
    lines.push(
      `${name}: ${result.passed} passed, ${result.failed} failed, ${result.skipped} skipped in ${seconds.toFixed(1)} s`,
    );
  }
  // Again at the end, of all parts: they ran beside each other, and a log that is kept is often its end alone.
  const failures = testRun.failures();
  if (failures !== '') say(`\n${interrupted ? 'Failed until then' : 'Failed'}:\n\n${failures}`);
  say(`\n${lines.join('\n')}`);
  const counts = `${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`;
  process.stdout.write(`${counts}${interrupted ? ' (interrupted: not all tests ran)' : ''}\n`);
  if (interrupted) process.exit(130);
  return sum.failed === 0 ? 0 : 1;
}

await main(async (args) => {
  const whileSettingUp = () => process.exit(130);
  for (const signal of signals) process.on(signal, whileSettingUp);
  const names = chosen(args);
  const wanted = [...new Set(names.flatMap((name) => needsOf[name] ?? needs.test))];
  const all = names.some((name) => !(name in needsOf));
  const system = all ? { packages: ['window', 'test'], purpose: 'Testing' } : {};
  const context = await bootstrap(
    wanted.filter((need) => ofClone.includes(need)),
    system,
  );
  const { home, layout } = context;
  // Jobs share the processors: the threads of one model would wait for each other in the place of another's.
  const env = { ...appEnvironment(home), OMP_NUM_THREADS: '1' };
  const sum = { passed: 0, failed: 0, skipped: 0 };
  const lines = [];
  /**
   * Containers need a Docker Engine. Where none can be had their tests are skipped and say so; for a whole run of the
   * tests that is a failure, as these are then not known to pass.
   */
  const withoutContainers = (problem) => {
    if (problem === null) return;
    say(`Tests with containers are skipped: ${problem}`);
    if (args.length > 0) return;
    sum.failed += 1;
    lines.push('docker: 0 passed, 1 failed, 0 skipped');
  };
  const containers = names.includes('integration') || names.includes('e2e');
  const problem = containers ? await problemOf(() => ensureEngineForTests(context)) : null;
  withoutContainers(problem);
  const testRun = createTestRun();
  // From here on: the Docker Engine that was started for the tests is to stay.
  process.env[markerName] = testRun.marker;
  let asked = false;
  for (const signal of signals) {
    process.off(signal, whileSettingUp);
    process.on(signal, () => {
      asked = true;
      if (!testRun.interrupted())
        say('\nInterrupted: the tests are being ended; once more ends them at once.');
      void testRun.interrupt();
    });
  }
  let failure = null;
  const tools = bootstrap(wanted).catch((error) => {
    failure = error;
    return testRun.interrupted() ? null : testRun.interrupt();
  });
  // Made beside the first tests: that takes minutes on an engine that has none.
  const makeImages = async () => {
    await tools;
    if (!containers || problem !== null || testRun.interrupted()) return;
    withoutContainers(await problemOf(() => ensureImagesForTests(context, env)));
  };
  const images = makeImages();
  const parts = runParts(names, { layout, env, testRun, tools, images }, (name) => say(`\n── ${name}`));
  const [results] = await Promise.all([parts, images]);
  await testRun.ended();
  if (failure !== null && !asked) throw failure;
  return report(results, { sum, lines }, testRun);
});
