import { execFileSync, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectDocker, type DockerClient } from '../../main/docker/client';
import { dockerdMajor } from './own-dockerd';

const startLimitMs = 60_000;

/** A machine with a Docker Engine and an sshd, in a network namespace of this one. */
export interface RemoteHost {
  readonly name: string;
  /** Of ssh's configuration; it leads to the user of the host. */
  readonly sshConfig: string;
  /** Its engine, by its socket: what it has is looked at past ssh. */
  readonly client: DockerClient;
  /** The line to it is cut: nothing comes through, and nobody is told. */
  cut(): void;
  mend(): void;
  stop(): Promise<void>;
}

interface HostInput {
  readonly name: string;
  /** 1 to 200, one of its own for each: part of its addresses. */
  readonly number: number;
  /** Of the line; as fast as it goes where absent. */
  readonly line?: { readonly mbit: number; readonly delayMs: number };
}

const run = (program: string, ...args: readonly string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

const quietly = (program: string, ...args: readonly string[]): void => {
  try {
    run(program, ...args);
  } catch {
    // There is none.
  }
};

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + startLimitMs;
  while (!(await holds().catch(() => false))) {
    if (performance.now() > end) throw new Error(`not within ${startLimitMs / 1000} s: ${what}`);
    await sleep(100);
  }
}

/** Whether something listens there. */
export const answers = (port: number, host: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host, timeout: 1000 });
    const end = (isThere: boolean) => () => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', end(true));
    socket.once('error', end(false));
    socket.once('timeout', end(false));
  });

/** Hands on what comes after a while: this kernel delays no packets. */
function startDelay(delayMs: number, to: { readonly host: string; readonly port: number }): Promise<Server> {
  const lead = (from: Socket, into: Socket): void => {
    from.on('data', (chunk: Buffer) => {
      setTimeout(() => into.writable && into.write(chunk), delayMs);
    });
    from.on('close', () => setTimeout(() => into.destroy(), delayMs));
    from.on('error', () => into.destroy());
  };
  const server = createServer({ noDelay: true }, (socket) => {
    const there = connect({ ...to, noDelay: true });
    lead(socket, there);
    lead(there, socket);
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve(server);
    });
  });
}

