import { spawn } from 'node:child_process';
import { SetupError } from './say.mjs';

/**
 * Starts a virtual display that picks a free number itself.
 * @returns {Promise<{display: string, stop: () => void}>}
 */
export function startXvfb() {
  return new Promise((resolve, reject) => {
    const args = ['-displayfd', '3', '-screen', '0', '1920x1080x24', '-nolisten', 'tcp'];
    const child = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'], detached: true });
    const failed = () => {
      reject(
        new SetupError('The virtual display Xvfb does not start: install the package xvfb and try again.'),
      );
    };
    child.once('error', failed);
    child.once('exit', failed);
    let text = '';
    child.stdio[3].on('data', (chunk) => {
      text += chunk;
      if (!text.endsWith('\n')) return;
      child.unref();
      child.stdio[3].destroy();
      const stop = () => child.kill();
      process.once('exit', stop);
      resolve({ display: `:${text.trim()}`, stop });
    });
  });
}
