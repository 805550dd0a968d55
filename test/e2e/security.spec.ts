import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { cli } from '../support/cli';
import {
  answerConsent,
  appFolder,
  asRoot,
  createHome,
  electronPath,
  launch,
  shutDown,
  type TestHome,
  type WorkbenchApp,
} from './support/app';

let home: TestHome;
let app: WorkbenchApp;

test.beforeAll(async () => {
  home = await createHome();
  app = await launch(home);
});
test.afterAll(async () => {
  await shutDown(app);
  await home.remove();
});

/** Asked of the page itself: a locator would wait for the navigation that was refused. */
const seenPage = () =>
  app.page.evaluate(() => ({
    visible: getComputedStyle(document.body).visibility === 'visible',
    rail: document.querySelector('nav') !== null,
    url: window.location.href,
  }));

test('every page is isolated, sandboxed and without Node', async () => {
  const all = await app.electron.evaluate(({ webContents }) =>
    webContents
      .getAllWebContents()
      .filter((contents) => !contents.getURL().startsWith('devtools:'))
      .map((contents) =>
        (contents as unknown as { getLastWebPreferences(): Record<string, unknown> }).getLastWebPreferences(),
      ),
  );
  expect(all.length).toBeGreaterThan(0);
  for (const preferences of all) {
    expect(preferences).toMatchObject({
      contextIsolation: true,
      sandbox: true,
      webSecurity: true,
      nodeIntegration: false,
    });
  }
});

test('the page is given three functions and nothing of Node or Electron', async () => {
  const seen = await app.page.evaluate(() => ({
    bridge: Object.entries(window.workbench).map(([name, value]) => [name, typeof value]),
    leaks: ['require', 'process', 'module', 'ipcRenderer', 'electron', 'Buffer'].filter(
      (name) => name in window,
    ),
  }));
  expect(seen).toEqual({
    bridge: [
      ['call', 'function'],
      ['pathOf', 'function'],
      ['on', 'function'],
    ],
    leaks: [],
  });
});

test('a call that is not in the contract, or whose input is not, is refused', async () => {
  const answers = await app.page.evaluate(() =>
    Promise.all([
      window.workbench.call('runs.remove', {}),
      window.workbench.call('__proto__', {}),
      window.workbench.call('runs.get', { runId: 1 }),
      window.workbench.call('runs.get', { runId: 'x', path: '/etc/passwd' }),
      window.workbench.call('desktop.showRunFolder', { runId: '../../etc' }),
    ]),
  );
  expect(answers.map((answer) => (answer.ok ? 'answered' : answer.error.code))).toEqual([
    'input-invalid',
    'input-invalid',
    'input-invalid',
    'input-invalid',
    'run-unknown',
  ]);
});

// M6
test('the page trusts no code and reaches no file unless the person agrees in a dialog of the main process', async () => {
  const model = join(home.path, 'foreign-model');
  const made = await cli(home.path, 'init', model);
  expect(made.code, made.stderr).toBe(0);
  const kept = () =>
    Promise.all(
      ['trusted.json', 'approved.json'].map((name) =>
        readFile(join(home.path, name), 'utf8').catch(() => null),
      ),
    );
  const attack = () =>
    app.page.evaluate(async (path) => {
      const { workbench } = window;
      // A file that the page made up lies nowhere.
      const forged = [workbench.pathOf({ path } as unknown as File), workbench.pathOf(new File([], path))];
      const resolved = await workbench.call('presets.resolve', {
        preset: 'resnet50',
        overrides: {
          model: { dataset: '/etc' },
          engine: { kind: 'docker', tritonImage: 'attacker/image:1' },
        },
      });
      const spec = resolved.ok && 'value' in resolved ? resolved.value : null;
      const answers = await Promise.all([
        workbench.call('models.trust', { path }),
        workbench.call('models.open', { path }),
        workbench.call('runs.import', { path: '/etc/passwd' }),
        workbench.call('docker.pullImage', { reference: 'attacker/image:1' }),
        workbench.call('runs.start', { spec }),
      ]);
      return { forged, codes: answers.map((answer) => (answer.ok ? 'done' : answer.error.code)) };
    }, model);

  const refused = await answerConsent(app, 'cancel');
  expect(await attack()).toEqual({ forged: ['', ''], codes: Array.from({ length: 5 }, () => 'not-trusted') });
  expect((await refused.said()).length).toBeGreaterThanOrEqual(5);
  expect((await refused.said()).join()).toContain('attacker/image:1');
  expect(await kept()).toEqual([null, null]);

  const agreed = await answerConsent(app, 'agree');
  const answer = await app.page.evaluate((path) => window.workbench.call('models.trust', { path }), model);
  expect(answer.ok).toBe(true);
  expect((await agreed.said()).at(-1)).toContain('SHA-256');
  expect((await kept()).join()).toContain(model);
});

