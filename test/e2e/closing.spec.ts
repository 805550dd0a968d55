import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { readWindowState } from '../../electron/window-state';
import { askToClose, createHome, launch, shutDown, type TestHome, type WorkbenchApp } from './support/app';

let home: TestHome;
test.beforeAll(async () => {
  home = await createHome();
});
test.afterAll(() => home.remove());

const quit = ({ electron }: WorkbenchApp) =>
  electron.evaluate(({ app }) => {
    setImmediate(() => {
      app.quit();
    });
  });
const ways: readonly [string, (app: WorkbenchApp) => Promise<void>][] = [
  ['its cross', askToClose],
  ['Quit', quit],
  ['the end of the session', shutDown],
];

for (const [index, [name, close]] of ways.entries()) {
  test(`closed by ${name} the window stands where it stood when it is opened again`, async () => {
    const app = await launch(home);
    const bounds = { x: 40 + index, y: 50, width: 1200, height: 760 };
    await app.electron.evaluate(({ BrowserWindow }, wanted) => {
      BrowserWindow.getAllWindows()[0]?.setBounds(wanted);
    }, bounds);
    const ended = once(app.child, 'exit');
    await close(app);
    await ended;
    const folder = join(home.path, 'window');
    expect(await readWindowState(join(folder, 'window-state.json'))).toEqual({ bounds, maximized: false });
    expect((await readdir(folder)).filter((file) => file.endsWith('.tmp'))).toEqual([]);

    const again = await launch(home);
    expect(
      await again.electron.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows()[0]?.getNormalBounds(),
      ),
    ).toEqual(bounds);
    const endedAgain = once(again.child, 'exit');
    await close(again);
    await endedAgain;
  });
}

test('a page that hangs does not keep the workbench from ending', async () => {
  const app = await launch(home);
  await app.page.evaluate(() => {
    setTimeout(() => {
      for (;;);
    });
  });
  await shutDown(app);
});

test('a runtime that does not end by itself is ended', async () => {
  const app = await launch(home);
  await app.electron.evaluate(() => {
    process.on('exit', () => {
      for (;;);
    });
  });
  await shutDown(app);
});
