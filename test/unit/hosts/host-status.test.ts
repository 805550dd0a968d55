import { describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../main/contract/errors';
import type { DockerFacts } from '../../../main/contract/machine';
import type { DockerLink } from '../../../main/docker/docker-link';
import { type HostAccess, parseFreeBytes, readHostStatus } from '../../../main/hosts/host-status';
import { readCapture } from '../machine/captures';

const host = { name: 'gpu1', address: 'ssh://gpu1' };
const now = () => new Date(0);
const escape = String.fromCharCode(27);

const noDocker: DockerFacts = {
  reachable: false,
  host: 'ssh://gpu1',
  reason: 'absent',
  message: `${escape}[31mno socket`,
};

const fakeLink = (error: WorkbenchError): DockerLink => ({
  address: () => Promise.reject(error),
  connect: () => Promise.reject(error),
  reconnect: () => Promise.reject(error),
  info: () => Promise.reject(error),
  facts: () => Promise.resolve(noDocker),
  instance: () => Promise.resolve('0123456789abcdef'),
});
const link = fakeLink(new WorkbenchError('docker-unreachable', 'no socket'));

/** A shell that has these programs only. */
const fakeShell =
  (programs: Readonly<Record<string, string>>): NonNullable<HostAccess['run']> =>
  (command) => {
    const [program = ''] = command.split(' ');
    const stdout = { true: '', ...programs }[program];
    return Promise.resolve(
      stdout === undefined
        ? { exitCode: 127, stdout: '', stderr: `sh: ${program}: not found` }
        : { exitCode: 0, stdout, stderr: '' },
    );
  };

const read = (access: HostAccess) => readHostStatus(host, () => Promise.resolve(access), now);

describe('the status of a host', () => {
  it('has the GPUs of its nvidia-smi, also where Docker does not run', async () => {
    const xml = await readCapture('tesla-t4.xml');
    const status = await read({ link, run: fakeShell({ 'nvidia-smi': xml }) });
    expect(status).toMatchObject({
      ...host,
      at: '1970-01-01T00:00:00.000Z',
      reachable: true,
      gpus: { gpus: [{ name: 'Tesla T4' }] },
      docker: { reachable: false, message: 'no socket' },
      images: null,
      runs: null,
    });
  });

  it('says where there is no driver', async () => {
    const status = await read({ link, run: fakeShell({}) });
    expect(status).toMatchObject({
      gpus: { gpus: [], problem: 'nvidia-smi is not installed: no NVIDIA driver on this machine.' },
    });
  });

  it.each([
    ['Host key verification failed.', 'host-key'],
    ['ada@gpu1: Permission denied (publickey).', 'login'],
    ['no answer within 9.5 s', 'timeout'],
    ['Could not resolve hostname gpu1', 'address'],
    ['Connection refused', 'other'],
  ])('that is not reached has a reason: %s', async (message, reason) => {
    const error = new WorkbenchError('host-unreachable', message, { remedy: `do${escape}[2J this` });
    const status = await read({ link, run: () => Promise.reject(error) });
    expect(status).toMatchObject({ reachable: false, reason, message, remedy: 'do this' });
  });

  it('by TLS has no GPUs, and the remedy of Docker', async () => {
    const failing = fakeLink(new WorkbenchError('docker-unreachable', 'no socket', { remedy: 'start it' }));
    expect(await read({ link: failing, run: null })).toMatchObject({ reachable: false, remedy: 'start it' });
  });

  it('is bounded, whatever the host prints', async () => {
    const name = `${'x'.repeat(100_000)}${escape}[2J`;
    const xml = (await readCapture('tesla-t4.xml')).replace('Tesla T4', name);
    const status = await read({ link, run: fakeShell({ 'nvidia-smi': xml }) });
    if (!status.reachable) throw new Error('not reached');
    expect(status.gpus?.gpus[0]?.name).toMatch(/^x{300}$/);
  });
});

it.each([
  ['Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/sda1 100 40 60 40% /var/lib', 60 * 1024],
  ['Filesystem 1024-blocks Used Available Capacity Mounted on\nmy disk 100 40 60 40% /var/lib', 60 * 1024],
  ['df: /nowhere: No such file', null],
  ['', null],
])('reads what df prints: %j', (text, bytes) => {
  expect(parseFreeBytes(text)).toBe(bytes);
});
