import { expect, it } from 'vitest';
import { sshArguments } from '../../../main/docker/client';

const address = { kind: 'ssh', host: 'ssh://me@gpu-box', destination: 'me@gpu-box' } as const;

it('asks nothing, and puts the destination where no option can be', () => {
  const batch = ['-o', 'BatchMode=yes', '-o', 'ConnectTimeout=10'];
  const command = ['--', 'me@gpu-box', 'docker', 'system', 'dial-stdio'];
  expect(sshArguments({ ...address, port: null })).toEqual([...batch, ...command]);
  expect(sshArguments({ ...address, port: 2222 })).toEqual([...batch, '-p', '2222', ...command]);
});
