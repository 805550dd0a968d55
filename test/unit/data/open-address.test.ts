import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { openAddress } from '../../../main/data/open-address';

let server: Server | null = null;
afterEach(async () => {
  vi.restoreAllMocks();
  const open = server;
  server = null;
  if (open !== null) await new Promise((resolve) => open.close(resolve));
});

/** A server that leads on so many times before it answers. */
async function leadsOn(times: number): Promise<{ readonly address: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const opened = createServer((request, response) => {
    asked.push(`${request.url ?? ''} ${request.headers.range ?? ''}`);
    response.setHeader('connection', 'close');
    if (asked.length <= times) response.writeHead(302, { location: `/hop-${asked.length}` }).end('elsewhere');
    else response.end('content');
  });
  server = opened;
  await new Promise<void>((resolve) => opened.listen(0, '127.0.0.1', resolve));
  return { address: `http://127.0.0.1:${(opened.address() as AddressInfo).port}/file`, asked };
}

/** Stands for publishers with certificates: each address leads to the next, the last one answers. */
function leadingFetch(...addresses: readonly string[]): string[] {
  const asked: string[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation((input) => {
    const at = input instanceof Request ? input.url : input.toString();
    asked.push(at);
    const next = addresses[addresses.indexOf(at) + 1];
    return Promise.resolve(
      next === undefined
        ? new Response('content')
        : new Response(null, { status: 307, headers: { location: next } }),
    );
  });
  return asked;
}

it('follows five redirects with the headers of the request', async () => {
  const { address, asked } = await leadsOn(5);
  const response = await openAddress(address, { headers: { range: 'bytes=3-' } });
  expect(await response.text()).toBe('content');
  expect(asked).toEqual(
    ['/file', '/hop-1', '/hop-2', '/hop-3', '/hop-4', '/hop-5'].map((at) => `${at} bytes=3-`),
  );
});

it('follows no more than five', async () => {
  const { address, asked } = await leadsOn(6);
  await expect(openAddress(address, {})).rejects.toMatchObject({
    code: 'download-invalid',
    message: `${address} redirects more than 5 times`,
  });
  expect(asked).toHaveLength(6);
});

it('refuses one hop in the clear, also where the next would be https again', async () => {
  const chain = ['https://a.test/file', 'http://b.test/file?token=secret', 'https://c.test/file'];
  const asked = leadingFetch(...chain);
  await expect(openAddress('https://a.test/file', {})).rejects.toMatchObject({
    code: 'download-invalid',
    message: 'https://a.test/file redirects to http://b.test, which is not https',
  });
  expect(asked).toEqual(['https://a.test/file']);
});

it('follows where every hop is https', async () => {
  leadingFetch('https://a.test/file', 'https://b.test/file', 'https://c.test/file');
  expect(await (await openAddress('https://a.test/file', {})).text()).toBe('content');
});

it.each(['file:///etc/passwd', 'data:text/plain,x', 'ftp://a.test/x', 'http://[bad'])(
  'refuses a redirect to %s',
  async (location) => {
    leadingFetch('https://a.test/file', location);
    await expect(openAddress('https://a.test/file', {})).rejects.toMatchObject({ code: 'download-invalid' });
  },
);
