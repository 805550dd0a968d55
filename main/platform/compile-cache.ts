import { lstatSync, readFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import * as nodeModule from 'node:module';
import { join, sep } from 'node:path';
import { Script } from 'node:vm';

/** Files of several versions; more is what updates have left. */
const mostFiles = 200;

/** Node's own, from 22.1 on. */
interface WithCompileCache {
  readonly enableCompileCache?: (folder: string) => unknown;
}

interface CompiledModule {
  exports: unknown;
  loaded: boolean;
  _compile: (this: CompiledModule, content: string, filename: string) => unknown;
}

type ModuleClass = (new (id: string) => CompiledModule & { filename: string }) & {
  readonly _cache: Record<string, CompiledModule | undefined>;
};

/** Of this user, and of nobody else to write. Code of it is executed. */
function isOwn(folder: string): boolean {
  try {
    const { mode, uid } = lstatSync(folder);
    return (mode & 0o170000) === 0o040000 && (mode & 0o022) === 0 && uid === process.getuid?.();
  } catch {
    return false;
  }
}

function readKept(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

interface Compiled {
  readonly file: string;
  readonly script: Script;
}

/** Best effort: a full disk must not fail a command. */
async function write(folder: string, compiled: readonly Compiled[]): Promise<void> {
  const { makeFolder, writeFileAtomic } = await import('./files');
  try {
    await makeFolder(folder);
    const kept = await readdir(folder);
    if (kept.length > mostFiles) for (const name of kept) await rm(join(folder, name), { force: true });
    for (const { file, script } of compiled) await writeFileAtomic(file, script.createCachedData());
  } catch {
    // The next start compiles again.
  }
}

/**
 * Keeps what V8 compiles of the CommonJS files in `bundles`, for the next start.
 * @param cache folder of the home; nothing is kept while it does not exist, or others may write to it
 */
export function keepCompiled(bundles: string, cache: string): void {
  if (!isOwn(cache)) return;
  const { enableCompileCache } = nodeModule as WithCompileCache;
  const folder = join(cache, 'compiled');
  if (enableCompileCache !== undefined) {
    enableCompileCache(folder);
    return;
  }
  // V8 refuses the data of another version; each has a folder, as clone and package take turns.
  const own = join(folder, `${process.versions.v8}-${process.arch}`);
  const isKept = isOwn(own);
  const compiled: Compiled[] = [];
  const proto = nodeModule.Module.prototype as unknown as CompiledModule;
  const compile = proto._compile;
  proto._compile = function compileOrTake(this: CompiledModule, content: string, filename: string) {
    if (!filename.startsWith(bundles + sep)) return compile.call(this, content, filename);
    // V8 checks the length of the source only: names have a hash, and the entries the time of their file.
    const name = filename.slice(bundles.length + sep.length).replaceAll(sep, '-');
    const file = `${own}${sep}${name}-${Math.trunc(lstatSync(filename).mtimeMs)}`;
    const cachedData = isKept ? readKept(file) : undefined;
    const script = new Script(nodeModule.Module.wrap(content), {
      filename,
      ...(cachedData && { cachedData }),
    });
    if (cachedData === undefined || script.cachedDataRejected === true) compiled.push({ file, script });
    const run = script.runInThisContext() as (...given: readonly unknown[]) => unknown;
    return run.call(this.exports, this.exports, require, this, filename, bundles);
  };
  const { _cache: loaded } = nodeModule.Module as unknown as ModuleClass;
  const ofNode = nodeModule.createRequire(join(bundles, 'cli.cjs'));
  // Chunks name each other by their file: to look for it, as Node does, takes longer than to load it.
  const require = (name: string): unknown => {
    if (!name.startsWith('./') || !name.endsWith('.cjs')) return ofNode(name);
    // Asked hundreds of times in a start: `join` would take milliseconds.
    const filename = `${bundles}${sep}${name.slice('./'.length)}`;
    const known = loaded[filename];
    if (known !== undefined) return known.exports;
    const chunk = new (nodeModule.Module as unknown as ModuleClass)(filename);
    loaded[filename] = chunk;
    try {
      chunk.filename = filename;
      chunk._compile(readFileSync(filename, 'utf8'), filename);
      chunk.loaded = true;
    } catch (error) {
      Reflect.deleteProperty(loaded, filename);
      throw error;
    }
    return chunk.exports;
  };
  // Lazily compiled functions are in it, too.
  process.once('beforeExit', () => {
    if (compiled.length > 0) void write(own, compiled);
  });
}
