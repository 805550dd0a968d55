import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { appEnvironment, bootstrap, needs } from './bootstrap.mjs';
import { runCheck } from './check-tools.mjs';
import { repoRoot } from './layout.mjs';
import { main } from './main.mjs';
import { say } from './say.mjs';
import { ensureEngineForTests, ensureImagesForTests } from './steps/docker.mjs';
import { runLanes } from './test-lanes.mjs';
import { createTestRun } from './test-run.mjs';
import { startXvfb } from './xvfb.mjs';

const reporter = (name) => join(repoRoot, 'scripts', 'lib', 'reporters', name);
const bin = (name) => join(repoRoot, 'node_modules', '.bin', name);

async function withReport(run) {
  const folder = mkdtempSync(join(tmpdir(), 'workbench-test-'));
  const file = join(folder, 'report.json');
  try {
    const code = await run(file);
    let report = null;
    try {
      report = JSON.parse(readFileSync(file, 'utf8'));
    } catch {
      // A runner that died before it wrote its report has run nothing that counts.
    }
    return { code, report };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a runner that was interrupted had done; null for one that came to its end. */
const partial = (testRun, outcomes) => (testRun.interrupted() ? testRun.countsOf(outcomes) : null);

/** A runner that failed without a failed test (a file that does not load, a crash) counts as one failure. */
function counted(code, { passed, failed, skipped }) {
  return { passed, failed: failed === 0 && code !== 0 ? 1 : failed, skipped };
}

const none = { passed: 0, failed: 0, skipped: 0 };
const added = (a, b) => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
});

const nothing = { passed: 0, failed: 1, skipped: 0 };

async function check({ layout, testRun }) {
  const failed = await runCheck(layout.python);
  // Tools that were ended have no verdict.
  if (testRun.interrupted()) return none;
  return { passed: failed === 0 ? 1 : 0, failed: failed === 0 ? 0 : 1, skipped: 0 };
}

const pythonTests = join('test', 'python');

