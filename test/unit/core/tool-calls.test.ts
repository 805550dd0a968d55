import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CoreEvent } from '../../../main/contract/api';
import type { InstallWork } from '../../../main/contract/machine';
import { createToolCalls } from '../../../main/core/tool-calls';
import { homeLayout } from '../../../main/platform/layout';
import { rejection } from '../../support/rejection';
import { until } from '../../support/until';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'twb-tools-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Calls over a clone whose set-up script is this one, in place of the real set-up of several minutes. */
async function callsWith(script: string | null) {
  const clone = join(folder, 'clone');
  await mkdir(join(clone, 'scripts'), { recursive: true });
  if (script !== null) await writeFile(join(clone, 'scripts', 'setup.mjs'), script);
  const works: InstallWork[] = [];
  const calls = createToolCalls({
    layout: homeLayout(join(folder, 'home')),
    env: process.env,
    clone: script === null ? null : clone,
    emit: (event: CoreEvent) => {
      if (event.type === 'install-work') works.push(event.work);
    },
  });
  const ended = async (): Promise<InstallWork | undefined> => {
    const last = () => works.find(({ status }) => status !== 'running');
    await until('the installation ends', () => last() !== undefined);
    return last();
  };
  return { calls, works, ended };
}

describe('installing the tools from the window', () => {
  it('runs the set-up of the clone for this home, reports its lines, and ends', async () => {
    const { calls, works, ended } = await callsWith(
      `console.error('Python environment'); console.error(process.env.TRITON_WORKBENCH_HOME);`,
    );
    expect(await calls.facts()).toEqual({
      missing: ['python', 'triton', 'perf-analyzer'],
      installable: true,
    });
    await calls.handlers['tools.install'](undefined);
    const work = await ended();
    expect(work).toMatchObject({ status: 'done', error: null });
    expect(work?.lines).toEqual(['Python environment', join(folder, 'home')]);
    expect(works[0]).toEqual({ status: 'running', lines: [], error: null });
    expect(await calls.handlers['tools.installWork'](undefined)).toEqual(work);
  });

  it('fails with the sentence of the set-up, and can be started again', async () => {
    const { calls, works, ended } = await callsWith(
      `console.error('Triton'); console.error('error: Cannot download Triton: no network. Connect and run the command again.'); process.exit(1);`,
    );
    await calls.handlers['tools.install'](undefined);
    const work = await ended();
    expect(work).toMatchObject({ status: 'failed' });
    expect(work?.error?.message).toBe(
      'Cannot download Triton: no network. Connect and run the command again.',
    );
    expect(work?.error?.details).toContain('Triton\n');
    works.length = 0;
    await calls.handlers['tools.install'](undefined);
    expect(await ended()).toMatchObject({ status: 'failed' });
  });

  it('is cancelled with all that it started', async () => {
    const { calls, works, ended } = await callsWith(
      `console.error('pid ' + process.pid); setInterval(() => undefined, 1000);`,
    );
    await calls.handlers['tools.install'](undefined);
    await until('the set-up says its process id', () => works.at(-1)?.lines.length === 1);
    const line = works.at(-1)?.lines[0];
    await calls.handlers['tools.cancelInstall'](undefined);
    expect(await ended()).toMatchObject({ status: 'cancelled', error: null });
    expect(() => process.kill(Number(line?.slice('pid '.length)), 0)).toThrow('ESRCH');
  });

  it('is refused with the command where there is no clone', async () => {
    const { calls } = await callsWith(null);
    expect((await calls.facts()).installable).toBe(false);
    const error = await rejection(calls.handlers['tools.install'](undefined));
    expect(error).toMatchObject({ code: 'toolchain-missing' });
    expect(error.remedy).toContain('npm run demo');
  });
});
