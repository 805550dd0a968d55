import { expect, it } from 'vitest';
import { formatError } from '../../../main/cli/output';

it('an error without a place has no empty line for it', () => {
  expect(formatError({ code: 'spec-invalid', message: 'Unrecognized key: "a"', where: '' })).not.toContain(
    'where',
  );
  expect(formatError({ code: 'spec-invalid', message: 'x', where: '--set' })).toContain('  where:  --set');
});
