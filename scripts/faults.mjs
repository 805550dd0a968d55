import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appEnvironment, bootstrap, needs } from './lib/bootstrap.mjs';
import { command } from './lib/command.mjs';
import { repoRoot } from './lib/layout.mjs';
import { main } from './lib/main.mjs';
import { writeReliability } from './lib/reliability.mjs';
import { say, SetupError } from './lib/say.mjs';
import { ensureEngineForTests } from './lib/steps/docker.mjs';
import { vitest, windows } from './lib/test-parts.mjs';
import { createTestRun } from './lib/test-run.mjs';

const help = `npm run test:faults -- [PART...] [--seed N] [--out FILE]
Injects faults, all that are asked for where npm test takes a few, and writes the sections of the parts that ran into
docs/reliability.md (--out elsewhere). All parts, one after the other, when none is named. The seed, 20260101 unless it is
given, decides where the faults hit. Exit code 1: something was lost, doubled, left or not told. Parts: `;

const ending = '.test.ts';
/** Part -> what runs it: a file of a project of vitest, or a project of playwright. */
const parts = new Map([
  ...readdirSync(join(repoRoot, 'test', 'faults'))
    .filter((name) => name.endsWith(ending))
    .map((name) => [name.slice(0, -ending.length), vitest('faults', [`test/faults/${name}`])]),
  ['disk', vitest('faults-campaign', ['test/faults/disk.test.ts'])],
  // In `npm test` it is beside the other tests that share the engine.
  ['docker', vitest('docker', ['test/integration/docker-faults.docker.test.ts'])],
  [
    'containers',
    vitest('faults-campaign', [
      'test/campaigns/faults-containers.test.ts',
      'test/integration/pipeline.docker.test.ts',
    ]),
  ],
  ['runs', vitest('faults-campaign', ['test/integration/failures.triton.test.ts'])],
  ['space', vitest('faults-campaign', ['test/integration/full-disk.triton.test.ts'])],
  ['matrix', vitest('faults-campaign', ['test/campaigns/faults-matrix.test.ts'])],
  ['window', windows('faults')],
]);
const partNames = [...parts.keys()].sort();

function read(args) {
  const read = { names: [], seed: 20260101, out: join(repoRoot, 'docs', 'reliability.md') };
  for (let at = 0; at < args.length; at += 1) {
    if (args[at] === '--seed') read.seed = Number(args[(at += 1)]);
    else if (args[at] === '--out') read.out = args[(at += 1)];
    else if (partNames.includes(args[at])) read.names.push(args[at]);
    else throw new SetupError(`Unknown part "${args[at]}": choose from ${partNames.join(', ')}.`);
  }
  if (!Number.isSafeInteger(read.seed) || read.out === undefined)
    throw new SetupError('--seed takes a whole number and --out a file.');
  return { ...read, names: read.names.length === 0 ? partNames : read.names };
}

/** What a part wrote down, a row in each line. */
const rowsOf = (file) =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))
    : [];

/** The commit that is tried out, and whether something differs from it. */
async function commitName() {
  const git = async (...args) => (await command('git', args, { cwd: repoRoot, collect: true })).output.trim();
  const changed = (await git('status', '--porcelain', '--untracked-files=no')) !== '';
  return `${await git('rev-parse', '--short', 'HEAD')}${changed ? ' with changes' : ''}`;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

await main(async (args) => {
  if (args.includes('--help') || args.includes('-h')) {
    say(`${help}${partNames.join(', ')}.`);
    return 0;
  }
  const { names, seed, out } = read(args);
  const context = await bootstrap(needs.test, { packages: ['window', 'test'], purpose: 'Testing' });
  if (names.includes('docker') || names.includes('containers')) await ensureEngineForTests(context);
  const testRun = createTestRun();
  for (const signal of signals) process.on(signal, () => void testRun.interrupt());
  const folder = mkdtempSync(join(tmpdir(), 'workbench-faults-'));
  const commit = await commitName();
  const sum = { passed: 0, failed: 0, skipped: 0 };
  try {
    for (const part of names) {
      if (testRun.interrupted()) break;
      say(`\n── ${part}`);
      const rows = join(folder, `${part}.jsonl`);
      const env = {
        ...appEnvironment(context.home),
        WORKBENCH_FAULTS_ROWS: rows,
        WORKBENCH_FAULTS_SEED: `${seed}`,
      };
      const result = await parts.get(part)({ env, testRun });
      if (testRun.interrupted()) break;
      // A part that ran nothing proves nothing.
      if (result.passed + result.failed === 0) result.failed = 1;
      for (const key of Object.keys(sum)) sum[key] += result[key];
      const { passed, failed } = result;
      const verdict =
        failed === 0 ? `all tests passed (${passed})` : `${failed} of ${failed + passed} tests failed`;
      const date = new Date().toISOString().slice(0, 10);
      writeReliability(out, [{ part, rows: rowsOf(rows), facts: { seed, date, commit, verdict } }]);
    }
  } finally {
    await testRun.ended();
    rmSync(folder, { recursive: true, force: true });
  }
  const interrupted = testRun.interrupted();
  const counts = `${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`;
  process.stdout.write(`${counts}${interrupted ? ' (interrupted: not all parts ran)' : ''}\n`);
  if (interrupted) process.exit(130);
  return sum.failed === 0 ? 0 : 1;
});
