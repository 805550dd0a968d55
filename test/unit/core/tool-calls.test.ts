import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CoreEvent } from '../../../main/contract/api';
import { WorkbenchError } from '../../../main/contract/errors';
import type { SetupWork } from '../../../main/contract/setup';
import { createToolCalls } from '../../../main/core/tool-calls';
import { homeLayout } from '../../../main/platform/layout';
import { createSetup, type Setup } from '../../../main/setup/setup';
import { rejection } from '../../support/rejection';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'twb-tools-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Calls over a set-up whose installation is this one, in place of the real one of a minute. */
function callsWith(install: Setup['install'], system?: { platform: string; arch: string }) {
  const layout = homeLayout(folder);
  const works: SetupWork[] = [];
  const calls = createToolCalls({
    layout,
    setup: { ...createSetup({ layout, resources: 'resources', env: process.env }), install },
    emit: (event: CoreEvent) => {
      if (event.type === 'setup-work') works.push(event.work);
    },
    ...(system === undefined ? {} : { system }),
  });
  return { calls, works };
}

const asked = { components: ['python' as const], repair: false };

describe('the tools of the home', () => {
  it('are installed with their progress told by component', async () => {
    const { calls, works } = callsWith((_ids, _how, listener) => {
      listener.onComponent('python');
      listener.onProgress(0.5, 'Downloading');
      listener.onStderrLine('a line');
      return Promise.resolve();
    });
    await calls.handlers['tools.install'](asked);
    const work = await calls.ended();
    expect(works[0]).toMatchObject({ status: 'running', components: ['python'], component: null });
    expect(works).toContainEqual(
      expect.objectContaining({ component: 'python', fraction: 0.5, text: 'Downloading' }),
    );
    expect(work).toMatchObject({ status: 'done', lines: ['a line'], error: null });
    expect(await calls.handlers['tools.work'](undefined)).toEqual(work);
  });

  it('fail with the reason, and can be started again', async () => {
    const failure = new WorkbenchError('disk-full', 'The disk is full');
    const { calls } = callsWith(() => Promise.reject(failure));
    await calls.handlers['tools.install'](asked);
    expect(await calls.ended()).toMatchObject({ status: 'failed', error: { code: 'disk-full' } });
    await calls.handlers['tools.install']({ ...asked, repair: true });
    expect(await calls.ended()).toMatchObject({ action: 'repair', status: 'failed' });
  });

  it('are cancelled, and only one work is under way', async () => {
    const { calls, works } = callsWith(
      (_ids, _how, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reject(new WorkbenchError('cancelled', 'Cancelled'));
          });
        }),
    );
    await calls.handlers['tools.install'](asked);
    await calls.handlers['tools.remove']({ components: ['python'] });
    expect(works.map(({ action }) => action)).toEqual(['install']);
    expect(calls.underWay()).toEqual(['Python environment']);
    await calls.handlers['tools.cancel'](undefined);
    expect(await calls.ended()).toMatchObject({ status: 'cancelled', error: null });
  });

  it('are refused where there are no packages for the system', async () => {
    const { calls } = callsWith(() => Promise.resolve(), { platform: 'darwin', arch: 'arm64' });
    expect(await calls.facts()).toEqual({
      missing: ['python', 'triton', 'perf-analyzer'],
      installable: false,
    });
    const error = await rejection(calls.handlers['tools.install'](asked));
    expect(error).toMatchObject({ code: 'toolchain-missing' });
    expect(error.remedy).toContain('Docker');
  });
});
