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
  ['--instances', 'Give a whole number from 1.'],
  ['--no-field', 'Run the command with --help to see what --no-field takes.'],
])('says what %s takes', (where, text) => {
  expect(remedyOf({ code: 'spec-invalid', where }, 'command')).toBe(text);
});

it('leaves the remedy of the error, and takes that of the code where no field is named', () => {
  expect(remedyOf({ code: 'spec-invalid', where: 'performance.protocol', remedy: 'Do this.' })).toBe(
    'Do this.',
  );
  expect(remedyOf({ code: 'spec-invalid', where: 'my.yaml' }, 'command')).toMatch(/"fields"/);
  expect(remedyOf({ code: 'run-unknown', where: 'performance.protocol' })).toMatch(/List the runs/);
});
