import { z } from 'zod';
import { WorkbenchError } from '../contract/errors';
import { exec } from '../platform/exec';

/** Best proven first. nvidia-pytriton needs numpy 1, which ends with Python 3.12. */
export const supportedPythons = ['3.11', '3.12', '3.10', '3.9'] as const;
/** What uv downloads where this machine has none of them. */
export const downloadedPython = '3.12';

const factsSchema = z.object({
  version: z.string(),
  executable: z.string(),
  sitePackages: z.string(),
  /** Folder with its shared library, which the stub of Triton's Python backend loads; null where it has none. */
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

/** What an interpreter says of itself; null where there is none or it does not run. */
export async function pythonFacts(program: string, env: NodeJS.ProcessEnv): Promise<PythonFacts | null> {
  const lines: string[] = [];
  const onStdoutLine = (line: string) => void lines.push(line);
  try {
    // The root folder: a program name may not be looked up in the person's folder.
    const ended = await exec({ argv: [program, '-I', '-c', question], env, cwd: '/', onStdoutLine });
    if (ended.exitCode !== 0) return null;
    return factsSchema.parse(JSON.parse(lines.at(-1) ?? ''));
  } catch {
    return null;
  }
}

/** The interpreters of this machine in the order of preference; the only one that the person names, where one is named. */
export async function hostPythons(env: NodeJS.ProcessEnv): Promise<readonly PythonFacts[]> {
  const named = env['TRITON_WORKBENCH_PYTHON'] ?? '';
  const names =
    named === '' ? [...supportedPythons.map((version) => `python${version}`), 'python3'] : [named];
  const facts = await Promise.all(names.map((name) => pythonFacts(name, env)));
  return facts.filter((one) => one !== null);
}

const isSupported = ({ version }: PythonFacts): boolean =>
  (supportedPythons as readonly string[]).includes(version);

/** The interpreter to make environments with; null where none of them will do. Pure. */
export function chooseInterpreter(seen: readonly PythonFacts[]): PythonFacts | null {
  return seen.find((facts) => isSupported(facts) && facts.libraryFolder !== null) ?? null;
}

/** The Debian package that makes an interpreter of the system usable; null where there is none. Pure. */
export function libraryPackage(seen: readonly PythonFacts[]): string | null {
  if (chooseInterpreter(seen) !== null) return null;
  const system = seen.find((facts) => isSupported(facts) && facts.executable.startsWith('/usr/bin/'));
  return system === undefined ? null : `libpython${system.version}`;
}

const listed = (names: readonly string[]): string =>
  `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`;

/**
 * Says that no interpreter will do. Pure.
 * @param why uv could not download one; null: the person named one, so that none was downloaded
 */
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
