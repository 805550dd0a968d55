import { createHash, randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkbenchError } from '../../contract/errors';
import { exec } from '../../platform/exec';
import { exists, makeFolder } from '../../platform/files';
import type { HomeLayout } from '../../platform/layout';
import { fileError } from '../../platform/plain-entry';
import { tensorflowFile } from './known-images';

const compare = (left: string, right: string): number => {
  const numbers = (version: string) => version.split('.').map(Number);
  const [a, b] = [numbers(left), numbers(right)];
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
};

const holds: Readonly<Record<string, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '==': (order) => order === 0,
  '!=': (order) => order !== 0,
  '>=': (order) => order >= 0,
  '>': (order) => order > 0,
};

/**
 * Requirement lines for a Python version, with their hashes on the same line, without comments and markers, because pip
 * evaluates markers for its own Python despite `--python-version`. Supports the form of `resources/requirements`,
 * `python_version OP "X.Y"`; other markers are kept.
 */
export function requirementsFor(pythonVersion: string, text: string): string[] {
  return text
    .replace(/\\\n/g, '')
    .split('\n')
    .flatMap((raw) => {
      const line = raw
        .replace(/(^|\s)#.*$/, '')
        .replace(/\s+/g, ' ')
        .trim();
      if (line === '') return [];
      const [, requirement, operator = '', version = '', hashes = ''] =
        /^([^;]+?) ?; ?python_version ?(<=|>=|==|!=|<|>) ?["']([\d.]+)["']((?: --hash=\S+)*)$/.exec(line) ??
        [];
      if (requirement === undefined) return [line];
      return holds[operator]?.(compare(pythonVersion, version)) === true ? [`${requirement}${hashes}`] : [];
    });
}

/** Python of Debian 12, the CPU images' base. */
const pythonVersion = '3.11';
const glibcMinor = 36;
/** Oldest glibc in manylinux tags. */
const oldestGlibcMinor = 5;

interface WheelhouseOptions {
  readonly layout: HomeLayout;
  readonly resources: string;
  /** Architecture of the engine: "amd64", "arm64". */
  readonly architecture: string;
  readonly env: NodeJS.ProcessEnv;
  readonly tensorflow?: boolean;
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => void;
}

const machines: Readonly<Record<string, string>> = {
  amd64: 'x86_64',
  x86_64: 'x86_64',
  arm64: 'aarch64',
  aarch64: 'aarch64',
};

/** pip flags for wheels of the container's platform. */
export function platformFlags(machine: string): string[] {
  const tags = [`manylinux2014_${machine}`, `linux_${machine}`];
  for (let minor = oldestGlibcMinor; minor <= glibcMinor; minor += 1) {
    tags.push(`manylinux_2_${minor}_${machine}`);
  }
  return [
    '--only-binary=:all:',
    ...['--implementation', 'cp', '--python-version', pythonVersion],
    ...['cp311', 'abi3', 'none'].flatMap((abi) => ['--abi', abi]),
    ...tags.flatMap((tag) => ['--platform', tag]),
  ];
}

/**
 * Downloads wheels of the CPU images into the home's cache with the workbench's Python, which knows this machine's
 * mirrors, proxies and certificates; pip in a build does not. null without Python or if the download fails; the build
 * then downloads. Throws cancelled.
 */
export async function fillWheelhouse(options: WheelhouseOptions): Promise<string | null> {
  const { layout, signal, onLine } = options;
  const machine = machines[options.architecture];
  if (machine === undefined || !(await exists(layout.python))) {
    onLine('No local Python environment to download the packages with: pip downloads them during the build.');
    return null;
  }
  const requirement = (name: string) => join(options.resources, 'requirements', name);
  const linesOf = async (name: string) =>
    requirementsFor(pythonVersion, await readFile(requirement(name), 'utf8'));
  const runtime = await linesOf('locked/runtime.txt');
  const torch = (await linesOf('runtime.txt')).filter((line) => line.startsWith('torch=='));
  const analyzer = await readFile(requirement('perf-analyzer.txt'), 'utf8');
  const tensorflow = options.tensorflow === true ? await linesOf(tensorflowFile) : [];
  const hash = createHash('sha256')
    .update([machine, ...runtime, ...torch, analyzer, ...tensorflow].join('\n'))
    .digest('hex');
  const folder = join(layout.cache, `wheels-${hash.slice(0, 12)}`);
  if (await exists(folder)) return folder;

  const fresh = `${folder}.${randomBytes(4).toString('hex')}.tmp`;
  const download = async (destination: string, args: readonly string[]): Promise<boolean> => {
    const flags = ['--no-input', '--disable-pip-version-check', '--progress-bar', 'off', '--retries', '2'];
    const ended = await exec({
      argv: [
        layout.python,
        ...['-m', 'pip', 'download', ...flags, ...platformFlags(machine)],
        ...['--dest', destination, ...args],
      ],
      env: options.env,
      // pip must not import modules from the working directory.
      cwd: layout.home,
      signal,
      onStdoutLine: (line) => {
        if (/^\s*(Collecting|Downloading|Saved) /.test(line)) onLine(line.trim());
      },
      onStderrLine: onLine,
    });
    if (signal.aborted) throw new WorkbenchError('cancelled', 'The download of the packages was cancelled');
    return ended.exitCode === 0;
  };
  try {
    await makeFolder(join(fresh, 'perf-analyzer'));
    const locked = async (destination: string, lines: readonly string[]): Promise<boolean> => {
      const list = join(fresh, 'requirements.txt');
      await writeFile(list, `${lines.join('\n')}\n`);
      return download(destination, ['--no-deps', '--require-hashes', '-r', list]);
    };
    // The CPU build of torch (2 GB less), if an index has it.
    const cpuTorch = torch.map((line) => `${line}+cpu`);
    const complete =
      (await locked(fresh, runtime)) &&
      ((await download(fresh, ['--no-deps', ...cpuTorch])) || (await download(fresh, torch))) &&
      (await download(join(fresh, 'perf-analyzer'), [
        ...['--no-deps', '--require-hashes', '-r', requirement('perf-analyzer.txt')],
      ])) &&
      (tensorflow.length === 0 || (await locked(join(fresh, 'tensorflow'), tensorflow)));
    if (!complete) {
      onLine('The packages could not be downloaded from this machine: pip downloads them during the build.');
      return null;
    }
    // Another process may have filled the folder: equivalent.
    await rename(fresh, folder).catch(async (error: unknown) => {
      if (!(await exists(folder))) throw error;
    });
    return folder;
  } catch (error) {
    throw fileError(error, fresh);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}
