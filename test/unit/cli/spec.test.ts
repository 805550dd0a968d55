import { afterEach, describe, expect, it, vi } from 'vitest';
import { fieldsPage } from '../../../main/cli/spec';
import { fields } from '../../../main/contract/fields/fields';
import type { SpecProblem } from '../../../main/contract/run/spec-tools';
import { defaultSettings } from '../../../main/contract/settings/settings';
import type { Core } from '../../../main/core';
import { programWith } from '../../support/cli-program';

it('the guide has the page that the fields give', async () => {
  await expect(fieldsPage()).toMatchFileSnapshot('../../../docs/guide/fields.md');
});

it('the page has a row for every field that a person can set', () => {
  const shown = [...fieldsPage().matchAll(/^\| `([^`]+)` \|/gm)].map(([, path]) => path);
  expect(shown).toEqual(fields.filter(({ internal }) => internal !== true).map(({ path }) => path));
});

afterEach(() => vi.restoreAllMocks());

const warning: SpecProblem = {
  ...{ field: 'performance.latencyThresholdMs', severity: 'warning', message: 'It has no effect' },
  remedy: 'Choose a search.',
};
const problem: SpecProblem = { ...warning, field: 'format', severity: 'problem', message: 'Not offered' };

/** What a verb prints of a specification with these problems, and its exit code; `run` ends before there is a run. */
async function printed(problems: readonly SpecProblem[], ...words: string[]) {
  const out = { stdout: '', stderr: '' };
  for (const to of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[to], 'write').mockImplementation((chunk) => {
      out[to] += String(chunk);
      return true;
    });
  }
  const core = {
    handlers: {
      'presets.list': () => Promise.resolve([{ id: 'resnet50' }]),
      'approvals.give': () => Promise.resolve(),
      'spec.resolve': () => Promise.reject(new Error('no run in this test')),
      'settings.get': () =>
        Promise.resolve({ values: defaultSettings, changed: [], unknown: [], invalid: [], broken: null }),
      'spec.check': () => Promise.resolve(problems),
      'spec.preview': () => Promise.resolve({ spec: null, problems, commands: [] }),
      'spec.export': () =>
        problems.some(({ severity }) => severity === 'problem')
          ? Promise.reject(new Error('the first problem'))
          : Promise.resolve({ text: 'version: 1' }),
    },
  };
  const exit = vi.fn();
  const program = programWith({ core: () => Promise.resolve(core as unknown as Core), exit });
  await program.parseAsync(words, { from: 'user' }).catch((error: unknown) => {
    if (!(error instanceof Error && error.message === 'no run in this test')) throw error;
  });
  return { ...out, exits: exit.mock.calls.flat() as unknown };
}

describe('what should be known of a specification', () => {
  const line = 'warning: performance.latencyThresholdMs: It has no effect\n  remedy: Choose a search.\n';

  it.each(['run-yaml', 'shell'])('is beside the form %s', async (form) => {
    expect(await printed([warning], 'spec', 'resnet50', '--as', form)).toEqual({
      ...{ stdout: 'version: 1', stderr: line, exits: [] },
    });
  });

  it('is all that is said where there is none', async () => {
    const { stdout, stderr, exits } = await printed([problem, warning], 'spec', 'resnet50');
    expect({ stdout, exits }).toEqual({ stdout: '', exits: [2] });
    expect(stderr).toBe(`problem: format: Not offered\n  remedy: Choose a search.\n${line}`);
  });

  it('is said before a run', async () => {
    expect((await printed([warning], 'run', 'resnet50')).stderr).toBe(line);
    expect((await printed([warning], 'run', 'resnet50', '--json')).stderr).toBe(line);
  });

  it('is not said before a refusal: the warnings are about what is nearest to it', async () => {
    expect((await printed([problem, warning], 'run', 'resnet50')).stderr).toBe('');
  });
});
