import { expect, it } from 'vitest';
import { requireWritten } from '../../../../main/core/upgrade/upgrade-calls';
import { repositorySpec } from '../../../support/repository-source';
import { specFixture } from '../../../support/run-state';

it('refuses a repository as it is, and says what takes its place', () => {
  const runId = 'a-run';
  expect(() => requireWritten({ runId, source: { spec: specFixture() } })).not.toThrow();
  expect(() => requireWritten({ runId, source: { spec: repositorySpec() } })).toThrow(
    expect.objectContaining({
      code: 'combination-unsupported',
      where: runId,
      remedy: expect.stringMatching(/compare the two runs, or run the model with --rewrite/) as string,
    }) as Error,
  );
});
