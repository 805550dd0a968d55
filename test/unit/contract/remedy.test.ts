import { expect, it } from 'vitest';
import { remedyOf } from '../../../main/contract/remedy';

it.each([
  [
    'performance.concurrency.1',
    'Give a list of whole numbers: 1,2,4 on the command line, [1, 2, 4] in run.yaml.',
  ],
  ['configure.maxQueueDelayUs', 'Give a whole number from 0, in µs.'],
  ['performance.protocol', 'Give one of grpc, http.'],
  ['model.dataset', 'Give the path of a folder.'],
  ['performance.percentile', 'Give a whole number from 0 to 99, in %.'],
  ['--percentile', 'Give a whole number from 0 to 99, in %.'],
  ['-i', 'Give one of grpc, http.'],
  ['-b', 'Give a list of whole numbers: 1,2,4 on the command line, [1, 2, 4] in run.yaml.'],
  ['--instances', 'Give a whole number from 1.'],
  ['--no-field', 'Run the command with --help to see what --no-field takes.'],
])('says what %s takes', (where, text) => {
  expect(remedyOf({ code: 'spec-invalid', where }, 'command')).toBe(text);
});

it('names the option of a field that takes any text, on the command line', () => {
  const missing = { code: 'spec-invalid', where: 'engine.url' } as const;
  expect(remedyOf(missing, 'command')).toBe('Give it with --url <url>, or in run.yaml.');
  expect(remedyOf(missing)).not.toContain('--url');
});

it('leaves the remedy of the error, and takes that of the code where no field is named', () => {
  expect(remedyOf({ code: 'spec-invalid', where: 'performance.protocol', remedy: 'Do this.' })).toBe(
    'Do this.',
  );
  expect(remedyOf({ code: 'spec-invalid', where: 'my.yaml' }, 'command')).toMatch(/"fields"/);
  expect(remedyOf({ code: 'run-unknown', where: 'performance.protocol' })).toMatch(/List the runs/);
});
