import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readOverrides } from '../../../main/cli/read-spec';
import { hashValue } from '../../../main/platform/files';
import { readPresets } from '../../../main/presets/presets';
import { resolveSpec } from '../../../main/presets/resolve-spec';
import { previewSpec } from '../../../main/specification/preview-spec';
import { createSpecTools, exportSpec } from '../../../main/specification/spec-tools';
import { choice, places, resnet50, resources } from './places';

const run = promisify(execFile);
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'export-'));
});
afterAll(() => rm(dir, { recursive: true }));

/** As the command line reads a file. */
async function hashFrom(text: string, fileName: string): Promise<string> {
  const spec = join(dir, fileName);
  await writeFile(spec, text);
  const tools = createSpecTools({ presets: () => readPresets(resources), places });
  const notes: string[] = [];
  const overrides = await readOverrides(
    undefined,
    { spec },
    {
      importSpec: tools['spec.import'],
      specModel: places.readers.specModel,
      note: (line) => notes.push(line),
    },
  );
  expect(notes).toEqual([]);
  return hashValue(resolveSpec(resnet50.preset, overrides));
}

const hostile = 'it\'s $(touch pwned) `id`\nRUN_YAML\n"quoted" \\ end';
const choices = [
  choice(),
  choice({ model: { profile: 'full' }, precision: 'fp16', format: 'ts-trace' }),
  choice({
    model: {
      checkpoint: '/data/own weights.pt',
      dataset: '/data/own',
      args: { classes: '12', note: hostile },
    },
    engine: { kind: 'docker', gpus: ['all'], httpPort: 8000, images: 'ngc', release: '26.07' },
    configure: {
      instances: 3,
      backendAccelerator: 'trt',
      configPatch: {
        metricTags: { text: hostile },
        dynamicBatching: { maxQueueDelayMicroseconds: null, preserveOrdering: true },
      },
    },
    accuracy: { thresholds: { top5: 0.5 }, atol: { OUTPUT__0: 0.5 } },
    performance: { concurrency: 'formula' },
    deadlines: { export: 5 },
  }),
];

describe.each(choices)('an exported choice: %#', (chosen) => {
  it('is the same specification when the command line reads it', async () => {
    const { specHash } = await previewSpec(resnet50, chosen, places);
    const { text, fileName } = exportSpec(resnet50, chosen, 'run-yaml');
    expect(specHash).not.toBeNull();
    expect(text).toContain(specHash);
    expect(await hashFrom(text, fileName)).toBe(specHash);
  });

  it('is a script that hands over that very specification', async () => {
    const { text, fileName } = exportSpec(resnet50, chosen, 'shell');
    const path = join(dir, fileName);
    await writeFile(path, text);
    for (const shell of ['sh', 'bash']) await run(shell, ['-n', path]);
    // A command in the place of the workbench, which shows what it is given.
    await writeFile(join(dir, 'triton-workbench'), `#!/bin/sh\nprintf "%s\\n" "$@" >'${dir}/args'\ncat\n`, {
      mode: 0o755,
    });
    const env = { PATH: `${dir}:${process.env['PATH'] ?? ''}` };
    const { stdout } = await run('sh', [path, '--out', 'a folder'], { env });
    const given = await run('cat', [join(dir, 'args')]);
    expect(given.stdout.split('\n')).toEqual(['run', '--spec', '-', '--out', 'a folder', '']);
    expect(await hashFrom(stdout, 'given.yaml')).toBe((await previewSpec(resnet50, chosen, places)).specHash);
  });
});

it('a choice that cannot be run is not exported', () => {
  expect(() => exportSpec(resnet50, choice({ configure: { instances: 0 } }), 'run-yaml')).toThrow(
    expect.objectContaining({ code: 'spec-invalid', where: 'configure.instances' }),
  );
});

it('a file that does not say of which preset it is wants one named', async () => {
  await expect(hashFrom('configure: {instances: 2}\n', 'part.yaml')).rejects.toMatchObject({
    code: 'input-invalid',
    where: '[preset]',
  });
});
