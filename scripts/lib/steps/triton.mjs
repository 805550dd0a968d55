import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { command } from '../command.mjs';
import { say, SetupError } from '../say.mjs';
import { hashParts, replaceFolder, stampMatches, writeStamp } from '../stamp.mjs';
import { pythonFacts } from './python-facts.mjs';

const version = 'triton 1';

function stampOf(context) {
  return hashParts(version, context.home, context.pythonStamp);
}

export function tritonReady(context) {
  return stampMatches(join(context.layout.triton, '.stamp'), stampOf(context));
}

/**
 * Lays out `bin`, `backends` and `library-path` from the server inside the nvidia-pytriton package.
 * The Python backend's stub is linked against one Python version: the one of the venv is chosen.
 */
export async function layOutTriton(context) {
  const { layout } = context;
  const facts = await pythonFacts(layout.python);
  const server = join(facts.sitePackages, 'pytriton', 'tritonserver');
  const libraries = join(facts.sitePackages, 'nvidia_pytriton.libs');
  const stub = join(server, 'python_backend_stubs', facts.version, 'triton_python_backend_stub');
  if (!existsSync(stub)) {
    throw new SetupError(
      `nvidia-pytriton brings no Python backend for Python ${facts.version}: install Python 3.11 or 3.12, ` +
        `delete ${layout.venv} and try again.`,
    );
  }
  const fresh = `${layout.triton}.new`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(join(fresh, 'bin'), { recursive: true });
  // The binary finds its libraries beside its real place: a link is enough.
  symlinkSync(join(server, 'bin', 'tritonserver'), join(fresh, 'bin', 'tritonserver'));
  cpSync(join(server, 'backends'), join(fresh, 'backends'), {
    recursive: true,
    filter: (path) => !path.endsWith('__pycache__'),
  });
  const stubCopy = join(fresh, 'backends', 'python', 'triton_python_backend_stub');
  copyFileSync(stub, stubCopy);
  chmodSync(stubCopy, 0o755);
  const folders = [libraries, facts.libraryFolder].filter((folder) => folder !== null);
  writeFileSync(join(fresh, 'library-path'), `${folders.join('\n')}\n`);
  const env = { ...process.env, LD_LIBRARY_PATH: folders.join(':') };
  const missing = await command('ldd', [join(fresh, 'bin', 'tritonserver'), stubCopy], {
    env,
    collect: true,
  });
  const absent = [...missing.output.matchAll(/^\s*(\S+) => not found/gm)].map((match) => match[1]);
  if (absent.length > 0) {
    throw new SetupError(
      `Triton cannot start because ${[...new Set(absent)].join(', ')} is not on this machine: ` +
        'install the package that has it and try again.',
    );
  }
  writeStamp(join(fresh, '.stamp'), stampOf(context));
  replaceFolder(fresh, layout.triton);
  say('  Triton Inference Server laid out');
}
