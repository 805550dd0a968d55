import { command } from '../command.mjs';

const question = `
import importlib.util, json, os, sys, sysconfig
name = sysconfig.get_config_var("INSTSONAME") or ""
if ".so" not in name:
    name = "libpython%d.%d.so.1.0" % sys.version_info[:2]
places = [sysconfig.get_config_var("LIBDIR") or "", "/usr/lib/" + (sysconfig.get_config_var("MULTIARCH") or "-"), "/usr/lib64", "/usr/lib"]
found = [place for place in places if place and os.path.exists(os.path.join(place, name))]
print(json.dumps({
    "version": "%d.%d" % sys.version_info[:2],
    "executable": sys.executable,
    "sitePackages": sysconfig.get_path("purelib"),
    "library": name,
    "libraryFolder": found[0] if found else None,
    "venv": all(importlib.util.find_spec(module) for module in ("venv", "ensurepip")),
    "machine": os.uname().machine,
}))
`;

/** What an interpreter says of itself; null when there is none or it does not run. */
export async function pythonFacts(program) {
  const answer = await command(program, ['-I', '-c', question], { collect: true });
  if (!answer.started || answer.code !== 0) return null;
  return JSON.parse(answer.output);
}
