import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCheck } from './check-tools.mjs';
import { repoRoot } from './layout.mjs';
import { startXvfb } from './xvfb.mjs';

const bin = (name) => join(repoRoot, 'node_modules', '.bin', name);

/** Runs a test runner on this terminal; `onText` sees what it prints. Resolves with its exit code. */
function runner(program, args, env, onText) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: repoRoot,
      env,
      stdio: onText ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
    });
    for (const stream of onText ? ['stdout', 'stderr'] : []) {
      child[stream].on('data', (chunk) => {
        process[stream].write(chunk);
        onText(chunk.toString());
      });
    }
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

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

/** A runner that failed without a failed test (a file that does not load, a crash) counts as one failure. */
function counted(code, { passed, failed, skipped }) {
  return { passed, failed: failed === 0 && code !== 0 ? 1 : failed, skipped };
}

const nothing = { passed: 0, failed: 1, skipped: 0 };

async function check({ layout }) {
  const failed = await runCheck(layout.python);
  return { passed: failed === 0 ? 1 : 0, failed: failed === 0 ? 0 : 1, skipped: 0 };
}

async function python({ layout, env }) {
  let text = '';
  const args = ['-m', 'unittest', 'discover', '-s', join('test', 'python'), '-v'];
  const own = { ...env, PYTHONPATH: join(repoRoot, 'resources'), PYTHONDONTWRITEBYTECODE: '1' };
  const code = await runner(layout.python, args, own, (chunk) => {
    text += chunk;
  });
  const ran = Number(/^Ran (\d+) tests?/m.exec(text)?.[1] ?? 0);
  const last = /^(?:OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$/m.exec(text)?.[1] ?? '';
  const number = (name) => Number(new RegExp(`(?:^|, )${name}=(\\d+)`).exec(last)?.[1] ?? 0);
  const failed = number('failures') + number('errors') + number('unexpected successes');
  const skipped = number('skipped');
  return counted(code, { passed: Math.max(0, ran - failed - skipped), failed, skipped });
}

function vitest(project) {
  return async ({ env }) => {
    const { code, report } = await withReport((file) =>
      runner(
        bin('vitest'),
        ['run', '--project', project, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
        env,
      ),
    );
    if (report === null) return nothing;
    return counted(code, {
      passed: report.numPassedTests,
      failed: report.numFailedTests,
      skipped: report.numPendingTests + report.numTodoTests,
    });
  };
}

async function e2e({ env }) {
  const display = await startXvfb();
  try {
    const { code, report } = await withReport((file) =>
      runner(bin('playwright'), ['test', '--reporter=list,json'], {
        ...env,
        DISPLAY: display.display,
        PLAYWRIGHT_JSON_OUTPUT_FILE: file,
      }),
    );
    if (report === null) return nothing;
    const { expected, unexpected, flaky, skipped } = report.stats;
    return counted(code, { passed: expected, failed: unexpected + flaky, skipped });
  } finally {
    display.stop();
  }
}

/** In the order they run: the quick ones first. Each resolves with `{passed, failed, skipped}`. */
export const parts = {
  check,
  python,
  unit: vitest('unit'),
  integration: vitest('integration'),
  e2e,
};
