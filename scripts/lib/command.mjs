import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { heldLocks } from './lock.mjs';
import { say } from './say.mjs';

const tailLines = 40;
const quietMs = 10_000;

/**
 * Runs a program of the set-up and waits for its end. Its output goes to the log file, chosen lines to stderr;
 * when nothing was said for 10 s, a line tells that it is still at work.
 * The open locks are handed down, so that a program that outlives a killed set-up still holds them.
 * @returns {Promise<{code: number, output: string, started: boolean}>} `output`: all of stdout, when `collect`,
 *   else the last lines of both; `started`: false when there is no such program
 */
export function command(program, args, options = {}) {
  const { cwd, env = process.env, log, show, collect = false, name, signal } = options;
  if (log) mkdirSync(dirname(log), { recursive: true });
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      env,
      signal,
      killSignal: 'SIGKILL',
      stdio: ['ignore', 'pipe', 'pipe', ...heldLocks()],
    });
    const startMs = performance.now();
    const tail = [];
    const collected = [];
    let saidMs = startMs;
    let failure = null;
    const take = (line) => {
      tail.push(line);
      if (tail.length > tailLines) tail.shift();
      if (log) appendFileSync(log, `${line}\n`);
      const shown = show?.(line);
      if (shown) {
        say(`  ${shown}`);
        saidMs = performance.now();
      }
    };
    if (collect) child.stdout.on('data', (chunk) => collected.push(chunk));
    else createInterface({ input: child.stdout }).on('line', take);
    createInterface({ input: child.stderr }).on('line', take);
    const ticker = setInterval(() => {
      if (!name || performance.now() - saidMs < quietMs) return;
      saidMs = performance.now();
      say(`  ${name}: still at work, ${Math.round((saidMs - startMs) / 1000)} s`);
    }, 1000);
    child.on('error', (error) => {
      failure = error;
      if (child.pid === undefined) finish(127);
    });
    child.on('close', (code) => finish(code ?? 1));
    function finish(code) {
      clearInterval(ticker);
      const output = collect ? Buffer.concat(collected).toString('utf8') : tail.join('\n');
      resolve({ code, output, errors: tail.join('\n'), started: failure?.code !== 'ENOENT' });
    }
  });
}
