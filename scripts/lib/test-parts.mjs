import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appEnvironment, bootstrap, needs } from './bootstrap.mjs';
import { runCheck } from './check-tools.mjs';
import { repoRoot } from './layout.mjs';
import { main } from './main.mjs';
import { say } from './say.mjs';
import { createTestRun } from './test-run.mjs';
import { startXvfb } from './xvfb.mjs';

const reporter = (name) => join(repoRoot, 'scripts', 'lib', name);
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

/** One file of Python tests; what it prints comes in one piece, as another runs beside it. */
async function pythonFile(file, program, env, testRun) {
  let text = '';
  // --catch: when it is interrupted it says what failed until then.
  const args = ['-m', 'unittest', 'discover', '-s', pythonTests, '-p', file, '-v', '--catch'];
  const code = await testRun.runner(program, args, env, {
    silent: true,
    onText: (chunk) => {
      text += chunk;
    },
  });
  process.stdout.write(`${file}\n${text}`);
  const ran = Number(/^Ran (\d+) tests?/m.exec(text)?.[1] ?? 0);
  const last = /^(?:OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$/m.exec(text)?.[1] ?? '';
  const number = (name) => Number(new RegExp(`(?:^|, )${name}=(\\d+)`).exec(last)?.[1] ?? 0);
  const failed = number('failures') + number('errors') + number('unexpected successes');
  const skipped = number('skipped');
  if (testRun.interrupted()) return { passed: Math.max(0, ran - failed - skipped), failed, skipped };
  // A file in which nothing ran proves nothing.
  return counted(ran === 0 ? 1 : code, { passed: Math.max(0, ran - failed - skipped), failed, skipped });
}

/** Two files at a time, each with a thread of its own for the tensors. */
async function python({ layout, env, testRun }) {
  const own = {
    ...env,
    PYTHONPATH: join(repoRoot, 'resources'),
    PYTHONDONTWRITEBYTECODE: '1',
    ORT_DISABLE_TELEMETRY: '1',
    OMP_NUM_THREADS: '1',
  };
  const waiting = readdirSync(join(repoRoot, pythonTests)).filter((name) => /^test.*\.py$/.test(name));
  const results = [];
  const lane = async () => {
    for (let file = waiting.shift(); file !== undefined && !testRun.interrupted(); file = waiting.shift()) {
      results.push(await pythonFile(file, layout.python, own, testRun));
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

async function e2e({ env, testRun }) {
  const outcomes = testRun.outcomesFile();
  const display = await startXvfb();
  try {
    const { code, report } = await withReport((file) =>
      testRun.runner(
        bin('playwright'),
        ['test', `--reporter=list,json,${reporter('playwright-outcomes.mjs')}`],
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
}

/** A project that ran nothing proves nothing. */
const something = (run) => async (context) => {
  const result = await run(context);
  if (context.testRun.interrupted()) return result;
  return result.passed + result.failed + result.skipped === 0 ? nothing : result;
};

/** What uses all processors by itself runs alone, the quick first. */
const alone = { check, python, unit: vitest('unit') };

const integration = (project) => ({ part: 'integration', run: something(vitest(project)) });

/**
 * What mostly waits runs two at a time: a lane each, then what is left for whichever is free. Containers and the window
 * are in one lane: both look at all that the Docker Engine holds.
 */
const lanes = [[integration('docker'), { part: 'e2e', run: e2e }], [integration('triton')]];
const afterLanes = ['presets', 'own', 'faults', 'slurm'].map(integration);

/** The parts, in the order they end. */
export const partNames = [...Object.keys(alone), 'integration', 'e2e'];

/**
 * Runs the parts `names`; `onStart` hears what begins. Nothing begins once `context.testRun` is interrupted.
 * @returns for each part `{name, passed, failed, skipped, seconds}`
 */
export async function runParts(names, context, onStart) {
  const results = new Map();
  const add = (name, startMs, result) => {
    const before = results.get(name) ?? { ...none, startMs };
    results.set(name, { ...added(before, result), startMs: before.startMs, endMs: performance.now() });
  };
  const run = async (name, job) => {
    if (context.testRun.interrupted()) return;
    const startMs = performance.now();
    add(name, startMs, await job(context));
  };
  for (const name of Object.keys(alone).filter((each) => names.includes(each))) {
    if (!context.testRun.interrupted()) onStart(name);
    await run(name, alone[name]);
  }
  const wanted = (jobs) => jobs.filter(({ part }) => names.includes(part));
  const left = wanted(afterLanes);
  const beside = [...new Set([...lanes.flatMap(wanted), ...left].map(({ part }) => part))];
  if (beside.length > 0 && !context.testRun.interrupted()) onStart(beside.join(' and '));
  await Promise.all(
    lanes.map(async (lane) => {
      for (const job of wanted(lane)) await run(job.part, job.run);
      for (let job = left.shift(); job !== undefined; job = left.shift()) await run(job.part, job.run);
    }),
  );
  return [...results].map(([name, { startMs, endMs, ...counts }]) => ({
    name,
    ...counts,
    seconds: (endMs - startMs) / 1000,
  }));
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** A command of its own for tests that take too long for `npm test`. @param project of vitest */
export async function runCampaign(project, help) {
  await main(async (args) => {
    if (args.includes('--help') || args.includes('-h')) {
      say(help);
      return 0;
    }
    const { home } = await bootstrap(needs.test, { packages: ['window', 'test'], purpose: 'Testing' });
    const testRun = createTestRun();
    for (const signal of signals) process.on(signal, () => void testRun.interrupt());
    const result = await vitest(project)({ env: appEnvironment(home), testRun });
    await testRun.ended();
    // What ran nothing proves nothing.
    return result.failed === 0 && result.passed > 0 ? 0 : 1;
  });
}
