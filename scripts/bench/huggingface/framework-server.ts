import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { z } from 'zod';

export interface FrameworkServer {
  readonly port: number;
  /** "transformers 5.0.0, torch 2.9.0". */
  readonly versions: string;
  stop(): Promise<void>;
}

interface Served {
  /** Of the environment of the component Transformers. */
  readonly python: string;
  readonly script: string;
  readonly folder: string;
  readonly threads: number;
  /** Longer texts are cut, as in the pipeline on Triton. */
  readonly mostTokens: number;
}

const startMs = 120_000;
const saidSchema = z.object({ port: z.int().positive(), versions: z.string() });

/** Starts the framework's pipeline behind its plain server; resolves once it answers. Throws with its last lines. */
export async function startFramework(
  { python, script, folder, threads, mostTokens }: Served,
  signal: AbortSignal,
): Promise<FrameworkServer> {
  const child = spawn(python, [script, folder, String(threads), String(mostTokens)], {
    env: { ...process.env, HF_HUB_OFFLINE: '1', PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => (errors = `${errors}${part}`.slice(-3000)));
  const ended = new Promise<string>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('exit', (code, name) => resolve(`it ended with ${code ?? name ?? 'nothing'}`));
  });
  const stop = async () => {
    // It ends with its input.
    child.stdin.destroy();
    child.kill();
    await ended;
  };
  const waiting = AbortSignal.any([signal, AbortSignal.timeout(startMs)]);
  const first = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).once('line', resolve);
  });
  const aborted = new Promise<never>((_, reject) => {
    const abort = () => {
      reject(waiting.reason as Error);
    };
    waiting.addEventListener('abort', abort, { once: true });
  });
  try {
    const line = await Promise.race([
      first,
      aborted,
      ended.then((reason) => {
        throw new Error(`The server of transformers did not start: ${reason}\n${errors}`);
      }),
    ]);
    return { ...saidSchema.parse(JSON.parse(line)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
