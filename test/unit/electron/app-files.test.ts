import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AppFileAnswer, createAppFiles } from '../../../electron/app-files';

let root: string;
let answer: (method: string, url: string) => Promise<AppFileAnswer>;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'app-files-'));
  await mkdir(join(root, 'renderer', 'assets'), { recursive: true });
  await writeFile(join(root, 'secret.js'), 'secret');
  await writeFile(join(root, 'renderer', 'index.html'), '<meta content="__STYLE_NONCE__" />');
  await writeFile(join(root, 'renderer', 'assets', 'index.js'), 'code');
  answer = await createAppFiles(join(root, 'renderer'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe('files of the app', () => {
  it('are served by their exact path, the page under /', async () => {
    expect(await answer('GET', 'app://workbench/')).toMatchObject({ status: 200 });
    const script = await answer('GET', 'app://workbench/assets/index.js');
    expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(String(script.body)).toBe('code');
  });

  it('have a policy without inline scripts, and a nonce for styles that is new every time', async () => {
    const nonces: string[] = [];
    for (let count = 0; count < 2; count += 1) {
      const page = await answer('GET', 'app://workbench/index.html');
      const policy = page.headers['content-security-policy'] ?? '';
      const nonce = /style-src 'self' 'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
      expect(page.body).toBe(`<meta content="${nonce}" />`);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self';");
      expect(policy).not.toContain('unsafe');
      nonces.push(nonce);
    }
    expect(nonces[0]).not.toBe(nonces[1]);
  });

  it.each([
    'app://workbench/../secret.js',
    'app://workbench/%2e%2e/secret.js',
    'app://workbench/..%2fsecret.js',
    'app://workbench/..%5csecret.js',
    'app://workbench/%252e%252e/secret.js',
    'app://workbench/assets/..%2f..%2fsecret.js',
    'app://workbench/assets',
    'app://workbench/index.html%00.js',
    'app://workbench//index.html',
    'app://other/index.html',
    'app://workbench.evil/index.html',
    'app://user@workbench/index.html',
    'file:///etc/passwd',
    'no url',
  ])('answer 404 for %s', async (url) => {
    expect(await answer('GET', url)).toMatchObject({ status: 404, body: null });
  });

  it('answer 404 for every other path, however it is written', async () => {
    const part = fc.constantFrom('..', '.', '%2e%2e', '%2f', '%5c', '\\', '/', 'secret.js', 'assets', '%00');
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 8 }), async (parts) => {
        const found = await answer('GET', `app://workbench/${parts.join('')}`);
        expect(found.status === 404 || String(found.body).includes('<meta')).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('are only read', async () => {
    expect(await answer('POST', 'app://workbench/index.html')).toMatchObject({ status: 405, body: null });
  });
});
