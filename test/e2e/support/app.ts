import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { _electron, type ElectronApplication, expect, type Page } from '@playwright/test';
import { defaultHome, homeLayout } from '../../../main/platform/layout';
import { readProcessStat } from '../../../main/platform/process';

const toolchain = ['python', 'triton', 'perf-analyzer', 'electron'] as const;

/** The built app: the repository, or the one that the environment names. */
export const appFolder = resolve(process.env['TRITON_WORKBENCH_APP'] ?? '.');
const preparedHome = defaultHome(process.env);
export const electronPath = homeLayout(preparedHome).electron;
export const asRoot: readonly string[] = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

export interface TestHome {
  readonly path: string;
  remove(): Promise<void>;
}

/** A home without runs, with the tools of the prepared one. */
export async function createHome(): Promise<TestHome> {
  const path = await mkdtemp(join(tmpdir(), 'workbench-e2e-'));
  for (const name of toolchain) await symlink(join(preparedHome, name), join(path, name));
  await mkdir(join(path, 'runs'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

export interface WorkbenchApp {
  readonly electron: ElectronApplication;
  /** Playwright forgets the process once the app has closed. */
  readonly child: ChildProcess;
  readonly page: Page;
  /** What the page said on its console and did not catch, and what the policy refused. */
  readonly complaints: readonly string[];
}

/** Keeps what hangs from hanging the rest; Playwright's own limit of 30 s is short for a busy machine. */
const actionMs = 120_000;

/** The app of the repository; a package has a program of its own. */
const ofRepository = { executablePath: electronPath, args: [...asRoot, appFolder] };

/** Starts the real app on a home and waits until its window shows a page. */
export async function launch(
  home: Pick<TestHome, 'path'>,
  env = process.env,
  program = ofRepository,
): Promise<WorkbenchApp> {
  const electron = await _electron.launch({
    ...program,
    env: { ...env, TRITON_WORKBENCH_HOME: home.path },
    timeout: actionMs,
  });
  electron.context().setDefaultTimeout(actionMs);
  const page = await electron.firstWindow({ timeout: actionMs });
  // Icons that turn are drawn by the processor here, sixty times per second for as long as a run takes.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => {
    complaints.push(error.message);
  });
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeVisible();
  return { electron, child: electron.process(), page, complaints };
}

/** How long the app may take to end, stopping a run's server included. */
const endsWithinMs = 120_000;

/** What every thread of a process does: its state, processor time in ticks, and where it waits in the kernel. */
async function threadsOf(pid: number): Promise<string> {
  const read = (path: string) => readFile(path, 'utf8').catch(() => '');
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lines = threads.map(async (thread) => {
    const folder = `/proc/${pid}/task/${thread}`;
    const stat = readProcessStat(pid, Number(thread)) ?? [];
    const name = (await read(`${folder}/comm`)).trim();
    const where = (await read(`${folder}/wchan`)).trim();
    return `${thread} ${name}: ${stat[0] ?? '?'}, ${stat[11] ?? '?'} user, ${stat[12] ?? '?'} system, ${where}`;
  });
  return (await Promise.all(lines)).join('\n');
}

/** Ends the app as a session that logs out does: runs under way are stopped, nothing is asked. */
export async function shutDown(app: WorkbenchApp): Promise<void> {
  const { child } = app;
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const inTime = await Promise.race([ended.then(() => true), sleep(endsWithinMs, false, { ref: false })]);
  if (inTime) return;
  const threads = child.pid === undefined ? '' : await threadsOf(child.pid);
  child.kill('SIGKILL');
  await ended;
  throw new Error(`The app did not end after SIGTERM\n${threads}`);
}

/** Asks the window to close as a click on its cross does; does not wait for what comes of it. */
export async function askToClose(app: WorkbenchApp): Promise<void> {
  await app.electron.evaluate(({ BrowserWindow }) => {
    setImmediate(() => {
      for (const window of BrowserWindow.getAllWindows()) window.close();
    });
  });
}

/** The save dialog answers with this path; the one thing of the desktop that cannot be clicked here. */
export async function saveTo(app: WorkbenchApp, path: string): Promise<void> {
  await app.electron.evaluate(({ dialog }, filePath) => {
    dialog.showSaveDialog = (...given: readonly object[]) => {
      const [, options = {}] = given;
      Object.assign(globalThis, { savingTo: 'defaultPath' in options ? options.defaultPath : '' });
      return Promise.resolve({ canceled: false, filePath });
    };
  }, path);
}

/** The place that the save dialog offered last. */
export const offeredPlace = (app: WorkbenchApp): Promise<string> =>
  app.electron.evaluate(() => String((globalThis as { readonly savingTo?: unknown }).savingTo));

/** The dialog that asks for a file or folder answers with this path. */
export async function choosePath(app: WorkbenchApp, path: string): Promise<void> {
  await app.electron.evaluate(({ dialog }, filePath) => {
    dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [filePath] });
  }, path);
}

/** The dialogs of the main process that ask for consent are answered so; gives what each of them said, until now. */
export async function answerConsent(
  app: WorkbenchApp,
  answer: 'agree' | 'cancel',
): Promise<{ readonly said: () => Promise<readonly string[]> }> {
  await app.electron.evaluate(
    ({ dialog }, response) => {
      const questions: string[] = [];
      dialog.showMessageBox = (...args: unknown[]) => {
        const { message, detail } = args.at(-1) as { message: string; detail: string };
        questions.push(`${message}\n${detail}`);
        return Promise.resolve({ response, checkboxChecked: false });
      };
      (globalThis as { consentQuestions?: string[] }).consentQuestions = questions;
    },
    answer === 'agree' ? 1 : 0,
  );
  return {
    said: () =>
      app.electron.evaluate(() => (globalThis as { consentQuestions?: string[] }).consentQuestions ?? []),
  };
}
