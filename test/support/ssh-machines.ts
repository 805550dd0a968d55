import { execFileSync } from 'node:child_process';
import { chmod, copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import type { DockerClient } from '../../main/docker/client';
import { ensureIdleImage } from './docker';
import { answers } from './remote-host';
import { until } from './until';

/** Containers with an sshd each, which see the programs and the Docker Engine of this machine. */
export interface SshMachines {
  readonly names: readonly string[];
  /** For TRITON_WORKBENCH_SSH_CONFIG: each name leads to its container. */
  readonly sshConfig: string;
  /** Ends one, as a machine that is switched off. */
  end(name: string): Promise<void>;
  stop(): Promise<void>;
}

const sshdConfig = [
  ...['Port 22', 'HostKey /keys/host-key', 'AuthorizedKeysFile /keys/authorized-keys', 'PidFile none'],
  ...[
    'UsePAM no',
    'StrictModes no',
    'PermitRootLogin yes',
    'PasswordAuthentication no',
    'MaxStartups 200',
    '',
  ],
].join('\n');

/** The programs are those of this machine, read-only: an image of them would be as large as it is. */
const binds = (keys: string, socketPath: string): readonly string[] => [
  ...['/usr:/usr:ro', '/usr/lib:/lib:ro', '/usr/lib64:/lib64:ro', '/usr/bin:/bin:ro', '/usr/sbin:/sbin:ro'],
  ...['/etc:/etc:ro', `${keys}:/keys:ro`, `${socketPath}:/var/run/docker.sock`],
];

async function startMachine(docker: Docker, name: string, image: string, mounts: readonly string[]) {
  const container = await docker.createContainer({
    Image: image,
    Hostname: name,
    Entrypoint: ['/usr/sbin/sshd', '-D', '-e', '-f', '/keys/sshd-config'],
    HostConfig: { Binds: [...mounts], Tmpfs: { '/run/sshd': 'mode=0755' }, AutoRemove: true },
  });
  await container.start();
  const { NetworkSettings } = await container.inspect();
  const address = Object.values(NetworkSettings.Networks)[0]?.IPAddress ?? '';
  await until(`sshd of ${name} answers`, () => answers(22, address));
  return { name, container, address };
}

/** Only root can: the keys of their sshd are root's. */
export async function startSshMachines(
  { docker, address: engine }: DockerClient,
  names: readonly string[],
): Promise<SshMachines> {
  const folder = await mkdtemp(join(tmpdir(), 'twb-machines-'));
  const at = (file: string) => join(folder, file);
  const started: Awaited<ReturnType<typeof startMachine>>[] = [];
  const stop = async () => {
    await Promise.all(
      started.map(({ container }) => container.remove({ force: true }).catch(() => undefined)),
    );
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await chmod(folder, 0o755);
    for (const key of ['host-key', 'user-key'])
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at(key)]);
    await copyFile(at('user-key.pub'), at('authorized-keys'));
    await writeFile(at('sshd-config'), sshdConfig);
    const image = await ensureIdleImage(docker);
    const socketPath = engine.kind === 'unix' ? engine.socketPath : '/var/run/docker.sock';
    for (const name of names)
      started.push(await startMachine(docker, name, image, binds(folder, socketPath)));

    const hostKey = (await readFile(at('host-key.pub'), 'utf8')).split(' ').slice(0, 2).join(' ');
    await writeFile(at('known-hosts'), started.map(({ address }) => `${address} ${hostKey}\n`).join(''));
    const common = [
      ...[`IdentityFile ${at('user-key')}`, 'User root', 'IdentitiesOnly yes', 'IdentityAgent none'],
      ...[`UserKnownHostsFile ${at('known-hosts')}`, 'GlobalKnownHostsFile /dev/null', ''],
    ];
    const blocks = started.map(({ name, address }) =>
      [`Host ${name}`, `HostName ${address}`, ...common].join('\n  '),
    );
    await writeFile(at('config'), blocks.join('\n'));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    names,
    sshConfig: at('config'),
    end: async (name) => {
      await started.find((one) => one.name === name)?.container.kill();
    },
    stop,
  };
}
