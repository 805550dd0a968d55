import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { bootstrap, needs } from './lib/bootstrap.mjs';
import { command } from './lib/command.mjs';
import { foreground } from './lib/foreground.mjs';
import { repoRoot } from './lib/layout.mjs';
import { main } from './lib/main.mjs';
import { makeBareRoot, user } from './lib/package/bare-root.mjs';
import { buildTwice, compareDebs } from './lib/package/reproducible.mjs';
import { say, seconds, SetupError } from './lib/say.mjs';
import { startXvfb } from './lib/xvfb.mjs';

const suites = ['bookworm', 'trixie'];
const help = `npm run test:package -- [${suites.join('|')}]...
Makes the deb, installs it in a bare Debian 12 (bookworm) and 13 (trixie), and uses it there as a user who is not root: command
line, window, set-up and demo, and what is left once it is removed. Both, one after the other, when none is named. Needs root.
Takes ten minutes. Exit code 1: a check failed.

npm run test:package -- reproducible
Builds the deb twice from the sources, with another time zone, language and umask, and compares both byte for byte. Does not need
root. With the paths of two debs, it compares these. Exit code 1: they differ; what differs is named.`;
const program = '/usr/lib/triton-workbench/triton-workbench';
/** Set where this process has mounts of its own. */
const ownMounts = 'TRITON_WORKBENCH_TEST_MOUNTS';
const waitsMs = 60_000;
/** On a slow line and a busy machine. */
const [setUpMs, demoMs] = [1_200_000, 600_000];

function chosen(args) {
  const unknown = args.find((arg) => !suites.includes(arg));
  if (unknown !== undefined)
    throw new SetupError(`Unknown Debian "${unknown}": choose from ${suites.join(', ')}.`);
  if (process.getuid() !== 0) {
    throw new SetupError(
      'A package is installed into a bare Debian, which only root can do: type "sudo npm run test:package" and run the command again.',
    );
  }
  return args.length === 0 ? suites : args;
}

async function until(what, holds, mostMs = waitsMs) {
  const startMs = performance.now();
  for (;;) {
    const value = await holds();
    if (value) return value;
    assert.ok(performance.now() - startMs < mostMs, `not within ${mostMs / 1000} s: ${what}`);
    await sleep(100);
  }
}

/** A program that starts the packaged window in the root, for Playwright, which starts windows itself. */
function starter(root, folder, display) {
  const path = join(folder, `start-${Math.random().toString(36).slice(2)}`);
  const words = root.inside('user', program, [], { DISPLAY: display }).map((word) => `'${word}'`);
  writeFileSync(path, `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`);
  chmodSync(path, 0o755);
  return path;
}

const renderersOf = (root) => root.processes().filter(({ args }) => args.includes('--type=renderer'));

/** The pages' processes are in Chromium's sandbox: under a seccomp filter, of the user, by no flag without it. */
async function checkSandbox(root) {
  const found = await until('a page under a seccomp filter', () => {
    const pages = renderersOf(root);
    return pages.length > 0 && pages.every(({ seccomp }) => seccomp === '2') ? pages : null;
  });
  for (const { args, uid } of [...root.processes().filter(({ args }) => args[0] === program), ...found]) {
    assert.ok(!args.includes('--no-sandbox'), `${args.join(' ')} is without the sandbox`);
    assert.notEqual(uid, '0');
  }
}

/** By mouse alone, as somebody does who has just installed it; the tools come from the package index of this machine. */
async function setUpAndDemo(root, folder, display) {
  const { _electron } = await import('@playwright/test');
  const executablePath = starter(root, folder, display);
  const app = await _electron.launch({ executablePath, chromiumSandbox: true, timeout: waitsMs });
  try {
    const page = await app.firstWindow();
    page.setDefaultTimeout(waitsMs);
    const open = (name) =>
      page.getByRole('navigation', { name: 'Pages' }).getByRole('button', { name }).click();
    await open('Environment');
    await page.getByRole('button', { name: 'Install all missing' }).click();
    const failure = page.getByRole('alert').filter({ hasText: 'The installation failed' });
    for (const tool of ['python', 'triton', 'perf-analyzer']) {
      const ready = page.locator(`[data-tool="${tool}"][data-state="ready"]`);
      await ready.or(failure).first().waitFor({ timeout: setUpMs });
      assert.equal(await ready.count(), 1, `${tool}: ${(await failure.allInnerTexts()).join(' ')}`);
    }
    await open('Runs');
    await page.getByRole('button', { name: 'Start the ResNet-50 demo' }).click();
    const shown = await until(
      'the demo is done',
      async () => {
        const { output } = await root.asUser('triton-workbench', ['show', 'latest', '--json']);
        const run = output.startsWith('{') ? JSON.parse(output) : null;
        return run === null || run.status === 'running' ? null : run;
      },
      demoMs,
    );
    assert.equal(shown.status, 'done', JSON.stringify(shown.error));
    const pdf = join(root.target, shown.dir, 'results', 'report.pdf');
    assert.equal(readFileSync(pdf).subarray(0, 5).toString('latin1'), '%PDF-');
  } finally {
    // Not by its cross: it would ask about a run under way.
    app.process().kill('SIGTERM');
  }
  await until('the window has ended', () => root.processes().length === 0);
}

