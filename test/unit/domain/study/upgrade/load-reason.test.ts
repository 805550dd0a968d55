import { expect, it } from 'vitest';
import { servingFailure } from '../../../../../main/domain/study/upgrade/load-reason';

const failure = (details?: string) =>
  servingFailure({ code: 'model-load-failed', message: 'Triton could not load m', details });

it('has the first line of what Triton says, without what it says of every load', () => {
  const log =
    "load failed for model 'm': version 1 is at UNAVAILABLE state: Internal: ModuleNotFoundError: No module named 'numpy'\n\nAt:\n  /m/1/model.py(14): <module>\n;\n";
  expect(failure(log)).toBe("Triton could not load m: ModuleNotFoundError: No module named 'numpy'");
  expect(
    failure("load failed for model 'm': version 1 is at UNAVAILABLE state: Invalid argument: no file;"),
  ).toBe('Triton could not load m: no file');
  expect(failure('  plain words.  ')).toBe('Triton could not load m: plain words');
  expect(failure('ImportError: no y')).toBe('Triton could not load m: ImportError: no y');
  expect(failure('x'.repeat(400))).toBe(`Triton could not load m: ${'x'.repeat(300)}…`);
});

it('is the message where nothing more is said, and for other errors', () => {
  expect(failure()).toBe('Triton could not load m');
  expect(failure('could not load m')).toBe('Triton could not load m');
  const gone = { code: 'server-gone', message: 'Triton ended', details: 'the last line' } as const;
  expect(servingFailure(gone)).toBe('Triton ended');
});
