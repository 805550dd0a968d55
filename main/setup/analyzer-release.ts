import { compareVersions } from '../machine/releases';

/** A release of perf_analyzer, newest first. */
interface AnalyzerRelease {
  readonly version: string;
  /** Oldest glibc that its binary runs on. */
  readonly glibc: string;
  readonly machines: readonly string[];
  /** Its file in `resources/requirements`. */
  readonly requirements: string;
  /** Where the binary is in what the package installs. */
  readonly binary: string;
  /** It needs libb64 and the CUDA runtime, which nvidia-pytriton brings. */
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

/**
 * The newest release that runs here; the oldest one where the C library does not say what it is. Pure.
 * @param glibc "2.36"; null where it is another C library
 */
export function analyzerRelease(glibc: string | null, machine: string): AnalyzerRelease {
  const releases: readonly AnalyzerRelease[] = analyzerReleases;
  const fits = releases.find(
    ({ glibc: needed, machines }) =>
      glibc !== null && compareVersions(glibc, needed) >= 0 && machines.includes(machine),
  );
  return fits ?? (releases.at(-1) as AnalyzerRelease);
}

/** Version of glibc in the report of Node; null where it is another C library. Pure. */
export function glibcOf(report: unknown): string | null {
  const { header } = Object(report) as { header?: { glibcVersionRuntime?: unknown } };
  const version = header?.glibcVersionRuntime;
  return typeof version === 'string' && /^\d+\.\d+/.test(version) ? version : null;
}

/** Version of the glibc that this process runs on. */
export function hostGlibc(): string | null {
  // The report looks up the names of all connections otherwise, which takes seconds without a network.
  const { report } = process as { report?: { excludeNetwork?: boolean; getReport: () => unknown } };
  if (report === undefined) return null;
  report.excludeNetwork = true;
  return glibcOf(report.getReport());
}
