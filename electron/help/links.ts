/** Hosts whose pages the window may open in the browser, with the paths below which; an empty path: all of them. */
const allowed: readonly (readonly [host: string, path: string])[] = [
  ['docs.nvidia.com', '/'],
  ['developer.nvidia.com', '/'],
  ['catalog.ngc.nvidia.com', '/'],
  ['ngc.nvidia.com', '/'],
  ['org.ngc.nvidia.com', '/'],
  ['docs.docker.com', '/'],
  ['github.com', '/triton-inference-server/'],
  ['github.com', '/NVIDIA/'],
  ['onnxruntime.ai', '/'],
  ['pytorch.org', '/'],
  ['www.tensorflow.org', '/'],
];

/** The address as it is opened; null: it is not one of the list. Only https, and nobody's name in it. */
export function allowedLink(address: string, homepage: string | null): string | null {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return null;
  }
  if (url.protocol !== 'https:' || url.username !== '' || url.password !== '' || url.port !== '') return null;
  const own = homepage === null ? [] : [[new URL(homepage).hostname, '/'] as const];
  const isAllowed = [...allowed, ...own].some(
    ([host, path]) => url.hostname === host && url.pathname.startsWith(path),
  );
  return isAllowed ? url.href : null;
}