test('a file that the person gave the window is not asked for', async () => {
  const model = join(home.path, 'given-model');
  expect((await cli(home.path, 'init', model)).code).toBe(0);
  const consent = await answerConsent(app, 'cancel');
  await app.page.evaluate(() => {
    const input = document.createElement('input');
    input.type = 'file';
    input.id = 'given-file';
    document.body.append(input);
  });
  await app.page.locator('#given-file').setInputFiles(join(model, 'preset.yaml'));
  const given = await app.page.evaluate(async (folder) => {
    const input = document.querySelector<HTMLInputElement>('#given-file');
    const file = input?.files?.[0];
    const path = file === undefined ? '' : window.workbench.pathOf(file);
    input?.remove();
    const answers = await Promise.all([
      window.workbench.call('runs.import', { path }),
      window.workbench.call('models.open', { path: folder }),
    ]);
    return { path, codes: answers.map((answer) => (answer.ok ? 'done' : answer.error.code)) };
  }, model);
  // The file is read (and holds no results); what lies beside it is asked for.
  expect(given).toEqual({ path: join(model, 'preset.yaml'), codes: ['input-invalid', 'not-trusted'] });
  expect(await consent.said()).toHaveLength(1);
});

test('the policy stops inline scripts, eval, remote content and forms', async () => {
  // Inside a timer: what Playwright evaluates directly is exempt from the policy, a page's own task is not.
  const { ran, violated } = await app.page.evaluate(
    () =>
      new Promise<{ ran: string[]; violated: string[] }>((resolve) => {
        const ran: string[] = [];
        const violated = new Set<string>();
        const expected = 7;
        const answer = () => {
          resolve({ ran, violated: [...violated].sort() });
        };
        document.addEventListener('securitypolicyviolation', (event) => {
          violated.add(event.effectiveDirective);
          if (violated.size === expected) answer();
        });
        // A policy that lets something through is told by what is missing, not by a wait without end.
        setTimeout(answer, 60_000);
        window.addEventListener('message', (event: MessageEvent<unknown>) => ran.push(String(event.data)));
        setTimeout(() => {
          const script = document.createElement('script');
          script.textContent = 'window.postMessage("inline script")';
          document.head.append(script);
          try {
            // The policy must refuse this very call.
            const compile = Reflect.get(window, 'eval') as (code: string) => unknown;
            compile('window.postMessage("eval")');
          } catch {
            ran.push('eval refused');
          }
          const style = document.createElement('style');
          style.textContent = 'body { visibility: hidden }';
          document.head.append(style);
          const image = new Image();
          image.src = 'https://example.invalid/x.png';
          fetch('https://example.invalid/').catch(() => ran.push('fetch refused'));
          const form = document.createElement('form');
          form.action = 'https://example.invalid/';
          document.body.append(form);
          form.submit();
          const frame = document.createElement('iframe');
          frame.src = 'https://example.invalid/';
          document.body.append(frame);
        }, 0);
      }),
  );
  expect(violated).toEqual([
    'connect-src',
    'form-action',
    'frame-src',
    'img-src',
    'script-src',
    'script-src-elem',
    'style-src-elem',
  ]);
  expect(ran.sort()).toEqual(['eval refused', 'fetch refused']);
  expect(await seenPage()).toMatchObject({ visible: true });
});

