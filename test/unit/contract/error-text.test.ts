import { expect, it } from 'vitest';
import { beyondTitle, cliRemedyOf, titledMessage } from '../../../main/contract/error-text';

const code = 'docker-unreachable';
const title = 'Cannot connect to the Docker daemon';

it.each([
  ['the host left', `${title}: the host left`, 'the host left'],
  [
    `${title} at unix:///a: connect ENOENT`,
    `${title} at unix:///a: connect ENOENT`,
    'At unix:///a: connect ENOENT',
  ],
  [title, title, ''],
])('"%s" says once what its title says', (message, titled, beyond) => {
  expect(titledMessage({ code, message })).toBe(titled);
  expect(beyondTitle({ code, message })).toBe(beyond);
});

it('gives remedies that fit a command without a run, and without a form', () => {
  expect(cliRemedyOf('port-taken')).toContain('choose another port, or set none to use a free one');
  expect(cliRemedyOf('file-unwritable')).toContain('Then repeat the command, or resume the run.');
  expect(cliRemedyOf('disk-full')).toContain('Then repeat the command, or resume the run.');
});
