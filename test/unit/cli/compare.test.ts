import { expect, it } from 'vitest';
import type { Core } from '../../../main/core';
import { programWith } from '../../support/cli-program';
import { rejection } from '../../support/rejection';

it('says in which order published figures and a run are named', async () => {
  const program = programWith({ core: () => Promise.resolve({} as Core) });
  const asked = program.parseAsync(['compare', 'nightly', 'published:A100'], { from: 'user' });
  expect(await rejection(asked)).toMatchObject({
    code: 'input-invalid',
    remedy: 'Use: triton-workbench compare published:A100 nightly',
  });
});
