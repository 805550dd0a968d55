import { expect, it } from 'vitest';
import { sshArguments, sshLogin } from '../../../../main/platform/ssh/ssh-target';

const target = { destination: 'ada@gpu1', port: null };

it('asks nothing, and puts the destination where no option can be', () => {
  const args = sshArguments(target, {});
  expect(args.slice(-2)).toEqual(['--', 'ada@gpu1']);
  for (const option of ['BatchMode=yes', 'ServerAliveInterval=5', 'ServerAliveCountMax=3']) {
    expect(args[args.indexOf(option) - 1], option).toBe('-o');
  }
  // The person's own configuration decides about host keys, else ssh refuses those that it does not know.
  expect(args.join(' ')).not.toContain('StrictHostKeyChecking');
});

it('has the port, and an IPv6 address without brackets', () => {
  const args = sshArguments({ destination: 'ada@[fe80::1]', port: 2222 }, {}, ['-N']);
  expect(args.slice(-5)).toEqual(['-N', '-p', '2222', '--', 'ada@fe80::1']);
});

it('takes a configuration of ssh from the environment', () => {
  const env = { TRITON_WORKBENCH_SSH_CONFIG: '/lab/ssh' };
  expect(sshArguments(target, env).slice(0, 2)).toEqual(['-F', '/lab/ssh']);
  expect(sshLogin(target, env)).toBe('ssh -F /lab/ssh ada@gpu1');
  expect(sshLogin({ ...target, port: 22 }, {})).toBe('ssh -p 22 ada@gpu1');
});
