import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { schemaNames, schemaText } from '../../../../main/cli/help/reference-tables';
import { fields } from '../../../../main/contract/fields/fields';

describe('docs/reference/schemas', () => {
  it.each(schemaNames)('has the schema %s as the program prints it', async (name) => {
    await expect(schemaText(name)).toMatchFileSnapshot(
      `../../../../docs/reference/schemas/${name}.schema.json`,
    );
  });

  it('are linked from the page about them', () => {
    const page = readFileSync('docs/reference/schemas.md', 'utf8');
    for (const name of schemaNames) expect(page).toContain(`(schemas/${name}.schema.json)`);
  });

  it('describe every field of run.yaml, and require none', () => {
    const text = schemaText('run');
    expect(text).not.toContain('"required"');
    for (const { path, help, internal = false } of fields) {
      if (!internal) expect(text, path).toContain(JSON.stringify(help).slice(1, -1));
    }
  });
});
