import { execFileSync, spawnSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultHome, homeLayout } from '../../main/platform/layout';
import { ordinaryRuns, prepareHome } from '../../scripts/bench/window/bench-homes';
import { cli } from '../support/cli';
import { repository } from '../support/home';
import { documentsOf, schemaNameOf } from '../support/json-schemas';

let home: string;
let matrix: string;
beforeAll(async () => {
  home = await prepareHome(defaultHome(process.env), ordinaryRuns(2));
  matrix = join(home, 'night.yaml');
  await writeFile(matrix, 'profile: quick\nmatrix: {preset: [resnet50], precision: [fp32, fp16]}\n');
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** Verbs that need no server, in an order in which each finds what it needs. */
const commands = (): readonly (readonly string[])[] => [
  ...[
    ['runs'],
    ['runs', '--history', 'latest'],
    ['show', 'latest'],
    ['show', 'nosuch'],
    ['best', '--last', '2'],
  ],
  ...[
    ['compare', 'latest~1', 'latest'],
    ['limits', 'latest'],
    ['predict', 'latest', '--rate', '10'],
  ],
  ...[
    ['capacity', 'latest', '--rate', '100', '--p99', '1s'],
    ['rename', 'latest', 'night'],
  ],
  ...[
    ['resume', 'latest', '--dry-run'],
    ['clean', '--dry-run'],
    ['clean', '--yes'],
  ],
  ...[['fields', 'performance'], ['presets'], ['presets', 'show', 'resnet50'], ['data', 'list']],
  ...[
    ['studies', 'list'],
    ['studies', 'show', 'nosuch'],
    ['deployments', 'list'],
    ['setup', '--check'],
  ],
  ...[['settings'], ['settings', 'get', 'window.theme'], ['settings', 'set', 'runs.keepDays', 'none']],
  ...[['settings', 'reset', 'window.theme'], ['detect'], ['import', join(home, 'nosuch.csv')]],
  ...[
    ['hosts', 'add', 'gpu1', 'tcp://127.0.0.1:9', '--no-check'],
    ['hosts', 'list', '--no-check'],
  ],
  ...[
    ['hosts', 'show', 'gpu1'],
    ['hosts', 'remove', 'gpu1'],
    ['run', 'resnet51'],
    ['run', '--nosuch'],
  ],
];

const hasJsonschema = (python: string): boolean =>
  spawnSync(python, ['-c', 'import jsonschema'], { stdio: 'ignore' }).status === 0;

describe('what the verbs print with --json', () => {
  const printed: { readonly schema: string; readonly document: unknown }[] = [];
  const print = async (args: readonly string[]) => {
    const { stdout, stderr } = await cli(home, ...args);
    const found = documentsOf(args, stdout);
    expect(found, `${args.join(' ')}: ${stderr}`).toHaveLength(1);
    for (const document of found) {
      const isError = Object.keys(document as object).join() === 'error';
      printed.push({ schema: isError ? 'error' : schemaNameOf(args), document });
    }
  };

  // `cli` itself compares each with its schema by ajv.
  it('is of their schemas for the validator of JavaScript', async () => {
    for (const words of commands()) await print([...words, '--json']);
    await print(['spec', 'resnet50', '--profile', 'quick', '--as', 'json']);
    await print(['spec', '--matrix', matrix, '--as', 'json']);
    expect(new Set(printed.map(({ schema }) => schema)).size).toBeGreaterThan(25);
  });

  it('is of their schemas for that of Python, whose regular expressions are others', async () => {
    const file = join(home, 'printed.json');
    await writeFile(file, JSON.stringify(printed));
    // The one of the checks has it; a system may bring another.
    const pythons = [homeLayout(defaultHome(process.env)).python, 'python3'];
    const python = pythons.find(hasJsonschema) ?? pythons[0] ?? '';
    const validate = join(repository, 'test', 'support', 'validate_json.py');
    const said = execFileSync(python, [validate, join(repository, 'docs', 'reference', 'schemas'), file], {
      encoding: 'utf8',
    });
    expect(said).toBe(`${printed.length} documents of their schemas\n`);
  });
});
