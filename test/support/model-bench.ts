import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toWire } from '../../main/contract/errors';
import { openModel, type OpenModelTools } from '../../main/own/open-model';
import { createTrust } from '../../main/own/trust';
import { directReaders } from './direct-readers';
import { zipBytes } from './zip-bytes';

/** A folder for each test, and models in it whose code leaves a mark as soon as anybody executes it. */
export interface ModelBench {
  readonly dir: string;
  /** Written by every piece of code of the bench when it runs. */
  readonly executed: string;
  readonly tools: () => OpenModelTools;
  /** Writes a file below the folder and gives its path. */
  readonly put: (name: string, content: string | Buffer) => Promise<string>;
  /** The template of a model folder with one change. */
  readonly folder: (change: (path: string) => Promise<unknown>) => Promise<string>;
  /** A pickle of protocol 0 that runs a command when it is read. */
  readonly bomb: () => string;
}

const template = join(process.cwd(), 'resources', 'own', 'template');

export function useModelBench(): () => ModelBench {
  const made = { dir: '' };
  beforeEach(async () => {
    made.dir = await mkdtemp(join(tmpdir(), 'own-model-'));
  });
  afterEach(async () => {
    await rm(made.dir, { recursive: true, force: true });
  });
  return () => {
    const { dir } = made;
    const executed = join(dir, 'executed');
    return {
      dir,
      executed,
      tools: () => ({
        trust: createTrust(join(dir, 'trusted.json'), () => new Date(0), directReaders),
        readers: directReaders,
        inspect: () => Promise.reject(new Error('nothing here is trusted and may be run')),
      }),
      put: async (name, content) => {
        const path = join(dir, name);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, content);
        return path;
      },
      folder: async (change) => {
        const path = join(dir, 'folder');
        await cp(template, path, { recursive: true });
        await writeFile(join(path, 'marks.py'), `open(${JSON.stringify(executed)}, "w")\n`);
        await change(path);
        return path;
      },
      bomb: () => `cos\nsystem\n(S'touch ${executed}'\ntR.`,
    };
  };
}

/** A TorchScript archive whose module M has this forward, as text. */
export const scripted = (forward: string): Buffer =>
  zipBytes({
    'm/data.pkl': '\x80\x02c__torch__\nM\nq\x00)\x81}',
    'm/code/__torch__.py': `class M(Module):\n  __parameters__ = []\n${forward}`,
    'm/constants.pkl': '\x80\x02).',
  });

/** A model that is refused: how to make it, and what the refusal says. */
export interface Broken {
  readonly what: string;
  readonly make: (bench: ModelBench) => Promise<string>;
  readonly code: 'input-invalid' | 'model-file-invalid' | 'model-folder-invalid';
  /** Of message, place and remedy. */
  readonly says: readonly (string | RegExp)[];
}

export function refusesEach(title: string, table: readonly Broken[]): void {
  const bench = useModelBench();
  describe(title, () => {
    it.each(table)(
      '$what is refused by file and remedy, and nothing of it runs',
      async ({ make, code, says }) => {
        const { dir, executed, tools } = bench();
        const path = await make(bench());
        // A repository is checked by its own tests: this is of its model's file.
        const error = await openModel({ path, rewrite: true }, tools()).then(
          () => null,
          (caught: unknown) => toWire(caught),
        );
        expect(error).toMatchObject({ code });
        const spoken = [error?.message, error?.where, error?.remedy].join('\n');
        for (const words of says) expect(spoken).toMatch(words);
        expect(error?.where).toContain(dir);
        expect(existsSync(executed)).toBe(false);
      },
    );
  });
}
