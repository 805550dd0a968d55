import { expect, it } from 'vitest';
import { errorDocument, formatError } from '../../../../main/cli/print/format-error';

it('an error without a place has no empty line for it', () => {
  expect(formatError({ code: 'spec-invalid', message: 'Unrecognized key: "a"', where: '' })).not.toContain(
    'where',
  );
  expect(formatError({ code: 'spec-invalid', message: 'x', where: '--set' })).toContain('  where:  --set');
});

it('an error document has the remedy that people read', () => {
  expect(errorDocument({ code: 'run-unknown', message: 'Unknown run "a"' })).toEqual({
    error: {
      code: 'run-unknown',
      message: 'Unknown run "a"',
      remedy: 'List the runs with the command "runs".',
    },
  });
  expect(errorDocument({ code: 'internal', message: 'x', remedy: 'Do y.' }).error.remedy).toBe('Do y.');
});

it('an error may have any number of lines of details', () => {
  const details = 'a line\n'.repeat(300_000) + 'the last';
  const text = formatError({ code: 'internal', message: 'Much went wrong', details });
  expect(text.split('\n').slice(-2)).toEqual(['    a line', '    the last']);
});
