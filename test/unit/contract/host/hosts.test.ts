import { describe, expect, it } from 'vitest';
import { hostNameSchema } from '../../../../main/contract/host/host-name';
import { hostSchema, newHostSchema, parseHostAddress } from '../../../../main/contract/host/hosts';

const problemsOf = (host: object): readonly string[] => {
  const parsed = newHostSchema.safeParse({ name: 'gpu1', ...host });
  return parsed.success ? [] : parsed.error.issues.map(({ message }) => message);
};

describe('the name of a host', () => {
  it('has lower-case letters, digits and dashes, and is not that of this machine', () => {
    for (const name of ['a', '4090', 'gpu-server-2', 'a'.repeat(32)])
      expect(hostNameSchema.safeParse(name).success, name).toBe(true);
    for (const name of ['', '-a', 'A', 'a_b', 'a b', 'a.b', 'a'.repeat(33), 'local', 'a\n'])
      expect(hostNameSchema.safeParse(name).success, name).toBe(false);
  });
});

it('a new host cannot have the name that means all of them', () => {
  const host = { name: 'all', address: 'ssh://gpu1' };
  expect(problemsOf(host)).toEqual(['"all" means every host of the list']);
  // One that an earlier version took is read as before.
  expect(hostSchema.safeParse({ ...host, addedAt: '2026-11-26T00:00:00.000Z' }).success).toBe(true);
});

describe('the address of a host', () => {
  it('is of ssh, of TLS or the name of a Docker context', () => {
    expect(parseHostAddress('ssh://ada@gpu.example.com:2222')).toEqual({
      kind: 'ssh',
      user: 'ada',
      hostname: 'gpu.example.com',
      port: 2222,
    });
    // A name of ~/.ssh/config.
    expect(parseHostAddress('ssh://dgx_1')).toEqual({
      kind: 'ssh',
      user: null,
      hostname: 'dgx_1',
      port: null,
    });
    expect(parseHostAddress('ssh://[fe80::1]:22')).toMatchObject({ hostname: '[fe80::1]', port: 22 });
    expect(parseHostAddress('tcp://gpu.example.com')).toEqual({
      kind: 'tcp',
      hostname: 'gpu.example.com',
      port: 2376,
    });
    expect(parseHostAddress('context:lab')).toEqual({ kind: 'context', context: 'lab' });
  });

  it.each([
    ['root@gpu1', 'ssh://root@gpu1'],
    [' ada@gpu.example.com ', 'ssh://ada@gpu.example.com'],
    ['ada@gpu.example.com:2222', 'ssh://ada@gpu.example.com:2222'],
    ['ada@fe80::1', 'ssh://ada@[fe80::1]'],
    ['ada@[fe80::1]:22', 'ssh://ada@[fe80::1]:22'],
    ['ssh://ada@gpu1:22', 'ssh://ada@gpu1:22'],
  ])('%j is taken as ssh takes it', (address, kept) => {
    expect(newHostSchema.parse({ name: 'gpu1', address }).address).toBe(kept);
  });

  it.each([
    'gpu1',
    'root@',
    'root@-oProxyCommand=x',
    '-l@gpu1',
    'root@gpu1:0',
    'root@gpu1/path',
    'root@a b',
    'ssh://',
    'ssh://-oProxyCommand=x',
    'ssh://-l@host',
    'ssh://a b',
    'ssh://host/path',
    'ssh://host:0',
    'ssh://host:65536',
    'ssh://host\nx',
    'tcp://',
    'http://host',
    'context:',
    'context:../x',
  ])('%j is refused', (address) => {
    expect(problemsOf({ address })).toHaveLength(1);
  });

  it('holds no password, and no problem repeats one', () => {
    for (const address of [
      'ssh://ada:secret@gpu',
      'tcp://ada:secret@gpu:2376',
      'ssh://:secret@gpu',
      'ada:secret@gpu',
    ]) {
      const [problem = ''] = problemsOf({ address });
      expect(problem).toContain('password');
      expect(problem).not.toContain('secret');
    }
  });

  it('is not said to have a password where only its port is wrong', () => {
    for (const address of ['root@gpu1:x', 'ssh://root@gpu1:x', 'root@gpu1:0'])
      expect(problemsOf({ address })[0]).toContain('not an address of the form user@host');
  });

  it('has certificates with TLS only, by a full path', () => {
    expect(problemsOf({ address: 'tcp://gpu', certificates: '/home/ada/certs' })).toEqual([]);
    expect(problemsOf({ address: 'ssh://gpu', certificates: '/home/ada/certs' })).toHaveLength(1);
    expect(problemsOf({ address: 'tcp://gpu', certificates: 'certs' })).toHaveLength(1);
  });
});