/** The manual page and the completions of the shells. */
function checkShellFiles(root) {
  const share = join(root.target, 'usr', 'share');
  for (const [file, text] of [
    ['man/man1/triton-workbench.1.gz', '.SH COMMANDS'],
    ['bash-completion/completions/triton-workbench', 'complete -o default'],
    ['zsh/vendor-completions/_triton-workbench', '#compdef triton-workbench'],
    ['fish/vendor_completions.d/triton-workbench.fish', 'complete -c triton-workbench'],
  ]) {
    const content = readFileSync(join(share, file));
    assert.ok((file.endsWith('.gz') ? gunzipSync(content) : content).includes(text), file);
  }
}

/** Where Python is too new and none can be downloaded: the address is one that nobody answers at. */
async function saysWhichPython(root) {
  const ended = await root.asUser('triton-workbench', ['setup', '--yes'], {
    UV_PYTHON_INSTALL_MIRROR: 'http://127.0.0.1:9/python',
  });
  assert.notEqual(ended.code, 0);
  assert.match(ended.output + ended.errors, /found: Python 3\.13/);
  assert.match(ended.output + ended.errors, /use the engine "docker"/);
}

/** One check after the other; the first that fails ends those of its root, as the next ones need what it did. */
function checksOf(suite, root, { deb, folder, display, identity }) {
  const given = join(user.home, 'run.yaml');
  return {
    'has neither Node nor Python': () => {
      for (const name of ['node', 'npm', 'python3']) assert.ok(!root.has(name), `${name} is there already`);
    },
    'is installed by apt, with what it depends on and no more': async () => {
      const file = root.give(deb);
      await root.asRoot('apt-get', ['update']);
      await root.asRoot('apt-get', ['install', '-y', '--no-install-recommends', file]);
      for (const name of ['node', 'npm']) assert.ok(!root.has(name), `${name} came with it`);
      assert.ok(statSync(join(root.target, 'usr/lib/triton-workbench/chrome-sandbox')).mode & 0o4000);
    },
    'has a command line, which says what it is': async () => {
      const version = await root.asUser('triton-workbench', ['--version']);
      assert.equal(version.output.trim(), identity);
      // Without a display there is no window to open.
      const help = await root.asUser('triton-workbench', []);
      assert.match(help.output, /^Usage: triton-workbench/);
      checkShellFiles(root);
      const presets = await root.asUser('triton-workbench', ['presets', '--json']);
      assert.ok(JSON.parse(presets.output).length >= 5, presets.errors);
    },
    'opens its window as a user who is not root, with Chromium’s sandbox on': async () => {
      const [first, ...rest] = root.inside('user', 'triton-workbench', [], { DISPLAY: display });
      const child = spawn(first, rest, { stdio: 'ignore' });
      await checkSandbox(root);
      child.kill('SIGTERM');
      await until('the window has ended', () => root.processes().length === 0);
    },
    'opens a run.yaml, refuses an address that names no run, and is driven page by page': async () => {
      const { _electron } = await import('@playwright/test');
      root.write(given, 'model:\n  preset: tft\nperformance:\n  batchSizes: [1, 2, 4]\n');
      const executablePath = starter(root, folder, display);
      const app = await _electron.launch({
        executablePath,
        args: [given],
        chromiumSandbox: true,
        timeout: waitsMs,
      });
      try {
        const page = await app.firstWindow();
        await page.getByRole('status').filter({ hasText: 'run.yaml' }).waitFor();
        await checkSandbox(root);
        const second = await root.asUser('triton-workbench', ['triton-workbench://run/../x'], {
          DISPLAY: display,
        });
        assert.equal(second.code, 0, second.errors);
        await page.getByText('The address does not name a run').waitFor();
        await page
          .getByRole('navigation', { name: 'Pages' })
          .getByRole('button', { name: 'Environment' })
          .click();
        await page.getByRole('heading', { level: 1, name: 'Environment' }).waitFor();
      } finally {
        await app.close();
      }
      await until('the window has ended', () => root.processes().length === 0);
    },
    ...(suite === 'bookworm'
      ? {
          'sets itself up in the window and takes the demo to a PDF': () =>
            setUpAndDemo(root, folder, display),
        }
      : { 'says that it needs another Python, and what does without': () => saysWhichPython(root) }),
    'is removed and leaves nothing outside the home': async () => {
      await root.asRoot('apt-get', [
        'purge',
        '-y',
        identity.includes('-test') ? 'triton-workbench-test' : 'triton-workbench',
      ]);
      rmSync(join(root.target, 'tmp', deb.split('/').at(-1)));
      const left = root.paths(['-iname', '*triton*workbench*', '-o', '-user', String(ownerOf(root))]);
      assert.deepEqual(
        left.filter((path) => !path.startsWith('/var/cache/apt/')),
        [],
      );
    },
  };
}

