import { chmod, copyFile, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import { compareVersions } from '../machine/releases';
import { exists, makeFolder } from '../platform/files';
import type { Component } from './component';
import { runInstaller, tryInstaller } from './installer';
import { cleanEnvironment } from './package-index';
import { linkMode, pythonBaseStamp, pythonStamp } from './python';
import { hashParts, homeOf, readText } from './stamps';
import { environmentFacts } from './triton';

const folderOf: Component['folder'] = ({ perfAnalyzer }) => dirname(dirname(perfAnalyzer));

/** Newest first. */
interface AnalyzerRelease {
  readonly version: string;
  /** Minimum glibc. */
  readonly glibc: string;
  readonly machines: readonly string[];
  /** File in `resources/requirements`. */
  readonly requirements: string;
  /** Path of the binary in the package. */
  readonly binary: string;
  /** Uses libb64 and the CUDA runtime of nvidia-pytriton. */
  readonly borrowsLibraries: boolean;
}

export const analyzerReleases = [
  {
    version: '2.60.0',
    glibc: '2.38',
    machines: ['x64'],
    requirements: 'perf-analyzer-2.60.txt',
    binary: 'perf_analyzer/bin/perf_analyzer',
    borrowsLibraries: false,
  },
  {
    version: '2.50.0',
    glibc: '2.17',
    machines: ['x64', 'arm64'],
    requirements: 'perf-analyzer.txt',
    binary: 'bin/perf_analyzer',
    borrowsLibraries: true,
  },
] as const satisfies readonly AnalyzerRelease[];

/** Newest release that runs here; the oldest if unknown. @param glibc "2.36"; null for other C libraries */
export function analyzerRelease(glibc: string | null, machine: string): AnalyzerRelease {
  const releases: readonly AnalyzerRelease[] = analyzerReleases;
  const fits = releases.find(
    ({ glibc: needed, machines }) =>
      glibc !== null && compareVersions(glibc, needed) >= 0 && machines.includes(machine),
  );
  return fits ?? (releases.at(-1) as AnalyzerRelease);
}

/** From Node's report; null for other C libraries. */
export function glibcOf(report: unknown): string | null {
  const { header } = Object(report) as { header?: { glibcVersionRuntime?: unknown } };
  const version = header?.glibcVersionRuntime;
  return typeof version === 'string' && /^\d+\.\d+/.test(version) ? version : null;
}

/** Version of the glibc that this process runs on. */
export function hostGlibc(): string | null {
  // The report otherwise resolves host names, which takes seconds without a network.
  const { report } = process as { report?: { excludeNetwork?: boolean; getReport: () => unknown } };
  if (report === undefined) return null;
  report.excludeNetwork = true;
  return glibcOf(report.getReport());
}

const releaseHere = () => analyzerRelease(hostGlibc(), process.arch);

const borrowed = [
  ['libb64.so.0d', /^libb64-.*\.so\.0d$/],
  ['libcudart.so.12', /^libcudart-.*\.so\.12/],
] as const;

/** Links libraries of nvidia-pytriton under the names that the binary needs. */
async function borrowLibraries(sitePackages: string, into: string): Promise<void> {
  const libraries = join(sitePackages, 'nvidia_pytriton.libs');
  const names = await readdir(libraries);
  for (const [link, pattern] of borrowed) {
    const name = names.find((candidate) => pattern.test(candidate));
    if (name !== undefined) await symlink(join(libraries, name), join(into, link));
  }
}

const installedVersion: Component['version'] = async (folder) =>
  (await readText(join(folder, 'version')))?.trim() ?? null;

/** Newest release whose binary runs here. */
export const perfAnalyzerComponent: Component = {
  id: 'perf-analyzer',
  folder: folderOf,
  files: ({ perfAnalyzer }) => [perfAnalyzer],
  stamp: async (context) => {
    const { layout, resources } = context;
    if (!(await exists(layout.python))) return null;
    const release = releaseHere();
    const pinned = await readFile(join(resources, 'requirements', release.requirements), 'utf8');
    // Borrowed libraries are in a folder per Python version.
    const base = await (release.borrowsLibraries ? pythonBaseStamp : pythonStamp)(context);
    return hashParts('perf_analyzer 2', await homeOf(folderOf(layout)), base, pinned);
  },
  version: installedVersion,
  differences: async ({ layout }) => {
    const [has, { version }] = [await installedVersion(folderOf(layout)), releaseHere()];
    return has === null || has === version ? [] : [`perf_analyzer ${has} (this version uses ${version})`];
  },
  make: async (fresh, context, listener) => {
    const release = releaseHere();
    const what = `perf_analyzer ${release.version}`;
    const { program, env, cwd } = await context.uv();
    const base = { cwd, what, log: context.log };
    const unpacked = join(fresh, 'package');
    const requirements = join(context.resources, 'requirements', release.requirements);
    const args = ['--no-deps', '--only-binary', ':all:', '--require-hashes', '--target', unpacked];
    const install = [
      'pip',
      'install',
      linkMode,
      ...args,
      '--python',
      context.layout.python,
      '-r',
      requirements,
    ];
    listener.onProgress(null, `Downloading ${what}`);
    // Constraints lack hashes, which pip requires here.
    const plain = { ...env, UV_CONSTRAINT: '' };
    await runInstaller({ ...base, argv: [program, ...install], env: plain }, listener);
    const [bin, lib] = [join(fresh, 'bin'), join(fresh, 'lib')];
    await makeFolder(bin);
    await makeFolder(lib);
    const binary = join(bin, 'perf_analyzer');
    await copyFile(join(unpacked, release.binary), binary);
    await chmod(binary, 0o755);
    await rm(unpacked, { recursive: true });
    if (release.borrowsLibraries) {
      const { sitePackages } = await environmentFacts(context);
      await borrowLibraries(sitePackages, lib);
    }
    // Published binaries print no version.
    await writeFile(join(fresh, 'version'), `${release.version}\n`);
    const own = { ...cleanEnvironment(context.env), LD_LIBRARY_PATH: lib };
    const { lines } = await tryInstaller({ ...base, argv: [binary, '--version'], env: own }, listener);
    if (!lines.some((line) => /Perf Analyzer/i.test(line))) {
      throw new WorkbenchError('toolchain-missing', `${what} does not run on this machine`, {
        remedy: 'Install the packages that the details name, or use the built-in load generator.',
        details: lines.join('\n'),
      });
    }
  },
};
