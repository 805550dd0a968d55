import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, CommanderError } from 'commander';
import { toWire, WorkbenchError } from '../contract/errors';
import { type Core, createCore } from '../core';
import { createElectronPrinter } from '../platform/electron-printer';
import { defaultHome, homeLayout, readableFolder } from '../platform/layout';
import { usageError, verbIn } from './help/command-tree';
import { configPaths, readConfig, withDefaults } from './help/config-file';
import {
  type CliContext,
  createOutput,
  exitCodeOf,
  exitCodes,
  formatError,
  jsonText,
  printText,
} from './output';
import { createProgram } from './program';

/** The bundle is in `out/main`; the repository (or the app) is two folders above. */
const appDir = process.env['TRITON_WORKBENCH_APP'] ?? join(__dirname, '..', '..');
const readable = readableFolder(appDir);
const resources = process.env['TRITON_WORKBENCH_RESOURCES'] ?? join(readable, 'resources');
const bundles = join(readable, 'out', 'main');

/** Read from the package, because a package build may change the version after bundling. */
function appVersion(): string {
  const about: unknown = JSON.parse(readFileSync(join(appDir, 'package.json'), 'utf8'));
  return typeof about === 'object' && about !== null && 'version' in about ? String(about.version) : '?';
}

/** A package runs this file as plain Node through ELECTRON_RUN_AS_NODE; child processes must not inherit it. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const env = { ...process.env };
  delete env['ELECTRON_RUN_AS_NODE'];
  return env;
}

/** The runtime that prints, and its app: in a package it is this very program, which knows its app. */
function printer(env: NodeJS.ProcessEnv, home: string) {
  return readable === appDir
    ? createElectronPrinter({ electron: homeLayout(home).electron, app: appDir, env })
    : createElectronPrinter({ electron: process.execPath, app: null, env });
}

/** Whoever reads may stop reading (`| head`): the work goes on and says the rest to nobody. */
function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}

/** Fails early for cases in which the window could not show an error itself. */
function requireDesktop(isClone: boolean): void {
  if (process.platform !== 'linux') return;
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  const displays = isClone ? [DISPLAY] : [DISPLAY, WAYLAND_DISPLAY];
  if (!displays.some((display) => display !== undefined && display !== '')) {
    throw new WorkbenchError('engine-unavailable', 'The window cannot open: this session has no display', {
      remedy: 'Look at the run here: triton-workbench show RUN.',
    });
  }
  // In a clone the starter takes care of it.
  if (!isClone && process.getuid?.() === 0) {
    throw new WorkbenchError('engine-unavailable', 'The window does not open for root', {
      remedy: 'Open it as another user: Chromium has no sandbox for root.',
    });
  }
}

/** Detached: the window reports its own startup problems. */
function openWindow(args: readonly string[]): Promise<void> {
  const starter = join(appDir, 'scripts', 'start.mjs');
  const isClone = existsSync(starter);
  requireDesktop(isClone);
  if (!isClone && !('electron' in process.versions)) {
    throw new WorkbenchError('engine-unavailable', 'The window cannot be started from here', {
      remedy: 'Open it from the menu of the desktop.',
    });
  }
  const words = isClone ? [starter, ...args] : args;
  const child = spawn(process.execPath, words, { env: ownEnvironment(), detached: true, stdio: 'ignore' });
  child.unref();
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
}

/** Adds defaults from the configuration file. Help does not read them. */
async function wordsOf(program: Command, typed: readonly string[]): Promise<readonly string[]> {
  const { command } = verbIn(program, typed);
  const asksHelp = typed.some((word) => ['-h', '--help', '-V', '--version'].includes(word));
  if (command === program || asksHelp) return typed;
  const config = await readConfig(configPaths(defaultHome(process.env), process.env));
  return config === null ? typed : withDefaults(program, config, typed);
}

const checkOnlyWord = '--check-only';

/** The line is understood; `run` looks at its specification as well. */
function stopUnlessRun(_program: Command, verb: Command): void {
  if (verb.name() !== 'run') throw new CommanderError(0, 'checked', 'The command line is understood');
}

async function main(): Promise<void> {
  outliveReaders();
  const version = appVersion();
  const made: { core: Promise<Core> | null } = { core: null };
  const said = { quiet: false };
  const given = process.argv.slice(2);
  const checkOnly = given[0] === checkOnlyWord;
  const typed = checkOnly ? given.slice(1) : given;
  const context: CliContext = {
    core: () => {
      const env = ownEnvironment();
      const home = defaultHome(env);
      made.core ??= createCore({
        home,
        resources,
        version,
        env,
        workerFile: join(bundles, 'load-worker.cjs'),
        readerFile: join(bundles, 'reader-process.cjs'),
        printPdf: printer(env, home),
        electron: null,
      }).then(async (core) => {
        const closed = await core.handlers['home.closed'](undefined);
        if (closed !== null) printText(`${closed}\n`, 'stderr');
        return core;
      });
      return made.core;
    },
    output: (options) => createOutput(options.json === true, said.quiet),
    exit: (code) => {
      process.exitCode = code;
    },
    checkOnly,
  };
  const program = createProgram(context, { version, openWindow });
  program.on('option:quiet', () => {
    said.quiet = true;
  });
  if (checkOnly) program.hook('preAction', stopUnlessRun);
  let words: readonly string[] = typed;
  try {
    words = await wordsOf(program, typed);
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
      const message = error.exitCode === 0 ? null : usageError(program, typed, error);
      if (message !== null) printText(`${message}\n`, 'stderr');
      if (message !== null && words.includes('--json')) {
        // Commander prefixes its messages.
        const plain = message.replace(/^error: /, '');
        process.stdout.write(`${jsonText({ error: { code: 'input-invalid', message: plain } }, 2)}\n`);
      }
    } else {
      const wire = toWire(error);
      printText(`${formatError(wire)}\n`, 'stderr');
      if (words.includes('--json')) process.stdout.write(`${jsonText({ error: wire }, 2)}\n`);
      process.exitCode = exitCodeOf(wire);
    }
  } finally {
    await (await made.core?.catch(() => null))?.close();
  }
}

void main();
