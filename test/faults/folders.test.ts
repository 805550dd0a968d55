import { execFile } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { campaignSeed, howMany, printRow } from '../support/campaign';
import { bundleChild } from '../support/child-program';
import { type ForeignFolder, makeForeignFolders } from '../support/foreign/foreign-folders';
import { createSandbox, type Sandbox } from '../support/foreign/sandbox';
import { repository } from '../support/home';
import { parseStrace, type TracedCall } from '../support/strace-log';

const calls =
  'execve,execveat,open,openat,openat2,creat,connect,unlink,unlinkat,rename,renameat,renameat2,rmdir';
/** Where a program's own files are, and what the kernel tells of the machine. */
const system = ['/usr', '/lib', '/lib64', '/bin', '/proc', '/sys', '/dev/shm', '/dev/null', '/dev/urandom'];
const systemFiles = [
  // Of the look-up of a host's name.
  '/etc/nsswitch.conf',
  '/etc/netsvc.conf',
  '/etc/svc.conf',
  '/etc/host.conf',
  '/etc/gai.conf',
  '/etc/ld.so.cache',
  '/etc/os-release',
  '/etc/localtime',
  '/etc/ssl',
  '/etc/resolv.conf',
  '/etc/hosts',
];

let bundles = '';
let sandbox: Sandbox;
beforeAll(async () => {
  bundles = await mkdtemp(join(tmpdir(), 'foreign-child-'));
  sandbox = await createSandbox();
});
afterAll(async () => {
  await sandbox.remove();
  await rm(bundles, { recursive: true, force: true });
});

const isLink = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

const isIn = (path: string, folder: string): boolean => path === folder || path.startsWith(folder + sep);

/** Runs a program of Node under strace. @returns what it said and the calls of all of its processes. */
async function traced(
  file: string,
  args: readonly string[],
  log: string,
): Promise<{ readonly said: string; readonly log: readonly TracedCall[] }> {
  const said = await new Promise<string>((resolve, reject) => {
    execFile(
      'strace',
      [
        '-f',
        '-y',
        '--seccomp-bpf',
        '-s',
        '4096',
        '-e',
        `trace=${calls}`,
        '-o',
        log,
        '--',
        process.execPath,
        file,
        ...args,
      ],
      // Each operation on a file is a call of its own.
      { env: { ...process.env, UV_USE_IO_URING: '0' }, maxBuffer: 2 ** 30 },
      (error, stdout, stderr) => {
        if (error !== null && stdout === '') reject(new Error(`${error.message}\n${stderr}`));
        else resolve(stdout);
      },
    );
  });
  return { said, log: parseStrace(await readFile(log, 'utf8')) };
}

/** The workbench's own process for reading what comes from outside: it is bundled with it, and given no other argument. */
const reader = join(repository, 'out', 'main', 'reader-process.cjs');
const startsReader = ({ path, line }: TracedCall): boolean =>
  path === process.execPath && line.includes(`, ${JSON.stringify(reader)}]`);

/** What is wrong with a call; null where it may be. The first `execve` is the program's own start. */
function wrongWith(call: TracedCall, index: number, allowed: readonly string[]): string | null {
  if (call.name.startsWith('exec'))
    return index === 0 || startsReader(call) ? null : `starts a program: ${call.line.slice(0, 300)}`;
  if (call.name === 'connect')
    return call.line.includes(`${sandbox.home}/none.sock`) ? null : `connects: ${call.line.slice(0, 300)}`;
  const named = [call.path, ...(call.real === null || !call.real.startsWith('/') ? [] : [call.real])];
  const outside = named.find((path) => !allowed.some((folder) => isIn(path, folder)));
  return outside === undefined ? null : `reaches ${outside}: ${call.line.slice(0, 300)}`;
}

interface Said {
  readonly at: number;
  readonly call: string;
  readonly outcome: string;
}

