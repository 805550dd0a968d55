import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, CommanderError } from 'commander';
import { toWire, type WireError, WorkbenchError } from '../contract/errors';
import type { Core, CoreOptions } from '../core';
import type { ReadingCore, ReadingOptions } from '../core/reading-core';
import { cliDefaultsFiles, defaultHome, homeLayout, readableFolder } from '../platform/layout';
import type { VerbOptions } from './every-verb';
import { requireKnownVerb, usageError, verbIn } from './help/command-tree';
import { type CliContext, createOutput, exitCodeOf, exitCodes, jsonText, printText } from './output';
import { colorsFor, outliveReaders, useColors } from './print/terminal';
import { createProgram, lightVerbs } from './program';
import type { Verb } from './verb';

interface Program {
  readonly appDir: string;
  readonly version: string;
}

/** A package runs this file as plain Node through ELECTRON_RUN_AS_NODE; child processes must not inherit it. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const env = { ...process.env };
  delete env['ELECTRON_RUN_AS_NODE'];
  return env;
}

/** The runtime that prints, and its app: in a package it is this very program, which knows its app. */
async function printer(appDir: string, env: NodeJS.ProcessEnv, home: string) {
  const { createElectronPrinter } = await import('../platform/electron-printer');
  return readableFolder(appDir) === appDir
    ? createElectronPrinter({ electron: homeLayout(home).electron, app: appDir, env })
    : createElectronPrinter({ electron: process.execPath, app: null, env });
}

