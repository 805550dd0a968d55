import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** npm passes on the Ctrl-C that the terminal has sent already: both come within this time and count as one. */
const sameSignalMs = 500;

/**
 * Runs a program on this terminal and resolves with its exit code (128 + n when a signal n ended it).
 * It has a process group of its own, so that a signal reaches it once, by way of here.
 */
export function foreground(program, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit', detached: true, ...options });
    let passedMs = -Infinity;
    const pass = (signal) => {
      const nowMs = performance.now();
      if (nowMs - passedMs < sameSignalMs) return;
      passedMs = nowMs;
      child.kill(signal);
    };
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of signals) process.on(signal, pass);
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      for (const name of signals) process.off(name, pass);
      resolve(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  });
}