/** Python tests of these files; what they print comes in one piece, as others run beside them. */
async function pythonFiles(files, program, env, testRun) {
  let text = '';
  const modules = files.map((file) => file.replace(/\.py$/, ''));
  // --catch: when it is interrupted it says what failed until then.
  const args = ['-m', 'unittest', '-v', '--catch', ...modules];
  const code = await testRun.runner(program, args, env, {
    silent: true,
    onText: (chunk) => {
      text += chunk;
    },
  });
  process.stdout.write(`${files.join(', ')}\n${text}`);
  const ran = Number(/^Ran (\d+) tests?/m.exec(text)?.[1] ?? 0);
  const last = /^(?:OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$/m.exec(text)?.[1] ?? '';
  const number = (name) => Number(new RegExp(`(?:^|, )${name}=(\\d+)`).exec(last)?.[1] ?? 0);
  const failed = number('failures') + number('errors') + number('unexpected successes');
  const skipped = number('skipped');
  if (testRun.interrupted()) return { passed: Math.max(0, ran - failed - skipped), failed, skipped };
  // Files in which nothing ran prove nothing.
  return counted(ran === 0 ? 1 : code, { passed: Math.max(0, ran - failed - skipped), failed, skipped });
}

/** Files that one process takes: each new one imports torch again. */
const filesAtOnce = 4;

/** In two processes at a time. */
async function python({ layout, env, testRun }) {
  const own = {
    ...env,
    PYTHONPATH: [join(repoRoot, 'resources'), join(repoRoot, pythonTests)].join(delimiter),
    PYTHONDONTWRITEBYTECODE: '1',
    ORT_DISABLE_TELEMETRY: '1',
  };
  const bytes = (name) => statSync(join(repoRoot, pythonTests, name)).size;
  // The long first: none is left over when the other of the two has ended.
  const waiting = readdirSync(join(repoRoot, pythonTests))
    .filter((name) => /^test.*\.py$/.test(name))
    .sort((a, b) => bytes(b) - bytes(a));
  const results = [];
  const lane = async () => {
    while (waiting.length > 0 && !testRun.interrupted()) {
      results.push(await pythonFiles(waiting.splice(0, filesAtOnce), layout.python, own, testRun));
    }
  };
  await Promise.all([lane(), lane()]);
  return results.reduce(added, none);
}

/** A part that is a project of vitest; of its files those alone that have one of `filters` in their path. */
export function vitest(project, filters = []) {
  return async ({ env, testRun }) => {
    const outcomes = testRun.outcomesFile();
    const { code, report } = await withReport((file) =>
      testRun.runner(
        bin('vitest'),
        [
          ...['run', '--project', project, ...filters, '--reporter=default', '--reporter=json'],
          ...[`--outputFile.json=${file}`, `--reporter=${reporter('vitest-outcomes.mjs')}`],
        ],
        env,
        { outcomes },
      ),
    );
    const cut = partial(testRun, outcomes);
    if (cut !== null) return cut;
    if (report === null) return nothing;
    return counted(code, {
      passed: report.numPassedTests,
      failed: report.numFailedTests,
      skipped: report.numPendingTests + report.numTodoTests,
    });
  };
}

/** A job of the window's tests, in a display of its own; `name` is a project of playwright. */
export function windows(name, shard) {
  return async ({ env, testRun }) => {
    const outcomes = testRun.outcomesFile();
    const display = await startXvfb();
    // Each job empties its folder first.
    const output = join('test-results', shard === undefined ? name : `${name}-${shard[0]}`);
    try {
      const { code, report } = await withReport((file) =>
        testRun.runner(
          bin('playwright'),
          [
            ...['test', '--project', name, '--output', output],
            ...(shard === undefined ? [] : [`--shard=${shard}`]),
            `--reporter=list,json,${reporter('playwright-outcomes.mjs')}`,
          ],
          { ...env, DISPLAY: display.display, PLAYWRIGHT_JSON_OUTPUT_FILE: file },
          { outcomes },
        ),
      );
      const cut = partial(testRun, outcomes);
      if (cut !== null) return cut;
      if (report === null) return nothing;
      const { expected, unexpected, flaky, skipped } = report.stats;
      return counted(code, { passed: expected, failed: unexpected + flaky, skipped });
    } finally {
      display.stop();
    }
  };
}

/** A project that ran nothing proves nothing. */
const something = (run) => async (context) => {
  const result = await run(context);
  if (context.testRun.interrupted()) return result;
  return result.passed + result.failed + result.skipped === 0 ? nothing : result;
};

const integration = (project, more = {}) => ({
  ...{ part: 'integration', name: project, needs: 'tools', run: something(vitest(project)) },
  ...more,
});
const e2e = (name, shard) => ({
  ...{ part: 'e2e', name: shard === undefined ? name : `${name} ${shard}`, needs: 'tools' },
  run: something(windows(name, shard)),
});

/**
 * All that there is to run. What takes whole models from code to report goes two at a time, as each has a server and a load
 * generator, and mostly waits for them; beside these two of the rest, so that the processors are used. The long first: all
 * lanes end at about the same time. `needs`: what of the set-up it waits for.
 */
const jobs = {
  whole: [
    e2e('runs'),
    // The images for the next are made meanwhile.
    integration('failures'),
    integration('docker', { needs: 'images' }),
    integration('pipeline'),
    integration('own'),
    integration('presets'),
    integration('slurm'),
  ],
  light: [
    // Needs Node packages only: it runs beside the set-up.
    { part: 'unit', name: 'unit', run: vitest('unit') },
    integration('triton'),
    integration('perf'),
    { part: 'check', name: 'check', needs: 'tools', run: check },
    { part: 'python', name: 'python', needs: 'tools', run: python },
    // One of them counts what killed load generators left in shared memory; those of `triton` kill some.
    integration('faults', { after: 'triton' }),
    // In pieces, and at the end: no lane has to wait long for another.
    e2e('pages', '1/4'),
    e2e('pages', '2/4'),
    e2e('pages', '3/4'),
    e2e('pages', '4/4'),
  ],
};

/** The parts, in the order in which they are told. */
export const partNames = ['check', 'python', 'unit', 'integration', 'e2e'];

/**
 * Runs the parts `names`; `onStart` hears what begins. Nothing begins once `context.testRun` is interrupted.
 * @param context `tools`, `images`: promises that keep once all tools, and the images of the containers, are there or
 *   cannot be had
 * @returns for each part `{name, passed, failed, skipped, seconds}`
 */
export async function runParts(names, context, onStart) {
  const results = new Map();
  const wanted = (queue) => queue.filter(({ part }) => names.includes(part));
  const run = async ({ part, name, needs, run: start }) => {
    if (needs !== undefined) await context[needs];
    if (context.testRun.interrupted()) return;
    onStart(part === name ? name : `${part}: ${name}`);
    const { startMs, ...before } = results.get(part) ?? { ...none, startMs: performance.now() };
    results.set(part, { ...before, startMs, endMs: startMs });
    const result = await start(context);
    results.set(part, { ...added(results.get(part), result), startMs, endMs: performance.now() });
  };
  await runLanes({ whole: wanted(jobs.whole), light: wanted(jobs.light) }, run, context.testRun.interrupted);
  return partNames.flatMap((name) => {
    const result = results.get(name);
    if (result === undefined) return [];
    const { startMs, endMs, ...counts } = result;
    return [{ name, ...counts, seconds: (endMs - startMs) / 1000 }];
  });
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * A command of its own for tests that take too long for `npm test`.
 * @param run what `vitest` or `windows` gives
 * @param options.docker the tests need this machine's Docker Engine: it is started where it is not running
 * @param options.images also the images of the containers
 */
export async function runCampaign(run, help, { docker = false, images = false } = {}) {
  await main(async (args) => {
    if (args.includes('--help') || args.includes('-h')) {
      say(help);
      return 0;
    }
    const context = await bootstrap(needs.test, { packages: ['window', 'test'], purpose: 'Testing' });
    if (docker || images) await ensureEngineForTests(context);
    const env = appEnvironment(context.home);
    if (images) await ensureImagesForTests(context, env);
    const testRun = createTestRun();
    for (const signal of signals) process.on(signal, () => void testRun.interrupt());
    const result = await run({ env, testRun });
    await testRun.ended();
    // What ran nothing proves nothing.
    return result.failed === 0 && result.passed > 0 ? 0 : 1;
  });
}
