import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from './triton';

const program = '/usr/sbin/sshd';
const startLimitMs = 30_000;

/** Why no sshd can be started here, after it was printed; null where one can. Where CI is set that is a failure. */
export function sshdProblem(): string | null {
  if (existsSync(program)) return null;
  const problem = `${program} is not installed: apt-get install openssh-server`;
  if ((process.env['CI'] ?? '') !== '') throw new Error(problem);
  process.stderr.write(`Tests with ssh are skipped: ${problem}\n`);
  return problem;
}

/** A real sshd on loopback, with keys and known hosts of its own: nothing of the user's ~/.ssh is read or written. */
export interface TestSshd {
  readonly port: number;
  /** What the workbench is given so that ssh uses this folder only; every host name leads to this sshd. */
  readonly env: NodeJS.ProcessEnv;
  /** Its known_hosts, which has the host key until `forgetHostKey`. */
  forgetHostKey(): Promise<void>;
  /** Ends the connections that there are, as a cut line does; further ones are possible. */
  cut(): Promise<void>;
  /** Logins since the start. */
  logins(): Promise<number>;
  stop(): Promise<void>;
}

/** Ids of the processes below one, the deepest first. */
async function descendants(root: number): Promise<number[]> {
  const children = new Map<number, number[]>();
  for (const name of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const below = (pid: number): number[] =>
    (children.get(pid) ?? []).flatMap((child) => [...below(child), child]);
  return below(root);
}

/** @param sessionEnv what the commands over there find in their environment, as DOCKER_HOST */
export async function startSshd(sessionEnv: Readonly<Record<string, string>> = {}): Promise<TestSshd> {
  const folder = await mkdtemp(join(tmpdir(), 'twb-sshd-'));
  const [port = 0] = await freePorts(1);
  const at = (name: string) => join(folder, name);
  for (const key of ['host-key', 'user-key'])
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at(key)]);
  await copyFile(at('user-key.pub'), at('authorized-keys'));
  const [kind, key] = (await readFile(at('host-key.pub'), 'utf8')).split(' ');
  await writeFile(at('known-hosts'), `[127.0.0.1]:${port} ${kind ?? ''} ${key ?? ''}\n`);
  // What the user's shell does at a login is not for the tests, nor is its end.
  await mkdir(at('home'));
  const set = Object.entries({ HOME: at('home'), ...sessionEnv }).map(
    ([name, value]) => `"${name}=${value}"`,
  );
  await writeFile(
    at('sshd-config'),
    [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${at('host-key')}`,
      `AuthorizedKeysFile ${at('authorized-keys')}`,
      ...['PidFile none', 'UsePAM no', 'StrictModes no', 'PermitRootLogin yes', 'PasswordAuthentication no'],
      ...['MaxStartups 200', 'LogLevel VERBOSE'],
      `SetEnv ${set.join(' ')}`,
      '',
    ].join('\n'),
  );
  await writeFile(
    at('config'),
    [
      'Host *',
      '  HostName 127.0.0.1',
      `  Port ${port}`,
      `  User ${userInfo().username}`,
      `  IdentityFile ${at('user-key')}`,
      '  IdentitiesOnly yes',
      '  IdentityAgent none',
      `  UserKnownHostsFile ${at('known-hosts')}`,
      '  GlobalKnownHostsFile /dev/null',
      '',
    ].join('\n'),
  );
  // sshd of root separates its privileges there; a service makes it at its start.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const child = spawn(program, ['-D', '-E', at('log'), '-f', at('sshd-config')], { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => {
      resolve();
    });
    child.once('exit', () => {
      resolve();
    });
  });
  const log = () => readFile(at('log'), 'utf8').catch(() => '');
  const cut = async () => {
    for (const pid of await descendants(child.pid ?? -1)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
  };
  const stop = async () => {
    await cut();
    child.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  const end = performance.now() + startLimitMs;
  while (!(await log()).includes(`Server listening on 127.0.0.1 port ${port}`)) {
    if (performance.now() < end && child.exitCode === null) {
      await sleep(20);
      continue;
    }
    const said = await log();
    await stop();
    throw new Error(`sshd does not start:\n${said}`);
  }
  return {
    port,
    env: { ...process.env, TRITON_WORKBENCH_SSH_CONFIG: at('config') },
    forgetHostKey: () => writeFile(at('known-hosts'), ''),
    cut,
    logins: async () =>
      (await log()).split('\n').filter((line) => line.startsWith('Accepted publickey ')).length,
    stop,
  };
}
