import { WorkbenchError } from '../contract/errors';
import { startChild } from './children';

export interface Display {
  /** Value for DISPLAY. */
  readonly name: string;
  readonly close: () => void;
}

/**
 * The display of the session, or a virtual one (Xvfb) where there is none; Xvfb itself picks a free number.
 * Throws toolchain-missing when Xvfb is not installed.
 */
export async function openDisplay(env: NodeJS.ProcessEnv): Promise<Display> {
  const present = env['DISPLAY'];
  if (present !== undefined && present !== '') return { name: present, close: () => undefined };
  const server = startChild('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x800x24', '-nolisten', 'tcp'], {
    env,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const number = await new Promise<string>((resolve, reject) => {
    server.once('error', (cause) => {
      reject(
        new WorkbenchError('toolchain-missing', 'There is no display, and Xvfb is not installed', {
          remedy: 'Install it: apt-get install xvfb',
          cause,
        }),
      );
    });
    server.once('exit', (code) => {
      reject(new WorkbenchError('toolchain-missing', `Xvfb ended with exit code ${code ?? '?'}`));
    });
    let text = '';
    server.stdio[3]?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.endsWith('\n')) resolve(text.trim());
    });
  });
  return {
    name: `:${number}`,
    close: () => {
      server.kill('SIGTERM');
    },
  };
}
