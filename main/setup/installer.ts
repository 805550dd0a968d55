import { appendFile } from 'node:fs/promises';
import { type ErrorCode, WorkbenchError } from '../contract/errors';
import { formatBytes } from '../contract/numbers';
import { exec } from '../platform/exec';
import { noTelemetry } from '../platform/process';
import type { InstallListener } from '../toolkit/toolkit';
import { environmentSecrets, withoutCredentials } from './index-secrets';

const unit: Readonly<Record<string, number>> = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };
/** Share of downloads in the progress; the rest is unpacking and verification. */
const downloadShare = 0.85;
const unpackedShare = 0.95;

interface Progress {
  readonly fraction: number | null;
  readonly text: string;
}

const count = (packages: number): string => `${packages} ${packages === 1 ? 'package' : 'packages'}`;

/** Progress from uv's output: packages, and bytes of large ones. */
export function createUvProgress(): (line: string) => Progress | null {
  const large = new Map<string, number>();
  const come = new Set<string>();
  let packages = 0;
  const downloading = (): Progress => {
    const bytes = (names: Iterable<string>) =>
      [...names].reduce((sum, name) => sum + (large.get(name) ?? 0), 0);
    const [got, all] = [bytes(come), bytes(large.keys())];
    const of = packages === 0 ? '' : ` ${count(packages)}`;
    const some = come.size === 0 ? '' : `: ${formatBytes(got)} of ${formatBytes(all)}`;
    return {
      fraction: all === 0 ? null : (got / all) * downloadShare,
      text: `Downloading${of}${some}`,
    };
  };
  return (line) => {
    const resolved = /^Resolved (\d+) packages?/.exec(line);
    if (resolved !== null) {
      packages = Number(resolved[1]);
      return { fraction: null, text: `Downloading ${count(packages)}` };
    }
    const begun = /^\s*Downloading (\S+) \(([\d.]+)([KMG]iB)\)/.exec(line);
    if (begun !== null) {
      large.set(begun[1] ?? '', Number(begun[2]) * (unit[begun[3] ?? ''] ?? 0));
      return downloading();
    }
    const ended = /^\s*Downloaded (\S+)/.exec(line);
    if (ended !== null) {
      come.add(ended[1] ?? '');
      return downloading();
    }
    const prepared = /^Prepared (\d+) packages?/.exec(line);
    if (prepared !== null)
      return { fraction: downloadShare, text: `Unpacking ${count(Number(prepared[1]))}` };
    if (/^Installed \d+ packages?/.test(line))
      return { fraction: unpackedShare, text: 'Checking that it loads' };
    return null;
  };
}

const reasons: readonly (readonly [RegExp, ErrorCode, string, string])[] = [
  [/No space left on device|ENOSPC/i, 'disk-full', 'the disk is full', 'Free some space and try again.'],
  [
    /certificate|CERT_|SSLError|invalid peer|UnknownIssuer/i,
    'toolchain-missing',
    'the certificate of the package index is not trusted',
    'Set your CA bundle in SSL_CERT_FILE or in the "cert" setting of pip, and try again.',
  ],
  [
    /dns error|Connect\)|tcp connect|timed out|timeout|Network is unreachable|NewConnectionError|NameResolution|ConnectTimeout|ReadTimeout|ProxyError|Connection (?:refused|reset|aborted)|error sending request/i,
    'toolchain-missing',
    'the package index cannot be reached',
    'Connect this machine, or set its proxy (HTTPS_PROXY) or its index (pip.conf), and try again.',
  ],
  [
    /401 Unauthorized|403 Forbidden/i,
    'toolchain-missing',
    'the package index refuses access',
    'Check the credentials of the index in pip.conf or ~/.netrc, and try again.',
  ],
  [
    /hash mismatch|do not match the hashes/i,
    'toolchain-missing',
    'a downloaded file does not match its checksum',
    'Check the package index in use, and try again.',
  ],
  [
    /No solution found|No matching distribution|no wheels? (?:with|are)|has no wheels/i,
    'toolchain-missing',
    'the package index has no build for this system and Python version',
    'Check the package index and the Python version, or use the engine "docker".',
  ],
  [
    /Permission denied|EACCES|Read-only file system|EROFS/i,
    'file-unwritable',
    'a file cannot be written',
    'Check the permissions of the workbench home and try again.',
  ],
];

/** Known cause in installer output, or null. */
export function failureReason(details: string): string | null {
  return reasons.find(([pattern]) => pattern.test(details))?.[2] ?? null;
}

/** One sentence and the last lines. */
export function installFailure(what: string, lines: readonly string[]): WorkbenchError {
  const details = withoutCredentials(lines.join('\n'));
  const [, code, reason, remedy] = reasons.find(([pattern]) => pattern.test(details)) ?? [
    null,
    'toolchain-missing' as const,
    'its installer failed',
    'Fix the cause that the details name, and try again.',
  ];
  return new WorkbenchError(code, `${what} cannot be installed: ${reason}`, {
    remedy: `${remedy} Downloaded packages are kept.`,
    details,
  });
}

/** uv and pip exit at the first signal; partial results are replaced next time. */
const graceMs = 5000;
const keptLines = 60;

export type SetupListener = InstallListener;

interface InstallerInput {
  readonly argv: readonly [string, ...string[]];
  readonly env: NodeJS.ProcessEnv;
  /** Never the user's working directory, whose modules could be imported. */
  readonly cwd: string;
  /** Installed product, as a sentence's subject. */
  readonly what: string;
  /** Receives all output. */
  readonly log: string | null;
  /** Further secrets to redact, beside those of `env`. */
  readonly secrets?: readonly string[];
  readonly onLine?: (line: string) => void;
}

export function throwIfCancelled({ signal }: SetupListener, what: string): void {
  if (!signal.aborted) return;
  throw new WorkbenchError('cancelled', `The installation of ${what} was cancelled`, {
    remedy: 'Start it again to continue. Downloaded packages are kept.',
  });
}

/** Exit and last lines. Throws cancelled. */
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
    argv,
    env: { ...env, ...noTelemetry },
    cwd,
    signal: listener.signal,
    killGraceMs: graceMs,
    onStdoutLine: take,
    onStderrLine: take,
  }).catch((cause: unknown) => {
    throw installFailure(what, [`${argv[0]}: ${cause instanceof Error ? cause.message : String(cause)}`]);
  });
  // A failed log write is ignored.
  if (log !== null) await appendFile(log, `${logged.join('\n')}\n`).catch(() => undefined);
  if (ended.aborted) throwIfCancelled(listener, what);
  return { exitCode: ended.exitCode, lines };
}

/** Throws cancelled, disk-full, toolchain-missing, file-unwritable. */
export async function runInstaller(
  input: InstallerInput,
  listener: SetupListener,
): Promise<readonly string[]> {
  const { exitCode, lines } = await tryInstaller(input, listener);
  if (exitCode !== 0) throw installFailure(input.what, lines);
  return lines;
}
