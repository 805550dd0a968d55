import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { answerCall } from '../../../electron/answer-call';
import { api, type Handlers } from '../../../main/contract/api';
import type { Core } from '../../../main/core';
import { createTestCore } from '../../support/test-core';

let home: string;
let core: Core;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-trusted-'));
  core = await createTestCore(home);
});
afterEach(async () => {
  await core.close();
  await rm(home, { recursive: true, force: true });
});

it('the core answers every call of the contract that needs no desktop', () => {
  const missing = Object.keys(api).filter((name) => !Object.hasOwn(core.handlers, name));
  expect(missing.filter((name) => !/^desktop\./.test(name))).toEqual([]);
});

it('the page can make none of the calls of the process', async () => {
  const reached: string[] = [];
  const names = Object.keys(core.handlers);
  const noting = names.map((name) => [name, () => Promise.resolve(reached.push(name))]);
  const handlers = Promise.resolve(Object.fromEntries(noting) as Handlers);
  const trusted = names.filter((name) => !Object.hasOwn(api, name));
  expect(trusted).toEqual(expect.arrayContaining(['approvals.give', 'runs.execute', 'monitor.write']));
  for (const name of trusted) {
    expect(await answerCall(handlers, name, {})).toMatchObject({
      ok: false,
      error: { code: 'input-invalid', message: 'There is no such call' },
    });
  }
  expect(reached).toEqual([]);
  await answerCall(handlers, 'settings.get', undefined);
  expect(reached).toEqual(['settings.get']);
});
