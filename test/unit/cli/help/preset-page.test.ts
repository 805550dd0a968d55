import { describe, expect, it } from 'vitest';
import { presetPage, smallestPreset } from '../../../../main/cli/help/preset-page';
import { presetKeys, yamlFlow } from '../../../../main/contract/run/preset-keys';
import { parseYaml } from '../../../../main/platform/parse-yaml';
import { checkPreset } from '../../../../main/presets/preset-problems';

describe('docs/guide/preset-yaml.md', () => {
  it('is the page that the program prints', async () => {
    await expect(presetPage()).toMatchFileSnapshot('../../../../docs/guide/preset-yaml.md');
  });

  it('has every key of the schema, with its type, what holds without it and what it is', () => {
    const rows = new Map(
      presetPage()
        .split('\n')
        .flatMap((line) => {
          const path = /^\| `([^`]+)` \|/.exec(line)?.[1];
          return path === undefined ? [] : [[path, line.split(' | ')] as const];
        }),
    );
    const keys = presetKeys();
    expect([...rows.keys()].sort()).toEqual(keys.map(({ path }) => path).sort());
    expect(keys.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        'signature.inputs[].reshape',
        'profiles.*.byPrecision',
        'origin.datasets[].licence',
      ]),
    );
    for (const [path, cells] of rows) {
      for (const cell of cells.slice(1, 4)) expect(cell.trim(), path).not.toMatch(/^\.?$/);
    }
  });

  it('shows a preset.yaml that works', () => {
    expect(presetPage()).toContain(smallestPreset);
    expect(checkPreset(parseYaml(smallestPreset))).toMatchObject({ id: 'my-model' });
  });

  it('has examples that are read as they are meant', () => {
    for (const { path, example } of presetKeys()) {
      if (example !== undefined) expect(parseYaml(yamlFlow(example)), path).toEqual(example);
    }
    for (const text of ['true', '26.07', "it's", '*', 'a: b', '', '-1', 'null', 'plain text']) {
      expect(parseYaml(yamlFlow({ [text]: [text] }))).toEqual({ [text]: [text] });
    }
  });
});
