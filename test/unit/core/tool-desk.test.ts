import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CoreEvent } from '../../../main/contract/api';
import type { InstallWork } from '../../../main/contract/tools';
import { createToolDesk } from '../../../main/core/tool-desk';
import { homeLayout } from '../../../main/platform/layout';
import { rejection } from '../../support/rejection';
import { until } from '../../support/until';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'twb-tools-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A desk over a clone whose set-up script is this one, in place of the real set-up of several minutes. */
async function deskWith(script: string | null) {
  const clone = join(folder, 'clone');
  await mkdir(join(clone, 'scripts'), { recursive: true });
  if (script !== null) await writeFile(join(clone, 'scripts', 'setup.mjs'), script);
  const works: InstallWork[] = [];
  const desk = createToolDesk({
    layout: homeLayout(join(folder, 'home')),
    env: process.env,
    clone: script === null ? null : clone,
    tell: (event: CoreEvent) => {
      if (event.type === 'install-work') works.push(event.work);
    },
  });
  const ended = async (): Promise<InstallWork | undefined> => {
    const last = () => works.find(({ status }) => status !== 'running');
    await until('the installation ends', () => last() !== undefined);
    return last();
  };
  return { desk, works, ended };
}

describe('installing the tools from the window', () => {
  it('runs the set-up of the clone for this home, reports its lines, and ends', async () => {
    const { desk, works, ended } = await deskWith(
      `console.error('Python environment'); console.error(process.env.TRITON_WORKBENCH_HOME);`,
    );
    expect(await desk.facts()).toEqual({
      missing: ['python', 'triton', 'perf-analyzer'],
      installable: true,
    });
    await desk.handlers['tools.install'](undefined);
    const work = await ended();
    expect(work).toMatchObject({ status: 'done', error: null });
    expect(work?.lines).toEqual(['Python environment', join(folder, 'home')]);
    expect(works[0]).toEqual({ status: 'running', lines: [], error: null });
    expect(await desk.handlers['tools.installWork'](undefined)).toEqual(work);
  });

  it('fails with the sentence of the set-up, and can be started again', async () => {
    const { desk, works, ended } = await deskWith(
      `console.error('Triton'); console.error('error: Cannot download Triton: no network. Connect and run the command again.'); process.exit(1);`,
    );
    await desk.handlers['tools.install'](undefined);
    const work = await ended();
    expect(work).toMatchObject({ status: 'failed' });
    expect(work?.error?.message).toBe(
      'Cannot download Triton: no network. Connect and run the command again.',
    );
    expect(work?.error?.details).toContain('Triton\n');
    works.length = 0;
    await desk.handlers['tools.install'](undefined);
    expect(await ended()).toMatchObject({ status: 'failed' });
  });

  it('is cancelled with all that it started', async () => {
    const { desk, works, ended } = await deskWith(
      `console.error('pid ' + process.pid); setInterval(() => undefined, 1000);`,
    );
    await desk.handlers['tools.install'](undefined);
    await until('the set-up says its process id', () => works.at(-1)?.lines.length === 1);
    const line = works.at(-1)?.lines[0];
    await desk.handlers['tools.cancelInstall'](undefined);
    expect(await ended()).toMatchObject({ status: 'cancelled', error: null });
    expect(() => process.kill(Number(line?.slice('pid '.length)), 0)).toThrow('ESRCH');
  });

  it('is refused with the command where there is no clone', async () => {
    const { desk } = await deskWith(null);
    expect((await desk.facts()).installable).toBe(false);
    const error = await rejection(desk.handlers['tools.install'](undefined));
    expect(error).toMatchObject({ code: 'toolchain-missing' });
    expect(error.remedy).toContain('npm run demo');
  });
});
