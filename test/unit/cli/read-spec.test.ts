import { mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readOverrides } from '../../../main/cli/read-spec';
import { resolveSpec } from '../../../main/presets/resolve-spec';
import { createSpecTools } from '../../../main/specification/spec-tools';
import { directReaders } from '../../support/direct-readers';
import { rejection } from '../../support/rejection';
import { places, resnet50 } from '../specification/places';
import { forecastRunner } from '../specification/published';

const tools = createSpecTools({ presets: () => new Map([['resnet50', resnet50]]), places });
const reader = {
  importSpec: tools['spec.import'],
  specModel: directReaders.specModel,
  note: () => undefined,
};

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'read-spec-'));
});
afterAll(() => rm(dir, { recursive: true }));

describe('--spec', () => {
  it('of a broken YAML says what is wrong with it and where, not that no preset is named', async () => {
    const path = join(dir, 'broken.yaml');
    await writeFile(path, 'model: [1\nb: 2\n');
    const error = await rejection(readOverrides(undefined, { spec: path }, reader));
    expect(error).toMatchObject({ code: 'spec-invalid', where: path });
    expect(error.message).toMatch(/at line 2, column \d+/);
  });

  it('is read through a link, no further than a specification may be long, and never from a device', async () => {
    const path = join(dir, 'run.yaml');
    await writeFile(path, 'model: { preset: resnet50 }\n');
    await symlink(path, join(dir, 'link.yaml'));
    expect(await readOverrides(undefined, { spec: join(dir, 'link.yaml') }, reader)).toMatchObject({
      model: { preset: 'resnet50' },
    });
    await truncate(path, 10 * 2 ** 30);
    const large = await rejection(readOverrides(undefined, { spec: path }, reader));
    expect(large.message).toContain(`${10 * 2 ** 30} bytes`);
    const device = await rejection(readOverrides(undefined, { spec: '/dev/zero' }, reader));
    expect(device.message).toContain('/dev/zero cannot be read: it is not a regular file');
  });
});

describe('--configuration', () => {
  const lines: string[] = [];
  const noting = { ...reader, note: (line: string) => lines.push(line) };
  const from = async (text: string, configuration: string) => {
    const path = join(dir, 'runner.yaml');
    await writeFile(path, text);
    return readOverrides('resnet50', { spec: path, configuration }, noting);
  };

  it('takes that one of the file, and without it the first, with a note of the others', async () => {
    expect(await from(forecastRunner('trt'), '2')).toMatchObject({ format: 'ts-trace' });
    const path = join(dir, 'runner.yaml');
    expect(await readOverrides('resnet50', { spec: path }, noting)).toMatchObject({ format: 'trt' });
    expect(lines.join('\n')).toMatch(
      /2 configurations: 1 \(trt\), 2 \(ts-trace\)\. Configuration 1 was used\..*run --matrix/,
    );
  });

  it.each([
    ['0', /"0" is not the number of a configuration/],
    ['1.5', /"1.5" is not the number/],
    ['x', /"x" is not a number/],
    ['3', /no configuration 3: it has 2/],
  ])('of %s is refused', async (number, reason) => {
    expect((await rejection(from(forecastRunner('trt'), number))).message).toMatch(reason);
  });

  it('is refused for a file that has none, and without a file', async () => {
    expect((await rejection(from('precision: fp16\n', '1'))).message).toMatch(/has no configurations/);
    const alone = await rejection(readOverrides('resnet50', { configuration: '1' }, reader));
    expect(alone).toMatchObject({ where: '--configuration' });
  });
});

describe('--set', () => {
  it('of a field that there is not is told by that field', async () => {
    const overrides = await readOverrides('resnet50', { set: ['a.b=1'] }, reader);
    expect(() => resolveSpec(resnet50.preset, overrides)).toThrow(
      expect.objectContaining({ message: 'a: unknown field', where: 'a' }),
    );
  });

  it.each([
    [
      'performance.batchSize=1',
      'Did you mean performance.batchSizes? If not, the command "fields performance" lists the names.',
    ],
    ['batchSizes=1', 'Did you mean performance.batchSizes? If not, the command "fields" lists the names.'],
    [
      'performance.colour=1',
      'Check its name, or remove it: the command "fields performance" lists the names.',
    ],
  ])('says for %s which name is meant, or which command has it', async (pair, remedy) => {
    const overrides = await readOverrides('resnet50', { set: [pair] }, reader);
    expect(() => resolveSpec(resnet50.preset, overrides)).toThrow(expect.objectContaining({ remedy }));
  });

  it.each([
    ['gpus', 'Docker containers'],
    ['partition', 'a Slurm cluster'],
    ['tls', 'an address that begins with https'],
  ])('says with what engine.%s applies', async (name, what) => {
    const set = ['engine.kind=local', `engine.${name}=a`];
    const overrides = await readOverrides('resnet50', { set }, reader);
    const remedy = `It applies only with ${what}. Choose the engine that has it, or remove it.`;
    expect(() => resolveSpec(resnet50.preset, overrides)).toThrow(expect.objectContaining({ remedy }));
  });

  it('names the options of sbatch that there are', async () => {
    const overrides = await readOverrides('resnet50', { slurmOption: ['qoss=high'] }, reader);
    const remedy = expect.stringMatching(/^Use one of comment, .*, qos, /) as string;
    expect(() => resolveSpec(resnet50.preset, overrides)).toThrow(
      expect.objectContaining({ where: 'engine.options.qoss', remedy }),
    );
  });
});
