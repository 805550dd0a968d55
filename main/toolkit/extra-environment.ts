import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ErrorCode, WorkbenchError } from '../contract/errors';
import { exec } from '../platform/exec';
import { exists, writeFileAtomic } from '../platform/files';
import type { HomeLayout } from '../platform/layout';
import { makeFolder } from '../platform/make-folder';
import { takeFileLease } from '../store/file-lease';
import type { EnsurePython, InstallListener } from './launch';

/** A line of pip that is worth showing: a large download, or the unpacking. Pure. */
export function shownPipLine(line: string): string | null {
  const size = /^\s*(?:Downloading|Using cached) (\S+?)-(\d\S*?)-\S+ \((\d+(?:\.\d+)?) ([MG])B\)/.exec(line);
  if (size !== null) {
    const [, name = '', version = '', amount = '', unit = ''] = size;
    return unit === 'G' || Number(amount) >= 5 ? `${name} ${version} (${amount} ${unit}B)` : null;
  }
  const all = /^Installing collected packages: (.*)/.exec(line);
  return all === null ? null : `unpacking ${(all[1] ?? '').split(', ').length} packages`;
}

const reasons: readonly (readonly [RegExp, ErrorCode, string, string])[] = [
  [/No space left on device|ENOSPC/i, 'disk-full', 'the disk is full', 'Free some space and resume the run.'],
  [
    /NewConnectionError|NameResolution|Temporary failure|Network is unreachable|ConnectTimeout|ReadTimeout|ProxyError|Connection (?:refused|reset|aborted)/i,
    'toolchain-missing',
    'the package index cannot be reached',
    'Connect this machine (or set its proxy) and resume the run.',
  ],
  [
    /CERT|SSLError|certificate/i,
    'toolchain-missing',
    'the certificate of the package index is not trusted',
    'Check the CA settings of pip and resume the run.',
  ],
  [
    /No matching distribution/i,
    'toolchain-missing',
    'the package index has no build for this Python version',
    'Check the Python version and the package index of pip.',
  ],
];

/** One sentence out of what pip said, with its last lines. Pure. */
export function installFailure(what: string, lines: readonly string[]): WorkbenchError {
  const details = lines.join('\n');
  const found = reasons.find(([pattern]) => pattern.test(details));
  const [, code, reason, remedy] = found ?? [
    null,
    'toolchain-missing' as const,
    'its installer failed',
    'Read the details, fix what they name, and resume the run.',
  ];
  return new WorkbenchError(code, `${what} cannot be installed: ${reason}`, { remedy, details });
}

interface ExtraEnvironmentOptions {
  readonly layout: Pick<HomeLayout, 'home' | 'python' | 'tensorflow'>;
  /** `resources` of the product. */
  readonly resources: string;
  readonly env: NodeJS.ProcessEnv;
}

const lockPollMs = 500;
const title = 'TensorFlow (about 400 MB download, 1.9 GB unpacked)';
const imports =
  'import tensorflow, tf2onnx, onnx, onnxruntime, pyarrow.parquet, tritonclient.grpc, tritonclient.http';
/** Few retries: without a network the answer is to come in seconds. */
const pipFlags = ['--no-input', '--disable-pip-version-check', '--progress-bar', 'off', '--retries', '2'];
/** Each could make pip or what it installs work for another Python. */
const dropped = ['PYTHONPATH', 'PYTHONHOME', 'VIRTUAL_ENV', 'PYTHONSTARTUP'];

const readText = (path: string) => readFile(path, 'utf8').catch(() => null);

/** Runs one command of the installation to its end; throws cancelled, disk-full, toolchain-missing. */
async function install(
  argv: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv,
  listener: InstallListener,
): Promise<void> {
  const lines: string[] = [];
  const take = (line: string) => {
    lines.push(line);
    listener.onStderrLine(line);
    const shown = shownPipLine(line);
    if (shown !== null) listener.onProgress(null, `Installing TensorFlow: ${shown}`);
  };
  const { signal } = listener;
  // Modules of the folder that the workbench was started in are none of these programs'.
  const cwd = dirname(argv[0]);
  const ended = await exec({ argv, env, cwd, signal, onStdoutLine: take, onStderrLine: take });
  if (ended.aborted) throw new WorkbenchError('cancelled', 'Cancelled while TensorFlow was installed');
  if (ended.exitCode !== 0) throw installFailure('TensorFlow', lines.slice(-60));
}

/** Waits while another run, of this process or another one, installs. Throws cancelled. */
async function takeLock(path: string, listener: InstallListener): Promise<() => Promise<void>> {
  for (let told = false; ; told = true) {
    const { release } = await takeFileLease(path, 'the installation of TensorFlow');
    if (release !== undefined) return release;
    if (!told) listener.onProgress(null, 'Waiting for another run to install TensorFlow');
    await sleep(lockPollMs);
    if (listener.signal.aborted) {
      throw new WorkbenchError('cancelled', 'Cancelled while waiting for TensorFlow');
    }
  }
}

/**
 * The Python with TensorFlow, in an environment of its own beside the one of PyTorch: installed by the first run that
 * needs it, made anew where it was cut short or the pinned versions changed. The stamp is the last thing written.
 * The returned function throws toolchain-missing (no Python, no network), disk-full, cancelled.
 */
export function createTensorflowEnvironment(options: ExtraEnvironmentOptions): EnsurePython {
  const { layout } = options;
  const folder = dirname(dirname(layout.tensorflow));
  const requirements = join(options.resources, 'requirements', 'tensorflow.txt');
  const stampFile = join(folder, '.stamp');
  const env = Object.fromEntries(Object.entries(options.env).filter(([name]) => !dropped.includes(name)));

  /** Triton's Python stub wants the very Python of the other environment. */
  const wantedStamp = async (): Promise<string> => {
    const base = await readText(join(dirname(dirname(layout.python)), 'pyvenv.cfg'));
    if (base === null || !(await exists(layout.python))) {
      throw new WorkbenchError(
        'toolchain-missing',
        'The Python environment of the workbench is not installed',
        { where: layout.python },
      );
    }
    const pinned = await readFile(requirements, 'utf8');
    return createHash('sha256').update(`tensorflow 1\0${base}\0${pinned}`).digest('hex');
  };

  return async (listener) => {
    const wanted = await wantedStamp();
    const ready = async () => (await readText(stampFile)) === wanted && (await exists(layout.tensorflow));
    if (await ready()) return layout.tensorflow;
    await makeFolder(layout.home);
    const release = await takeLock(join(layout.home, 'tensorflow.lease'), listener);
    try {
      if (await ready()) return layout.tensorflow;
      listener.onProgress(null, `Installing ${title}`);
      await rm(folder, { recursive: true, force: true });
      await install([layout.python, '-m', 'venv', folder], env, listener);
      const pip = ['-m', 'pip', 'install', ...pipFlags, '-r', requirements];
      await install([layout.tensorflow, ...pip], env, listener);
      // What was fetched must also load on this machine.
      await install([layout.tensorflow, '-c', imports], env, listener);
      await writeFileAtomic(stampFile, wanted);
      return layout.tensorflow;
    } finally {
      await release();
    }
  };
}
