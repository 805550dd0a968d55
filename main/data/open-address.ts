import { WorkbenchError } from '../contract/errors';

/** Publishers lead to a mirror, and that one to a signed address. */
const mostRedirects = 5;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Fetches an address over the redirects that it leads to. Each of them must be https where the address is: one hop in the
 * clear is enough for somebody on the way to choose the rest.
 * Throws download-invalid, and what fetch throws.
 */
export async function openAddress(address: string, request: RequestInit): Promise<Response> {
  const secure = address.startsWith('https:');
  let at = new URL(address);
  for (let hops = 0; ; hops += 1) {
    const response = await fetch(at, { ...request, redirect: 'manual' });
    const location = redirects.has(response.status) ? response.headers.get('location') : null;
    if (location === null) return response;
    void response.body?.cancel().catch(() => undefined);
    if (hops === mostRedirects) {
      throw new WorkbenchError('download-invalid', `${address} redirects more than ${mostRedirects} times`, {
        where: address,
      });
    }
    const next = URL.canParse(location, at.href) ? new URL(location, at) : null;
    if (next === null || (next.protocol !== 'https:' && (secure || next.protocol !== 'http:'))) {
      const to = next === null ? 'an invalid address' : `${next.protocol}//${next.host}`;
      throw new WorkbenchError('download-invalid', `${address} redirects to ${to}, which is not https`, {
        where: address,
        remedy: 'Download the file by hand from its page, and compare its checksum.',
      });
    }
    at = next;
  }
}