test('the page goes nowhere and opens no window', async () => {
  const url = app.page.url();
  const opened = await app.page.evaluate(async () => {
    const afterTask = () => new Promise((resolve) => setTimeout(resolve, 0));
    const result = window.open('https://example.invalid/') === null;
    const link = document.createElement('a');
    link.target = '_blank';
    link.href = 'https://example.invalid/';
    document.body.append(link);
    link.click();
    const meta = document.createElement('meta');
    meta.httpEquiv = 'refresh';
    meta.content = '0;url=https://example.invalid/';
    document.head.append(meta);
    await afterTask();
    window.location.href = 'https://example.invalid/';
    await afterTask();
    window.location.href = 'file:///etc/passwd';
    await afterTask();
    return result;
  });
  expect(opened).toBe(true);
  expect(await seenPage()).toEqual({ visible: true, rail: true, url });
  expect(app.electron.windows()).toHaveLength(1);
});

test('nothing beside the built files is served, however it is asked for', async () => {
  const paths = [
    '%2e%2e/main/main.cjs',
    '..%2fmain%2fmain.cjs',
    '..%5cmain%5cmain.cjs',
    '%252e%252e/main/main.cjs',
    'assets/%2e%2e/%2e%2e/main/main.cjs',
    './/etc/passwd',
  ];
  const statuses = await app.page.evaluate(
    (names) => Promise.all(names.map(async (name) => (await fetch(`app://workbench/${name}`)).status)),
    paths,
  );
  expect(statuses).toEqual(paths.map(() => 404));
  const others = await app.page.evaluate(() =>
    Promise.allSettled([fetch('file:///etc/passwd'), fetch('app://other/index.html')]),
  );
  expect(others.map((other) => other.status)).toEqual(['rejected', 'rejected']);
});

test('permissions are refused', async () => {
  const answers = await app.page.evaluate(async () => ({
    notification: await Notification.requestPermission(),
    position: await new Promise((resolve) => {
      navigator.geolocation.getCurrentPosition(
        () => {
          resolve('granted');
        },
        (error) => {
          resolve(error.code);
        },
      );
    }),
    media: await navigator.mediaDevices.getUserMedia({ audio: true }).then(
      () => 'granted',
      () => 'refused',
    ),
    clipboard: await navigator.clipboard.readText().then(
      () => 'granted',
      () => 'refused',
    ),
  }));
  expect(answers).toEqual({ notification: 'denied', position: 1, media: 'refused', clipboard: 'refused' });
});

test('a report is printed without scripts and without reaching for anything else', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'workbench-print-'));
  try {
    const html = join(folder, 'report.html');
    const pdf = join(folder, 'report.pdf');
    const secret = join(folder, 'secret.html');
    await writeFile(secret, '<p>what another file says</p>');
    await writeFile(
      html,
      `<!doctype html><title>Report</title><p id="p">measured 1,474 inferences/s</p>
       <script>document.getElementById('p').textContent = 'scripts ran'</script>
       <iframe src="${secret}"></iframe><img src="https://example.invalid/x.png">`,
    );
    const run = promisify(execFile);
    await run(electronPath, [...asRoot, appFolder, '--print-pdf', html, pdf]);
    expect((await readFile(pdf)).subarray(0, 4).toString()).toBe('%PDF');
    const { stdout } = await run('pdftotext', [pdf, '-']);
    expect(stdout).toContain('measured 1,474 inferences/s');
    expect(stdout).toContain('Page 1 of 1');
    expect(stdout).not.toContain('what another file says');
    await expect(
      run(electronPath, [...asRoot, appFolder, '--print-pdf', join(folder, 'none.html'), pdf]),
    ).rejects.toMatchObject({ code: 1 });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
