import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { someOf } from '../support/campaign';
import { cli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { expectRow, inputRows, pageRows, rowsOfCommand } from '../support/input-rows';

let home: TestHome;
let dir: string;
beforeAll(async () => {
  home = await createTestHome();
  dir = await mkdtemp(join(tmpdir(), 'workbench-inputs-'));
});
afterAll(async () => {
  await home.remove();
  await rm(dir, { recursive: true, force: true });
});

/** The other rows say what opening the model says: test/unit/own/open-model.inputs-page.test.ts. */
it.each(someOf([...rowsOfCommand]))(
  'docs/guide/inputs.md says what the command line says of: %s',
  async (name) => {
    const rows = pageRows(await readFile('docs/guide/inputs.md', 'utf8'));
    const row = rows.find((one) => one.name === name);
    const make = inputRows[name];
    if (row === undefined || make === undefined) throw new Error(`${name} is not in the page`);
    const args = await make(await mkdtemp(join(dir, 'row-')));
    const { code, stdout, stderr } = await cli(home.path, ...args);
    expectRow(row, `${stdout}${stderr}`, code === 0);
    expect(code, stderr).not.toBeNull();
  },
);
