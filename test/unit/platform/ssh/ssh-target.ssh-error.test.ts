import { expect, it } from 'vitest';
import { sshError, sshStartError } from '../../../../main/platform/ssh/ssh-target';

const error = (complaint: string) => sshError({ destination: 'ada@gpu1', port: null }, {}, complaint);

it.each([
  [
    'No ED25519 host key is known for gpu1 and you have requested strict checking.\r\nHost key verification failed.\r\n',
    'Run "ssh ada@gpu1" once',
  ],
  [
    '@  WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!  @\nHost key verification failed.',
    'ssh-keygen -R gpu1',
  ],
  ['ada@gpu1: Permission denied (publickey).', 'ssh-add'],
  ['ssh: Could not resolve hostname gpu1: Name or service not known', '~/.ssh/config'],
  ['ssh: connect to host gpu1 port 22: Connection refused', '"ssh ada@gpu1" logs in'],
  ['', '"ssh ada@gpu1" logs in'],
])('says what helps against %j', (complaint, remedy) => {
  expect(error(complaint)).toMatchObject({ code: 'host-unreachable' });
  expect(error(complaint).remedy).toContain(remedy);
});

it('has the reason in its message, and nothing that steers a terminal', () => {
  const hostile = error('x'.repeat(5000));
  expect(hostile.message.length).toBeLessThan(1200);
  const escape = String.fromCharCode(27);
  const { message, details } = error(`first ${escape}]0;title${escape}\\line\n${escape}[31mlast line.`);
  expect(message).toBe('ssh ada@gpu1: last line');
  expect(details).toBe('first line\nlast line.');
});

it('says that ssh is not installed', () => {
  const missing = sshStartError(Object.assign(new Error('spawn ssh ENOENT'), { code: 'ENOENT' }));
  expect(missing.message).toContain('not installed');
});