async function openAll(folders: readonly ForeignFolder[]): Promise<{
  readonly said: readonly Said[];
  readonly wrong: readonly string[];
  readonly traced: number;
}> {
  const child = await bundleChild('open-foreign', bundles);
  const plan = join(sandbox.root, 'plan.json');
  await writeFile(
    plan,
    JSON.stringify({ home: sandbox.home, resources: join(repository, 'resources'), folders }),
  );
  const { said, log } = await traced(child, [plan], join(sandbox.root, 'strace.log'));
  const allowed = await Promise.all(
    [sandbox.foreign, sandbox.home, repository, join(repository, 'node_modules'), bundles].map((path) =>
      realpath(path),
    ),
  );
  // Node looks for a package.json above each program.
  const packages = ['/package.json', join(tmpdir(), 'package.json')];
  // A person who names a link means what it leads to.
  const links = folders.flatMap(({ open }) => open).filter((path) => isLink(path));
  const meant = await Promise.all(links.map((path) => realpath(path).catch(() => path)));
  const own = [...allowed, plan, ...packages, ...meant, ...system, ...systemFiles, process.execPath];
  let at = -1;
  const wrong: string[] = [];
  for (const [index, call] of log.entries()) {
    const marked = /\/mark-(\d+)$/.exec(call.path)?.[1];
    if (marked !== undefined) at = Number(marked);
    const problem = wrongWith(call, index, own);
    if (problem === null) continue;
    const folder = folders[at];
    wrong.push(
      `${folder === undefined ? 'start' : `${folder.dir} (${folder.kind}: ${folder.twists.join(', ')})`} ${problem}`,
    );
  }
  const lines = said.split('\n').filter((line) => line !== '');
  return { said: lines.map((line) => JSON.parse(line) as Said), wrong, traced: log.length };
}

it('a program that opens, starts or follows something outside is seen to', async () => {
  const file = join(sandbox.root, 'control.cjs');
  const link = join(sandbox.foreign, 'control-link');
  await writeFile(
    file,
    `const fs = require('fs');
fs.symlinkSync(${JSON.stringify(join(sandbox.outside, 'secret.txt'))}, ${JSON.stringify(link)});
fs.readFileSync(${JSON.stringify(link)});
require('child_process').execFileSync('/bin/true');
fs.promises.readFile(${JSON.stringify(join(sandbox.outside, 'odd\n\u202ename'))}).catch(() => console.log('done'));`,
  );
  const { log } = await traced(file, [], join(sandbox.root, 'control.log'));
  const wrong = log.flatMap(
    (call, index) => wrongWith(call, index, [sandbox.foreign, file, ...system, ...systemFiles]) ?? [],
  );
  expect(wrong.some((text) => text.startsWith(`reaches ${join(sandbox.outside, 'secret.txt')}`))).toBe(true);
  expect(wrong.some((text) => text.startsWith('starts a program') && text.includes('/bin/true'))).toBe(true);
  expect(wrong.some((text) => text.startsWith(`reaches ${join(sandbox.outside, 'odd\n\u202ename')}`))).toBe(
    true,
  );
  await rm(link);
});

it('folders of outsiders are opened, and nothing of them is executed, blocks or leads outside', async () => {
  const folders = await makeForeignFolders(sandbox, howMany(1000, 60), campaignSeed);
  const before = await sandbox.outsideNow();
  const { said, wrong, traced: count } = await openAll(folders);
  const hung = said.filter(({ outcome }) => outcome === 'hangs');
  const faults = said.filter(({ outcome }) => outcome === 'internal');
  const isWhole = said.at(-1)?.call === 'end';
  const changed = (await sandbox.outsideNow()) !== before;
  const started = wrong.filter((text) => text.includes(' starts a program')).length;
  await printRow({
    what: 'untrusted folders (models, runs, specifications, repositories) opened under strace',
    trials: folders.length,
    result:
      `${said.length} calls, ${count} system calls: ${started} programs started, ${wrong.length - started} reached outside, ` +
      `${hung.length} hung, ${faults.length} internal errors, canaries ${changed ? 'changed' : 'unchanged'}`,
  });
  const described = ({ at, call }: Said) => {
    const folder = folders[at];
    return `${call} of ${folder?.dir ?? ''} (${folder?.kind ?? ''}: ${folder?.twists.join(', ') ?? ''})`;
  };
  expect(wrong.slice(0, 20)).toEqual([]);
  expect(hung.map(described)).toEqual([]);
  expect(faults.map(described).slice(0, 20)).toEqual([]);
  expect(isWhole).toBe(true);
  expect(changed).toBe(false);
});
