import { z } from 'zod';
import { WorkbenchError } from '../contract/errors';
import { exec } from '../platform/exec';

/** In order of preference. nvidia-pytriton needs numpy 1, which supports Python up to 3.12. */
export const supportedPythons = ['3.11', '3.12', '3.10', '3.9'] as const;
/** Downloaded by uv if none is installed. */
export const downloadedPython = '3.12';

const factsSchema = z.object({
  version: z.string(),
  executable: z.string(),
  sitePackages: z.string(),
  /** Folder of libpython, which Triton's Python stub loads; null without one. */
  libraryFolder: z.string().nullable(),
  hasPip: z.boolean(),
});
export type PythonFacts = z.infer<typeof factsSchema>;

const question = `
import importlib.util, json, os, sys, sysconfig
name = sysconfig.get_config_var("INSTSONAME") or ""
if ".so" not in name:
    name = "libpython%d.%d.so.1.0" % sys.version_info[:2]
base = os.path.join(sys.base_prefix, "lib")
multi = "/usr/lib/" + (sysconfig.get_config_var("MULTIARCH") or "-")
places = [sysconfig.get_config_var("LIBDIR") or "", base, multi, "/usr/lib64", "/usr/lib"]
found = [place for place in places if place and os.path.exists(os.path.join(place, name))]
print(json.dumps({
    "version": "%d.%d" % sys.version_info[:2],
    "executable": sys.executable,
    "sitePackages": sysconfig.get_path("purelib"),
    "libraryFolder": found[0] if found else None,
    "hasPip": importlib.util.find_spec("pip") is not None,
}))
`;

/** null if it does not exist or run. */
export async function pythonFacts(program: string, env: NodeJS.ProcessEnv): Promise<PythonFacts | null> {
  const lines: string[] = [];
  const onStdoutLine = (line: string) => void lines.push(line);
  try {
    // The root folder, because the program name must not resolve in the user's.
    const ended = await exec({ argv: [program, '-I', '-c', question], env, cwd: '/', onStdoutLine });
    if (ended.exitCode !== 0) return null;
    return factsSchema.parse(JSON.parse(lines.at(-1) ?? ''));
  } catch {
    return null;
  }
}

/** Interpreters in order of preference; only the user's, if one is set. */
export async function hostPythons(env: NodeJS.ProcessEnv): Promise<readonly PythonFacts[]> {
  const named = env['TRITON_WORKBENCH_PYTHON'] ?? '';
  const names =
    named === '' ? [...supportedPythons.map((version) => `python${version}`), 'python3'] : [named];
  const facts = await Promise.all(names.map((name) => pythonFacts(name, env)));
  return facts.filter((one) => one !== null);
}

const isSupported = ({ version }: PythonFacts): boolean =>
  (supportedPythons as readonly string[]).includes(version);

/** null if none is suitable. */
export function chooseInterpreter(seen: readonly PythonFacts[]): PythonFacts | null {
  return seen.find((facts) => isSupported(facts) && facts.libraryFolder !== null) ?? null;
}

/** Debian package that provides a missing libpython, or null. */
export function libraryPackage(seen: readonly PythonFacts[]): string | null {
  if (chooseInterpreter(seen) !== null) return null;
  const system = seen.find((facts) => isSupported(facts) && facts.executable.startsWith('/usr/bin/'));
  return system === undefined ? null : `libpython${system.version}`;
}

const listed = (names: readonly string[]): string =>
  `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`;

/** @param why uv could not download one; null: the user set one, so none was downloaded */
export function noInterpreter(
  seen: readonly PythonFacts[],
  why: { readonly reason: string; readonly details: string } | null,
): WorkbenchError {
  const versions = [...new Set(seen.map(({ version }) => version))].join(', ');
  const needed = `Python ${listed([...supportedPythons].sort((a, b) => Number(a.slice(2)) - Number(b.slice(2))))} with its shared library is needed`;
  const found = versions === '' ? 'no Python was found' : `found: Python ${versions}`;
  const download =
    why === null ? '' : `, and Python ${downloadedPython} could not be downloaded: ${why.reason}`;
  const missing = libraryPackage(seen);
  const install =
    missing === null
      ? 'Install one, or name it in TRITON_WORKBENCH_PYTHON'
      : `Install the package ${missing} (Debian, Ubuntu)`;
  return new WorkbenchError('toolchain-missing', `${needed} (${found})${download}`, {
    remedy: `${install}, then set up again. Or use the engine "docker": its images include their own Python.`,
    details: why?.details,
  });
}
