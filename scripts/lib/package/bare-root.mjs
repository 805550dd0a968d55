import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { command } from '../command.mjs';
import { SetupError } from '../say.mjs';
import { debootstrap } from '../steps/debootstrap.mjs';

/** The user of the root, who is not root. */
export const user = { name: 'engineer', home: '/home/engineer' };

/** A Debian with nothing but its minimum, kernel file systems, and a user. The mounts end with the process's own namespace. */
export async function makeBareRoot(suite, target, context) {
  rmSync(target, { recursive: true, force: true });
  await debootstrap(
    {
      suite,
      target,
      included: [],
      purpose: 'Testing the package',
      name: `The bare Debian ${suite} of the test`,
      asRoot: 'sudo npm run test:package',
      otherwise: 'test the package on Debian',
    },
    context,
  );
  // The window draws on the display of this machine.
  const sockets = join('tmp', '.X11-unix');
  mkdirSync(join(target, sockets), { recursive: true });
  for (const [what, args] of [
    ['proc', ['-t', 'proc', 'proc']],
    ['dev', ['--rbind', '/dev']],
    [sockets, ['--bind', `/${sockets}`]],
  ]) {
    execFileSync('mount', [...args, join(target, what)]);
  }
  const env = sharePackageIndex(target);
  const root = bareRoot(target, context, env);
  await root.asRoot('useradd', ['--create-home', '--shell', '/bin/sh', user.name]);
  return root;
}

/**
 * What pip of this machine is told of its package index holds in the root too: configuration, certificates, and folders of
 * packages, which are read-only there.
 * @returns the variables that say the rest
 */
function sharePackageIndex(target) {
  const told = Object.entries(process.env).filter(([name]) =>
    /^(PIP_|UV_)|_proxy$|^(SSL_CERT_FILE|REQUESTS_CA_BUNDLE)$/i.test(name),
  );
  const configs = [
    ['/etc/pip.conf', '/etc/pip.conf'],
    [join(homedir(), '.config/pip/pip.conf'), '/etc/xdg/pip/pip.conf'],
    [join(homedir(), '.pip/pip.conf'), '/etc/xdg/pip/pip.conf'],
  ].filter(([from]) => existsSync(from));
  const texts = [...told.map(([, value]) => value), ...configs.map(([from]) => readFileSync(from, 'utf8'))];
  const paths = new Set(
    texts
      .flatMap((text) => text.match(/(?<=^|[\s=]|file:\/\/)\/[^\s/]+\/[^\s]+/gm) ?? [])
      // The files of an index lie beside its pages.
      .map((path) => path.replace(/\/simple\/?$/, ''))
      .filter(existsSync),
  );
  for (const path of paths) {
    const there = join(target, path);
    if (statSync(path).isDirectory()) {
      mkdirSync(there, { recursive: true });
      execFileSync('mount', ['--bind', path, there]);
      execFileSync('mount', ['-o', 'remount,bind,ro', there]);
    } else {
      mkdirSync(dirname(there), { recursive: true });
      copyFileSync(path, there);
    }
  }
  for (const [from, to] of configs) {
    mkdirSync(dirname(join(target, to)), { recursive: true });
    copyFileSync(from, join(target, to));
  }
  return Object.fromEntries(told);
}

/** What runs in the root, as root or as its user, with an environment of its own. */
function bareRoot(target, context, index) {
  const log = context.logFile('bare-root.log');
  const inside = (who, program, args, env = {}) => [
    'chroot',
    ...(who === 'root' ? [] : [`--userspec=${user.name}`]),
    ...[target, '/usr/bin/env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'LANG=C.UTF-8'],
    ...(who === 'root' ? ['DEBIAN_FRONTEND=noninteractive', 'HOME=/root'] : [`HOME=${user.home}`]),
    ...Object.entries(who === 'root' ? env : { ...index, ...env }).map(([name, value]) => `${name}=${value}`),
    program,
    ...args,
  ];
  return {
    target,
    /** The command line, for who starts it otherwise. */
    inside,
    async asRoot(program, args) {
      const [first, ...rest] = inside('root', program, args);
      const done = await command(first, rest, { log, name: program });
      if (done.code !== 0)
        throw new SetupError(`${program} failed in ${target} (log: ${log}):\n${done.output}`);
    },
    /** @returns {Promise<{code: number, output: string, errors: string}>} */
    asUser: (program, args, env) => {
      const [first, ...rest] = inside('user', program, args, env);
      return command(first, rest, { log, collect: true });
    },
    has: (program) =>
      ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/bin'].some((folder) =>
        existsSync(join(target, folder, program)),
      ),
    /** Gives a file of this machine to the root. @returns {string} where it is there */
    give(file) {
      copyFileSync(file, join(target, 'tmp', basename(file)));
      return `/tmp/${basename(file)}`;
    },
    write(path, text) {
      writeFileSync(join(target, path), text);
    },
    processes: () => processesIn(target),
    /** Paths of the root that `wanted` holds for; not those of kernel and home. */
    paths: (wanted) =>
      readdirSync(target)
        .filter((name) => !['proc', 'dev', 'sys', 'home'].includes(name))
        .flatMap((name) => {
          const below = join(target, name);
          return execFileSync('find', [below, '-xdev', ...wanted], { encoding: 'utf8' })
            .split('\n')
            .filter(Boolean);
        })
        .map((path) => path.slice(target.length)),
  };
}

/** Command line and status of each process of a program in this root; Chromium's sandbox gives pages another root. */
function processesIn(target) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const place = [readlinkSync(`/proc/${pid}/root`), readlinkSync(`/proc/${pid}/exe`)];
        if (place[0] !== target && !place[1].startsWith(`${target}/`)) return [];
        // A page's process writes its command line itself, with spaces between the words.
        const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split(/[\0 ]/);
        const status = readFileSync(`/proc/${pid}/status`, 'utf8');
        const field = (name) => new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(status)?.[1] ?? '';
        return [{ pid: Number(pid), args, seccomp: field('Seccomp'), uid: field('Uid') }];
      } catch {
        // It has ended.
        return [];
      }
    });
}
