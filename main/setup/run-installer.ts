import { appendFile } from 'node:fs/promises';
import { WorkbenchError } from '../contract/errors';
import { exec } from '../platform/exec';
import { noTelemetry } from '../platform/process-environment';
import type { InstallListener } from '../toolkit/toolkit';
import { environmentSecrets, withoutCredentials } from './index-secrets';
import { installFailure } from './install-output';

/** uv and pip end at the first signal; what they began is made anew next time. */
const graceMs = 5000;
const keptLines = 60;

/** What the set-up reports to. */
export type SetupListener = InstallListener;

interface InstallerInput {
  readonly argv: readonly [string, ...string[]];
  readonly env: NodeJS.ProcessEnv;
  /** Never the folder that the workbench was started in: its modules are none of these programs'. */
  readonly cwd: string;
  /** What is installed, as the subject of a sentence. */
  readonly what: string;
  /** Gets everything that is printed. */
  readonly log: string | null;
  /** What may not be shown, beside the secrets of `env`. */
  readonly secrets?: readonly string[];
  readonly onLine?: (line: string) => void;
}

export function throwIfCancelled({ signal }: SetupListener, what: string): void {
  if (!signal.aborted) return;
  throw new WorkbenchError('cancelled', `The installation of ${what} was cancelled`, {
    remedy: 'Start it again when you want it: downloaded packages are kept.',
  });
}

/** How a program of the installation ended, with the last lines of its output. Throws cancelled. */
export async function tryInstaller(
  { argv, env, cwd, what, log, secrets = [], onLine }: InstallerInput,
  listener: SetupListener,
): Promise<{ readonly exitCode: number | null; readonly lines: readonly string[] }> {
  const lines: string[] = [];
  const logged: string[] = [];
  const hidden = [...environmentSecrets(env), ...secrets];
  const take = (text: string) => {
    const line = withoutCredentials(text, hidden);
    logged.push(line);
    lines.push(line);
    if (lines.length > keptLines) lines.shift();
    listener.onStderrLine(line);
    onLine?.(line);
  };
  const ended = await exec({
    ...{ argv, env: { ...env, ...noTelemetry }, cwd, signal: listener.signal, killGraceMs: graceMs },
    onStdoutLine: take,
    onStderrLine: take,
  }).catch((cause: unknown) => {
    throw installFailure(what, [`${argv[0]}: ${cause instanceof Error ? cause.message : String(cause)}`]);
  });
  // A log that cannot be written keeps nothing from being installed.
  if (log !== null) await appendFile(log, `${logged.join('\n')}\n`).catch(() => undefined);
  if (ended.aborted) throwIfCancelled(listener, what);
  return { exitCode: ended.exitCode, lines };
}

/** Runs one program of the installation to its end. Throws cancelled, disk-full, toolchain-missing, file-unwritable. */
export async function runInstaller(
  input: InstallerInput,
  listener: SetupListener,
): Promise<readonly string[]> {
  const { exitCode, lines } = await tryInstaller(input, listener);
  if (exitCode !== 0) throw installFailure(input.what, lines);
  return lines;
}
