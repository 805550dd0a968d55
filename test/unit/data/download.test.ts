import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  downloadFile,
  type DownloadProgress,
  type DownloadRequest,
  openAddress,
} from '../../../main/data/download';
import { partBytes } from '../../../main/data/save-body';
import { type FileServer, startFileServer } from '../../support/file-server';

const content = randomBytes(600_000);
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

let dir: string;
let server: FileServer;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'download-'));
  server = await startFileServer(content);
});
afterEach(async () => {
  await server.close();
  await rm(dir, { recursive: true });
});

// Not toEqual: that goes byte by byte.
const isFile = async (bytes: Buffer) => (await readFile(file())).equals(bytes);
const file = () => join(dir, 'data.bin');
const request = (part: Partial<DownloadRequest> = {}): DownloadRequest => ({
  address: server.address,
  file: file(),
  bytes: content.length,
  checksum: { algorithm: 'sha256', value: sha256(content) },
  extraBytes: 0,
  signal: new AbortController().signal,
  onProgress: () => undefined,
  retryMs: 1,
  ...part,
});

/** Ends with so many bytes on the disk, as after a workbench that was closed. */
async function cutOff(bytes: number, ...more: FileServer['faults']): Promise<void> {
  server.faults = [{ cutAfter: bytes, ...more[0] }, { status: 503 }];
  await expect(downloadFile(request())).rejects.toMatchObject({ code: 'download-failed' });
  server.faults = [{}];
  server.asked.length = 0;
}

