import type { Handlers } from '../main/contract/api';
import type { Core } from '../main/core';

/**
 * The list of runs, read while the page still loads its scripts. An event meanwhile makes it outdated: it is then read
 * on request, as each later time.
 */
export function readAhead(
  core: Pick<Core, 'subscribe'> & { readonly handlers: Pick<Handlers, 'runs.list'> },
): Handlers['runs.list'] {
  const read = () => core.handlers['runs.list'](undefined);
  let ahead: ReturnType<typeof read> | null = read();
  // Whoever takes it hears of the failure.
  ahead.catch(() => undefined);
  const stop = core.subscribe(() => {
    ahead = null;
  });
  return () => {
    const list = ahead ?? read();
    ahead = null;
    stop();
    return list;
  };
}
