import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endMarked, markerName } from './end-marked.mjs';
import { repoRoot } from './layout.mjs';
import { countOutcomes, failuresText, outcomesName, readOutcomes } from './reporters/outcomes.mjs';

/** For the running test to end and its hooks to run. */
const runnersMs = 10_000;
/** For Tritons and windows that were left. */
const restMs = 3_000;
/** npm passes on the Ctrl-C that the terminal has sent already: both count as one. */
const sameSignalMs = 500;

const delay = (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref());

/** What the test runners of one call of `npm test` share: they are started, counted and ended together. */
export function createTestRun() {
  const marker = randomBytes(8).toString('hex');
  const folder = mkdtempSync(join(tmpdir(), 'workbench-outcomes-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const running = new Map();
  const files = [];
  const state = { interrupted: false, askedMs: -Infinity, ending: null };

  async function end() {
    for (const child of running.keys()) child.kill('SIGINT');
    await Promise.race([Promise.all(running.values()), delay(runnersMs)]);
    await endMarked(marker, restMs);
  }

  return {
    marker,
    interrupted: () => state.interrupted,
    /** Ends everything; a second call that is not the echo of the first kills at once. */
    interrupt() {
      const nowMs = performance.now();
      if (nowMs - state.askedMs < sameSignalMs) return state.ending;
      const again = state.interrupted;
      state.askedMs = nowMs;
      state.interrupted = true;
      state.ending = again ? endMarked(marker, 0) : end();
      return state.ending;
    },
    /** Once all that was asked to end has ended. */
    ended: () => state.ending ?? Promise.resolve(),
    /** A new file for the outcomes of one runner. */
    outcomesFile() {
      const file = join(folder, `${files.length}.jsonl`);
      files.push(file);
      return file;
    },
    /** All failures so far with their reasons; '' without any. */
    failures: () => failuresText(files.flatMap(readOutcomes)),
    countsOf: (file) => countOutcomes(readOutcomes(file)),
    /**
     * Runs a test runner on this terminal (or not, `silent`); `onText` sees what it prints. It has a process group of its
     * own, so that a Ctrl-C reaches it once, by way of here. Resolves with its exit code.
     */
    runner(program, args, env, { onText, silent = false, outcomes } = {}) {
      const child = spawn(program, args, {
        cwd: repoRoot,
        env: { ...env, [markerName]: marker, ...(outcomes ? { [outcomesName]: outcomes } : {}) },
        stdio: onText ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
        detached: true,
      });
      const ended = new Promise((resolve, reject) => {
        for (const stream of onText ? ['stdout', 'stderr'] : []) {
          child[stream].on('data', (chunk) => {
            if (!silent) process[stream].write(chunk);
            onText(chunk.toString());
          });
        }
        child.once('error', reject);
        child.once('close', (code) => resolve(code ?? 1));
      }).finally(() => running.delete(child));
      running.set(
        child,
        ended.catch(() => 1),
      );
      return ended;
    },
  };
}
