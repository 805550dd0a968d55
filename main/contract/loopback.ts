/** Whether an address, `host` or `host:port` as a URL has them, is one that only this machine answers to. */
export function isLoopback(address: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i.test(address);
}
