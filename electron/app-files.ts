import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { listFiles } from '../main/platform/files';
import { isAppUrl } from './origin';

/**
 * The policy of every page of the app. The nonce admits the style elements that Mantine writes for its theme;
 * scripts have no nonce, so nothing inline ever runs.
 */
function contentSecurityPolicy(styleNonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${styleNonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** Replaced in index.html by the page's own nonce. */
const noncePlaceholder = '__STYLE_NONCE__';

export interface AppFileAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
}

/**
 * Answers requests for the app's pages from the files that the build left. A request names one of the listed
 * files exactly or gets 404: no path is ever built from a request, so there is nothing to traverse.
 */
export async function createAppFiles(
  folder: string,
): Promise<(method: string, url: string) => Promise<AppFileAnswer>> {
  const files = new Map<string, string>();
  for (const name of await listFiles(folder)) {
    files.set(`/${name.split(sep).join('/')}`, join(folder, name));
  }
  return async (method, url) => {
    const nonce = randomBytes(16).toString('base64');
    const headers = {
      'content-security-policy': contentSecurityPolicy(nonce),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-store',
    };
    if (method !== 'GET') return { status: 405, headers, body: null };
    const asked = isAppUrl(url) ? new URL(url).pathname : null;
    const path = asked === null ? undefined : files.get(asked === '/' ? '/index.html' : asked);
    if (path === undefined) return { status: 404, headers, body: null };
    const content = await readFile(path);
    const extension = extname(path);
    return {
      status: 200,
      headers: { ...headers, 'content-type': contentTypes[extension] ?? 'application/octet-stream' },
      body: extension === '.html' ? content.toString('utf8').replaceAll(noncePlaceholder, nonce) : content,
    };
  };
}