/** Fails early for cases in which the window could not show an error itself. */
function requireDesktop(isClone: boolean): void {
  if (process.platform !== 'linux') return;
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  const displays = isClone ? [DISPLAY] : [DISPLAY, WAYLAND_DISPLAY];
  if (!displays.some((display) => display !== undefined && display !== '')) {
    throw new WorkbenchError('engine-unavailable', 'The window cannot open: this session has no display', {
      remedy: 'Show the run in the terminal: triton-workbench show RUN.',
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
async function openWindow(appDir: string, args: readonly string[]): Promise<void> {
  const starter = join(appDir, 'scripts', 'start.mjs');
  const isClone = existsSync(starter);
  requireDesktop(isClone);
  if (!isClone && !('electron' in process.versions)) {
    throw new WorkbenchError('engine-unavailable', 'The window cannot be started from here', {
      remedy: 'Open it from the menu of the desktop.',
    });
  }
  const { spawn } = await import('node:child_process');
  const words = isClone ? [starter, ...args] : args;
  const child = spawn(process.execPath, words, { env: ownEnvironment(), detached: true, stdio: 'ignore' });
  child.unref();
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
}

/** Whether a configuration file may exist: it may name every verb. */
function mayHaveConfig(): boolean {
  try {
    const files = cliDefaultsFiles(defaultHome(process.env), process.env);
    return files.some((file) => lstatSync(file, { throwIfNoEntry: false }) !== undefined);
  } catch {
    return true;
  }
}

/** The verb of these words where it needs no other, else all. */
async function verbsOf(
  typed: readonly string[],
  options: VerbOptions,
): Promise<(program: Verb, context: CliContext) => void> {
  const add = mayHaveConfig() ? null : await lightVerbs(typed);
  if (add !== null) return add;
  const { addEveryVerb } = await import('./every-verb');
  return (program, context) => addEveryVerb(program, context, options);
}

/** Adds defaults from the configuration file. Help does not read them. */
async function wordsOf(program: Command, typed: readonly string[]): Promise<readonly string[]> {
  const { command } = verbIn(program, typed);
  if (typed.some((word) => word === '-h' || word === '--help')) requireKnownVerb(program, typed);
  const asksHelp = typed.some((word) => ['-h', '--help', '-V', '--version'].includes(word));
  if (command === program || asksHelp) return typed;
  if (!mayHaveConfig()) return typed;
  const { readConfig, withDefaults } = await import('./help/config-file');
  const config = await readConfig(cliDefaultsFiles(defaultHome(process.env), process.env));
  return config === null ? typed : withDefaults(program, config, typed);
}

const checkOnlyWord = '--check-only';

/** The line is understood; `run` looks at its specification as well. */
function stopUnlessRun(_program: Command, verb: Command): void {
  if (verb.name() !== 'run') throw new CommanderError(0, 'checked', 'The command line is understood');
}

/** Loaded on demand: help and wrong command lines need none of it. */
async function coreOf(appDir: string, options: Omit<CoreOptions, 'printPdf'>): Promise<Core> {
  const { createCore } = await import('../core');
  const core = await createCore({ ...options, printPdf: await printer(appDir, options.env, options.home) });
  await sayClosed(core);
  return core;
}

async function readingOf(options: ReadingOptions): Promise<ReadingCore> {
  const { createReadingCore } = await import('../core/reading-core');
  const core = await createReadingCore(options);
  await sayClosed(core);
  return core;
}

async function sayClosed({ handlers }: ReadingCore): Promise<void> {
  const closed = await handlers['home.closed'](undefined);
  if (closed !== null) printText(`${closed}\n`, 'stderr');
}

/** Says what went wrong. @returns the exit code */
async function endWith(
  error: unknown,
  program: Command,
  { typed, isJson }: { readonly typed: readonly string[]; readonly isJson: boolean },
): Promise<number> {
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.done;
  const { errorDocument, formatError } = await import('./print/format-error');
  const say = (text: string, wire: WireError) => {
    printText(`${text}\n`, 'stderr');
    if (isJson) process.stdout.write(`${jsonText(errorDocument(wire), 2)}\n`);
  };
  if (!(error instanceof CommanderError)) {
    const wire = toWire(error);
    say(formatError(wire), wire);
    return exitCodeOf(wire);
  }
  const message = usageError(program, typed, error);
  // Commander prefixes its messages.
  const plain = message?.replace(/^error: /, '') ?? '';
  const [, reason = plain, remedy] = /^(.*)\. (See "[^"]*"\.)$/.exec(plain) ?? [];
  if (message !== null) say(message, { code: 'input-invalid', message: reason, remedy });
  return exitCodes.usage;
}

/** Parses and runs the command line of this process. */
export async function main({ appDir, version }: Program): Promise<void> {
  outliveReaders();
  const readable = readableFolder(appDir);
  const resources = process.env['TRITON_WORKBENCH_RESOURCES'] ?? join(readable, 'resources');
  const bundles = join(readable, 'out', 'main');
  const made: { core: Promise<Core> | null } = { core: null };
  const said = { quiet: false };
  const given = process.argv.slice(2);
  useColors({
    stdout: colorsFor(process.stdout, process.env, given),
    stderr: colorsFor(process.stderr, process.env, given),
  });
  const checkOnly = given[0] === checkOnlyWord;
  const typed = checkOnly ? given.slice(1) : given;
  const context: CliContext = {
    core: () => {
      const env = ownEnvironment();
      made.core ??= coreOf(appDir, {
        home: defaultHome(env),
        resources,
        version,
        env,
        workerFile: join(bundles, 'load-worker.cjs'),
        readerFile: join(bundles, 'reader-process.cjs'),
        electron: null,
      });
      return made.core;
    },
    reading: () => {
      const env = ownEnvironment();
      return readingOf({ home: defaultHome(env), resources, bundles, env });
    },
    output: (options) => createOutput(options.json === true, said.quiet),
    exit: (code) => {
      process.exitCode = code;
    },
    checkOnly,
  };
  const addVerbs = await verbsOf(typed, {
    docs: join(readable, 'docs'),
    openWindow: (args) => openWindow(appDir, args),
  });
  const program = createProgram(context, version, addVerbs);
  program.on('option:quiet', () => {
    said.quiet = true;
  });
  if (checkOnly) program.hook('preAction', stopUnlessRun);
  let words: readonly string[] = typed;
  try {
    words = await wordsOf(program, typed);
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    process.exitCode = await endWith(error, program, { typed, isJson: words.includes('--json') });
  } finally {
    await (await made.core?.catch(() => null))?.close();
  }
}