const ownerOf = (root) => statSync(join(root.target, user.home)).uid;

async function checkRoot(suite, facts, context) {
  const startMs = performance.now();
  say(`\n── Debian ${suite}`);
  const target = join(facts.folder, suite);
  const root = await makeBareRoot(suite, target, context);
  say(`  a bare root in ${seconds(startMs)}`);
  const checks = Object.entries(checksOf(suite, root, facts));
  let passed = 0;
  for (const [name, check] of checks) {
    const checkMs = performance.now();
    try {
      await check();
      passed += 1;
      say(`✓ ${name} (${seconds(checkMs)})`);
    } catch (error) {
      say(`✗ ${name}\n${error.stack ?? error}`);
      for (const { pid } of root.processes()) process.kill(pid, 'SIGKILL');
      break;
    }
  }
  return { passed, failed: checks.length - passed };
}

const dist = join(repoRoot, 'dist');

const newestDeb = () =>
  readdirSync(dist)
    .filter((file) => /^triton-workbench-test_.*\.deb$/.test(file))
    .sort((a, b) => statSync(join(dist, a)).mtimeMs - statSync(join(dist, b)).mtimeMs)
    .at(-1);

async function packageForTests() {
  const made = await command(process.execPath, [join(repoRoot, 'scripts', 'package.mjs'), '--test', 'deb'], {
    cwd: repoRoot,
    show: (line) => line,
  });
  if (made.code !== 0) throw new SetupError('The package was not made: see above.');
  const name = newestDeb();
  const identity = name.split('_')[1].replace('~', '-');
  return { deb: join(dist, name), identity };
}

/** @param {string[]} debs two that are there already; none: they are built */
async function checkReproducible(debs) {
  if (debs.length !== 0 && debs.length !== 2)
    throw new SetupError('Two debs are compared: name both, or none.');
  const keep = join(dist, 'reproducible');
  const [first, second] =
    debs.length === 2 ? debs : await buildTwice(repoRoot, keep, () => join(dist, newestDeb()));
  const found = await compareDebs(first, second, keep);
  if ('sum' in found) {
    say(`✓ both are the same byte for byte (SHA-256 ${found.sum})`);
    process.stdout.write('1 passed, 0 failed\n');
    return 0;
  }
  say(`✗ they differ in:\n${found.differences.join('\n')}`);
  process.stdout.write('0 passed, 1 failed\n');
  return 1;
}

const mountsBelow = (folder) =>
  readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((place) => place.startsWith(`${folder}/`))
    .sort()
    .reverse();

/** Removes the roots, and nothing of this machine that is still mounted in one of them. */
async function removeRoots(folder) {
  for (const place of mountsBelow(folder)) await command('umount', ['--lazy', place]);
  if (mountsBelow(folder).length === 0) rmSync(folder, { recursive: true, force: true });
}

await main(async (args) => {
  if (args.includes('--help') || args.includes('-h')) {
    say(help);
    return 0;
  }
  if (args[0] === 'reproducible') return checkReproducible(args.slice(1));
  const wanted = chosen(args);
  if (process.env[ownMounts] === undefined) {
    const again = ['--mount', '--propagation', 'private', process.execPath, import.meta.filename, ...args];
    return foreground('unshare', again, { env: { ...process.env, [ownMounts]: '1' } });
  }
  const system = { packages: ['window', 'test', 'docker-base'], purpose: 'Testing the package' };
  const context = await bootstrap(needs.report, system);
  const made = await packageForTests();
  const folder = mkdtempSync(join(tmpdir(), 'workbench-package-'));
  const { display, stop } = await startXvfb();
  const sum = { passed: 0, failed: 0 };
  try {
    for (const suite of wanted) {
      const { passed, failed } = await checkRoot(suite, { ...made, folder, display }, context);
      sum.passed += passed;
      sum.failed += failed;
    }
  } finally {
    stop();
    await removeRoots(folder);
  }
  process.stdout.write(`${sum.passed} passed, ${sum.failed} failed\n`);
  return sum.failed === 0 ? 0 : 1;
});
