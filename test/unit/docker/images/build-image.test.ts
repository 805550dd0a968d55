import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { extract } from 'tar-stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { builtImages } from '../../../../main/contract/docker';
import { packBuildContext, proxiesOf } from '../../../../main/docker/images/build-image';
import { readImageRecipe } from '../../../../main/docker/images/known-images';

const resources = join(import.meta.dirname, '..', '..', '..', '..', 'resources');
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'workbench-context-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function entriesOf(archive: Buffer): Promise<Record<string, string>> {
  const entries: Record<string, string> = {};
  const parser = extract();
  parser.on('entry', (header, stream, next) => {
    void buffer(Readable.from(stream)).then((content) => {
      entries[header.name] = content.toString('utf8');
      next();
    });
  });
  const ended = new Promise<void>((resolve) => {
    parser.once('finish', () => {
      resolve();
    });
  });
  parser.end(archive);
  await ended;
  return entries;
}

async function makeWheels(name: string, when: Date): Promise<string> {
  const wheels = join(folder, name);
  await mkdir(join(wheels, 'perf-analyzer'), { recursive: true });
  for (const file of ['b.whl', 'a.whl', 'requirements.txt', join('perf-analyzer', 'c.whl')]) {
    await writeFile(join(wheels, file), `content of ${file}`);
    await utimes(join(wheels, file), when, when);
  }
  return wheels;
}

describe('packBuildContext', () => {
  it('packs the recipe and the wheels, and nothing else', async () => {
    const { files } = await readImageRecipe(resources, 'triton-cpu');
    const wheels = await makeWheels('wheels', new Date());
    const entries = await entriesOf(await buffer(packBuildContext(files, wheels)));
    expect(Object.keys(entries)).toEqual([
      'Dockerfile',
      'requirements/perf-analyzer.txt',
      'requirements/runtime.txt',
      'requirements/locked/runtime.txt',
      'wheels/',
      'wheels/a.whl',
      'wheels/b.whl',
      'wheels/perf-analyzer/c.whl',
    ]);
    expect(entries['wheels/a.whl']).toBe('content of a.whl');
    expect(entries['Dockerfile']).toBe(
      await readFile(join(resources, 'docker', 'triton-cpu.Dockerfile'), 'utf8'),
    );
  });

  it('has the folder of the wheels without any', async () => {
    const { files } = await readImageRecipe(resources, 'client-cpu');
    expect(Object.keys(await entriesOf(await buffer(packBuildContext(files, null))))).toContain('wheels/');
  });

  it('gives the same bytes wherever and whenever it is packed', async () => {
    const { files } = await readImageRecipe(resources, 'triton-cpu');
    const hashes = await Promise.all(
      [await makeWheels('one', new Date(1e12)), await makeWheels('two', new Date(1.5e12))].map(
        async (wheels) =>
          createHash('sha256')
            .update(await buffer(packBuildContext(files, wheels)))
            .digest('hex'),
      ),
    );
    expect(hashes[0]).toBe(hashes[1]);
  });

  it('ends with the error of a folder that is gone', async () => {
    const context = packBuildContext([], join(folder, 'absent'));
    await expect(buffer(context)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('reference of a built image', () => {
  it.each(builtImages)('%s: name of the image and twelve digits of its content', async (image) => {
    const reference = (await readImageRecipe(resources, image)).reference;
    expect(reference).toMatch(new RegExp(`^triton-workbench/${image}:[0-9a-f]{12}$`));
    expect((await readImageRecipe(resources, image)).reference).toBe(reference);
  });

  it('changes with the Dockerfile, the requirements and the build arguments', async () => {
    const copy = join(folder, 'resources');
    for (const name of ['docker', 'requirements']) {
      await cp(join(resources, name), join(copy, name), { recursive: true });
    }
    const references = [(await readImageRecipe(copy, 'client-gpu')).reference];
    for (const path of [join('docker', 'client-gpu.Dockerfile'), join('requirements', 'client-gpu.txt')]) {
      await writeFile(join(copy, path), `${await readFile(join(copy, path), 'utf8')}# more\n`);
      references.push((await readImageRecipe(copy, 'client-gpu')).reference);
    }
    references.push((await readImageRecipe(copy, 'client-gpu', { SDK_IMAGE: 'a:1' })).reference);
    references.push((await readImageRecipe(copy, 'client-gpu', { SDK_IMAGE: 'a:2' })).reference);
    expect(new Set(references).size).toBe(5);
  });

  it('keeps all but the last lines of the two CPU images alike, so that they share their layers', async () => {
    const [triton = '', client = ''] = await Promise.all(
      ['triton-cpu', 'client-cpu'].map(async (image) => {
        const text = await readFile(join(resources, 'docker', `${image}.Dockerfile`), 'utf8');
        return text.slice(text.indexOf('\nFROM '), text.lastIndexOf('\n#'));
      }),
    );
    expect(triton.length).toBeGreaterThan(1000);
    expect(client).toBe(triton);
  });
});

it('gives the build the proxies of this machine, but those that listen on it only', () => {
  const env = {
    HTTP_PROXY: 'http://127.0.0.1:3128',
    https_proxy: 'http://proxy:3128',
    NO_PROXY: '127.0.0.1',
  };
  expect(proxiesOf(env)).toEqual({ https_proxy: 'http://proxy:3128', NO_PROXY: '127.0.0.1' });
});
