import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { _electron, chromium, type Page } from '@playwright/test';
import { createAppFiles } from '../../../electron/app-files';
import { appUrl } from '../../../electron/origin';
import type { WindowEvent } from '../../../main/contract/api';
import { channels } from '../../../main/contract/calls/call';
import type { DeployedRun } from '../../../main/contract/run/run-state';
import { bridgeInMemory } from './bridge-in-memory';

export interface WindowUnderTest {
  readonly page: Page;
  /** As the core's events come to the window. */
  readonly emit: (events: readonly WindowEvent[]) => Promise<void>;
  /** Resident memory of the window's own process, bytes. */
  readonly memoryBytes: () => Promise<number>;
  readonly close: () => Promise<void>;
}

/** The real app on a home. */
export async function openElectron(options: {
  readonly executable: string;
  /** The folder of the app, for an Electron that has none of its own. */
  readonly args: readonly string[];
  readonly home: string;
}): Promise<WindowUnderTest> {
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const app = await _electron.launch({
    executablePath: options.executable,
    args: [...asRoot, ...options.args],
    env: { ...process.env, TRITON_WORKBENCH_HOME: options.home },
  });
  const page = await app.firstWindow();
  return {
    page,
    emit: (events) =>
      app.evaluate(
        ({ BrowserWindow }, [channel, events]) => {
          for (const window of BrowserWindow.getAllWindows()) window.webContents.send(channel, events);
        },
        [channels.event, JSON.stringify(events)] as const,
      ),
    memoryBytes: () =>
      app.evaluate(({ app: self, BrowserWindow }) => {
        const pids = BrowserWindow.getAllWindows().map((window) => window.webContents.getOSProcessId());
        const own = self.getAppMetrics().filter((process) => pids.includes(process.pid));
        return own.reduce((sum, process) => sum + process.memory.workingSetSize * 1024, 0);
      }),
    close: () => app.close(),
  };
}

/** VmRSS of a process, from /proc. */
function residentBytes(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kibibytes ?? NaN) * 1024;
}

/** The built pages in Chromium, over a bridge that answers with this run; where there is no Electron. */
export async function openChromium(options: {
  readonly executable: string;
  readonly appFolder: string;
  readonly state: DeployedRun;
}): Promise<WindowUnderTest> {
  const answer = await createAppFiles(join(options.appFolder, 'out', 'renderer'));
  const server = createServer((request, response) => {
    void answer(request.method ?? 'GET', new URL(request.url ?? '/', appUrl).href).then((file) => {
      response.writeHead(file.status, file.headers);
      response.end(file.body);
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const browser = await chromium.launch({ executablePath: options.executable, args: ['--no-sandbox'] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.addInitScript(bridgeInMemory, options.state);
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const session = await browser.newBrowserCDPSession();
  return {
    page,
    emit: (events) =>
      page.evaluate((events) => {
        (window as unknown as { emitEvents: (events: unknown) => void }).emitEvents(events);
      }, events),
    memoryBytes: async () => {
      const { processInfo } = await session.send('SystemInfo.getProcessInfo');
      return Math.max(
        ...processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => residentBytes(id)),
      );
    },
    close: async () => {
      await browser.close();
      server.close();
    },
  };
}
