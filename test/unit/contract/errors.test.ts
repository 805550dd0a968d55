import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { toWire } from '../../../main/contract/errors';

it('says what to do where a part of the program is no longer there', () => {
  try {
    createRequire(import.meta.url)('./exporters-of-another-version.cjs');
  } catch (error) {
    expect(toWire(error)).toMatchObject({
      code: 'internal',
      message: "Cannot find module './exporters-of-another-version.cjs'",
      remedy: 'The program was probably updated while it ran. Restart it, and resume the run.',
    });
  }
  expect.assertions(1);
});