describe('downloadFile', () => {
  it('gives the file whole, leaves nothing else, and tells bytes', async () => {
    const progress: DownloadProgress[] = [];
    await downloadFile(request({ onProgress: (step) => progress.push(step) }));
    expect(await isFile(content)).toBe(true);
    expect(await readdir(dir)).toEqual(['data.bin']);
    const last = progress.filter(({ phase }) => phase === 'downloading').at(-1);
    expect(last).toEqual({ phase: 'downloading', doneBytes: content.length, totalBytes: content.length });
    expect(progress.at(-1)?.phase).toBe('checking');
  });

  it('goes on by itself where the connection was cut, as often as it brings something', async () => {
    server.faults = [...Array.from({ length: 5 }, () => ({ cutAfter: 100_000 })), {}];
    await downloadFile(request());
    expect(await isFile(content)).toBe(true);
    expect(server.asked).toHaveLength(6);
    expect(server.asked.slice(1).every((range) => /^bytes=\d+-$/.test(range))).toBe(true);
  });

  it('goes on in the next start', async () => {
    await cutOff(250_000);
    const kept = await partBytes(file(), server.address);
    expect(kept).toBeGreaterThan(0);
    await downloadFile(request());
    expect(server.asked).toEqual([`bytes=${kept}-`]);
    expect(await isFile(content)).toBe(true);
  });

  it.each([
    ['knows no ranges', { noRange: true }],
    ['names no content', { noEtag: true }],
    ['names its content only weakly', { weakEtag: true }],
  ])('begins again with a server that %s', async (_name, fault) => {
    await cutOff(250_000, fault);
    server.faults = [fault];
    await downloadFile(request());
    expect(await isFile(content)).toBe(true);
  });

  it('never joins two contents: one that changed in between is taken whole', async () => {
    await cutOff(250_000);
    const changed = randomBytes(content.length);
    server.content = changed;
    await downloadFile(request({ checksum: { algorithm: 'sha256', value: sha256(changed) } }));
    expect(await isFile(changed)).toBe(true);
  });

  it('drops a part that is longer than the file is now', async () => {
    await cutOff(250_000);
    server.content = content.subarray(0, 1000);
    await downloadFile(request({ bytes: null, checksum: null }));
    expect(await isFile(content.subarray(0, 1000))).toBe(true);
  });

  it('asks for nothing when all bytes are there and only the check was missing', async () => {
    await cutOff(250_000);
    await writeFile(`${file()}.part`, content);
    await downloadFile(request());
    expect(server.asked).toEqual([]);
    expect(await isFile(content)).toBe(true);
  });

  it('refuses a wrong checksum and keeps nothing of it', async () => {
    const wrong = { algorithm: 'md5', value: '0'.repeat(32) } as const;
    await expect(downloadFile(request({ checksum: wrong }))).rejects.toMatchObject({
      code: 'download-invalid',
      message: expect.stringContaining('published value is 000') as string,
    });
    expect(await readdir(dir)).toEqual([]);
  });

  it('refuses another size than the published one before a byte is taken', async () => {
    await expect(downloadFile(request({ bytes: 12 }))).rejects.toMatchObject({ code: 'download-invalid' });
    expect(await readdir(dir)).toEqual([]);
  });

  it('refuses a server that sends more than it is', async () => {
    server.faults = [{ chunked: true }];
    await expect(downloadFile(request({ bytes: 1000 }))).rejects.toMatchObject({
      code: 'download-invalid',
      message: expect.stringContaining('more than the 1000 bytes') as string,
    });
  });

  it('takes an answer without a size by the published one', async () => {
    server.faults = [{ chunked: true }];
    await downloadFile(request());
    expect(await isFile(content)).toBe(true);
  });

  it('says at once what another try cannot mend, and tries the rest three times', async () => {
    server.faults = [{ status: 404 }];
    await expect(downloadFile(request())).rejects.toMatchObject({
      code: 'download-failed',
      message: expect.stringContaining('404') as string,
    });
    expect(server.asked).toHaveLength(1);
    server.faults = [{ status: 503 }];
    await expect(downloadFile(request())).rejects.toMatchObject({ code: 'download-failed' });
    expect(server.asked).toHaveLength(4);
  });

  it('takes a server that sends nothing more for gone', async () => {
    server.faults = [{ stallAfter: 50_000 }, {}];
    await downloadFile(request({ stallMs: 200 }));
    expect(await isFile(content)).toBe(true);
  });

  it('is cancelled in the middle and keeps what has come', async () => {
    server.faults = [{ stallAfter: 300_000 }];
    const controller = new AbortController();
    const ended = downloadFile(
      request({
        signal: controller.signal,
        onProgress: () => {
          controller.abort();
        },
      }),
    );
    await expect(ended).rejects.toMatchObject({ code: 'cancelled' });
    expect(await partBytes(file(), server.address)).toBeGreaterThan(0);
    await expect(downloadFile(request({ signal: controller.signal }))).rejects.toMatchObject({
      code: 'cancelled',
    });
  });

  it('refuses before the first byte when the disk has no room for it', async () => {
    const fullDisk = () => Promise.resolve(1000);
    await expect(downloadFile(request({ freeBytes: fullDisk, extraBytes: 2 ** 40 }))).rejects.toMatchObject({
      code: 'disk-full',
      message: expect.stringContaining('need 1,024.0 GiB') as string,
    });
    expect(await readdir(dir)).toEqual([]);
  });

  it('names a disk that fills up on the way', async () => {
    // A device that answers every write as a full disk does.
    await symlink('/dev/full', `${file()}.part`);
    await expect(downloadFile(request())).rejects.toMatchObject({ code: 'disk-full' });
  });

  it('names a folder that cannot be written', async () => {
    await writeFile(join(dir, 'taken'), '');
    await expect(downloadFile(request({ file: join(dir, 'taken', 'x') }))).rejects.toThrow();
  });
});

let redirecting: Server | null = null;
afterEach(async () => {
  vi.restoreAllMocks();
  const open = redirecting;
  redirecting = null;
  if (open !== null) await new Promise((resolve) => open.close(resolve));
});

/** A redirecting that leads on so many times before it answers. */
async function leadsOn(times: number): Promise<{ readonly address: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const opened = createServer((request, response) => {
    asked.push(`${request.url ?? ''} ${request.headers.range ?? ''}`);
    response.setHeader('connection', 'close');
    if (asked.length <= times) response.writeHead(302, { location: `/hop-${asked.length}` }).end('elsewhere');
    else response.end('content');
  });
  redirecting = opened;
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

it('follows them where the Node of the window has no URL.canParse', async () => {
  vi.spyOn(URL, 'canParse').mockImplementation(() => {
    throw new TypeError('URL.canParse is not a function');
  });
  const { address } = await leadsOn(1);
  expect(await (await openAddress(address, {})).text()).toBe('content');
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
