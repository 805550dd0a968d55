import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkArguments } from '../../../main/own/folder-code';
import { openModel } from '../../../main/own/open-model';
import { directReaders } from '../../support/direct-readers';
import { useModelBench } from '../../support/model-bench';
import { rejection } from '../../support/rejection';

const bench = useModelBench();
const open = (path: string) => openModel({ path }, bench().tools());
const without = (...names: readonly string[]) =>
  bench().folder((path) => Promise.all(names.map((name) => rm(join(path, name)))));

describe('a model folder', () => {
  it('is told all files that it lacks, and all functions, in one message', async () => {
    const path = await without('model.py', 'metrics.py', 'preset.yaml');
    await writeFile(join(path, 'dataloader.py'), 'import marks\n');
    await writeFile(join(path, 'make_dataset.py'), 'import marks\n');
    const error = await rejection(open(path));
    expect([error.code, error.where]).toEqual(['model-folder-invalid', path]);
    expect(error.message).toBe(
      'The model folder lacks model.py, metrics.py, preset.yaml; dataloader.py does not define get_dataloader_fn; make_dataset.py does not define make_dataset',
    );
    expect(error.remedy).toContain(`"triton-workbench init ${path}" writes the files that are missing`);
    expect(error.remedy).toContain('Define get_dataloader_fn at the top level of dataloader.py');
  });

  it('is told what is wrong with its preset.yaml together with what its code lacks', async () => {
    const path = await without('metrics.py');
    await writeFile(join(path, 'preset.yaml'), 'id: m\n');
    const error = await rejection(open(path));
    expect(error.message).toMatch(/^The model folder lacks metrics\.py; preset\.yaml lacks title, summary, /);
    expect(error.details).toContain('title is missing; for example title: My model');
  });

  it('is told a misspelt argument of its preset.yaml before anything runs', async () => {
    const path = await bench().folder(() => Promise.resolve());
    const written = await readFile(join(path, 'preset.yaml'), 'utf8');
    const name = 'hidden';
    expect(written).toContain(`args: { ${name}: `);
    await writeFile(join(path, 'preset.yaml'), written.replaceAll(`${name}:`, `${name}x:`));
    const error = await rejection(open(path));
    expect(error).toMatchObject({ code: 'model-folder-invalid', where: join(path, 'preset.yaml') });
    expect(error.message).toContain(`args.${name}x is not an argument of the code (did you mean ${name}?)`);
    expect(error.remedy).toMatch(new RegExp(`^Its arguments are: .*\\b${name}\\b`));
  });

  it.each<[string, string]>([
    ['def get_model(\n    odd: "a, b) = (" = "x,y",  # one, two)\n    *,\n    precision="fp32",\n):\n', ''],
    ['def get_model(a: dict[str, int] = {"b": 1}, /, odd=(1, 2), *rest): pass\nx = 1\n', ''],
    ['def get_model(**anything): pass\n', ''],
    ['def get_model(other):\n    def odd(inner): pass\n', 'odd'],
  ])('has the arguments that are between the brackets of %j', async (code, unknown) => {
    const path = await bench().folder(() => Promise.resolve());
    const written = await readFile(join(path, 'preset.yaml'), 'utf8');
    await writeFile(
      join(path, 'preset.yaml'),
      written.replace(/args: *\{[^}]*\}|args:\n( +\w+:.*\n)+/g, 'args: { odd: 1 }\n'),
    );
    await writeFile(join(path, 'model.py'), code);
    if (unknown === '') await open(path);
    else expect((await rejection(open(path))).message).toContain(`args.${unknown} is not an argument of`);
  });

  it('takes the arguments of every model of the workbench for what they are', async () => {
    const models = join(process.cwd(), 'resources', 'models');
    for (const id of await readdir(models)) {
      const path = join(models, id);
      const { preset } = await directReaders.preset({ path });
      await checkArguments(path, preset, await directReaders.folderCode({ path }));
    }
  });

  it.each(['dataloader.py', 'preset.yaml'])(
    'is seen as one by %s, beside weights and without model.py',
    async (name) => {
      const path = await without(
        'model.py',
        ...['dataloader.py', 'metrics.py', 'preset.yaml'].filter((one) => one !== name),
      );
      await writeFile(join(path, 'weights.pt'), 'x');
      expect((await rejection(open(path))).message).toMatch(/^The model folder lacks model\.py, /);
    },
  );
});