/** Starts it; only root can. Ends with everything that it made, also where it fails. */
export async function startRemoteHost({ name, number, line }: HostInput): Promise<RemoteHost> {
  const folder = await mkdtemp(join(tmpdir(), `twb-host-${name}-`));
  await chmod(folder, 0o755);
  const at = (file: string) => join(folder, file);
  const [space, user, link] = [`twb-${name}`, `twb-${name}`, `twbh${number}`];
  const [here, there] = [`10.199.${number}.1`, `10.199.${number}.2`];
  const socketPath = at('docker.sock');
  const children: ReturnType<typeof spawn>[] = [];
  const servers: Server[] = [];
  const inside = (program: string, ...args: readonly string[]) => [
    `--net=/run/netns/${space}`,
    program,
    ...args,
  ];
  const start = (program: string, ...args: readonly string[]): void => {
    const log = openSync(at(`${program.split('/').pop() ?? ''}.log`), 'a');
    children.push(spawn('nsenter', inside(program, ...args), { stdio: ['ignore', log, log] }));
    closeSync(log);
  };
  const stop = async () => {
    for (const server of servers) server.close();
    for (const child of [...children].reverse()) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM');
        await ended;
      }
    }
    quietly('ip', 'netns', 'delete', space);
    quietly('ip', 'link', 'delete', link);
    quietly('pkill', '-KILL', '-u', user);
    quietly('userdel', '--remove', user);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    quietly('ip', 'netns', 'delete', space);
    quietly('ip', 'link', 'delete', link);
    run('ip', 'netns', 'add', space);
    run('ip', 'link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', space);
    run('ip', 'address', 'add', `${here}/24`, 'dev', link);
    run('ip', 'link', 'set', link, 'up');
    run('nsenter', ...inside('ip', 'address', 'add', `${there}/24`, 'dev', 'eth0'));
    for (const device of ['lo', 'eth0']) run('nsenter', ...inside('ip', 'link', 'set', device, 'up'));
    if (line !== undefined) {
      const shape = ['root', 'tbf', 'rate', `${line.mbit}mbit`, 'burst', '64kbit', 'latency', '400ms'];
      run('tc', 'qdisc', 'add', 'dev', link, ...shape);
      run('nsenter', ...inside('tc', 'qdisc', 'add', 'dev', 'eth0', ...shape));
    }
    quietly('userdel', '--remove', user);
    run('useradd', '--create-home', '--shell', '/bin/sh', '--password', '*', user);

    // Older engines have their id from a key in /etc/docker: all of this machine would be the same machine, and take turns.
    const ownId = dockerdMajor() < 25 ? { 'deprecated-key-path': at('key.json') } : {};
    await writeFile(at('daemon.json'), JSON.stringify(ownId));
    start(
      'dockerd',
      ...[
        '--config-file',
        at('daemon.json'),
        '--host',
        `unix://${socketPath}`,
        '--group',
        user,
        '--pidfile',
        at('pid'),
      ],
      ...['--data-root', at('data'), '--exec-root', at('exec'), '--containerd-namespace', space],
      ...['--bip', `10.200.${number}.1/24`, '--default-address-pool', `base=10.201.${number}.0/24,size=28`],
    );
    for (const key of ['host-key', 'user-key'])
      run('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', at(key));
    await writeFile(at('authorized-keys'), await readFile(at('user-key.pub')));
    await mkdir('/run/sshd', { recursive: true });
    await writeFile(
      at('sshd-config'),
      [
        ...['Port 22', `ListenAddress ${there}`, `HostKey ${at('host-key')}`],
        ...[
          `AuthorizedKeysFile ${at('authorized-keys')}`,
          `AllowUsers ${user}`,
          'StrictModes no',
          'UsePAM no',
        ],
        ...['PidFile none', 'PasswordAuthentication no', `SetEnv DOCKER_HOST=unix://${socketPath}`, ''],
      ].join('\n'),
    );
    start('/usr/sbin/sshd', '-D', '-e', '-f', at('sshd-config'));
    await until('sshd answers', () => answers(22, there));

    const delay = line === undefined ? null : await startDelay(line.delayMs, { host: there, port: 22 });
    if (delay !== null) servers.push(delay);
    const address = delay?.address();
    const [host, port] =
      typeof address === 'object' && address !== null ? ['127.0.0.1', address.port] : [there, 22];
    const [kind = '', key = ''] = (await readFile(at('host-key.pub'), 'utf8')).split(' ');
    await writeFile(at('known-hosts'), `${port === 22 ? host : `[${host}]:${port}`} ${kind} ${key}\n`);
    const sshConfig = [
      `Host ${name}`,
      ...[`HostName ${host}`, `Port ${port}`, `User ${user}`, `IdentityFile ${at('user-key')}`],
      ...['IdentitiesOnly yes', 'IdentityAgent none', `UserKnownHostsFile ${at('known-hosts')}`],
      '',
    ].join('\n  ');
    const docker = { kind: 'unix' as const, host: `unix://${socketPath}`, socketPath };
    await until('dockerd answers', async () => {
      if (existsSync(socketPath)) await connectDocker(docker, {});
      return existsSync(socketPath);
    });
    return {
      name,
      sshConfig,
      client: await connectDocker(docker, {}),
      cut: () => run('ip', 'link', 'set', link, 'down'),
      mend: () => run('ip', 'link', 'set', link, 'up'),
      stop,
    };
  } catch (error) {
    const said = await readFile(at('dockerd.log'), 'utf8').catch(() => '');
    await stop();
    throw new Error(`the host ${name} does not start: ${said.slice(-800)}`, { cause: error });
  }
}
