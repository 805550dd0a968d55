import type { Handlers } from '../main/contract/api';
import type { Core } from '../main/core';

/**
 * The list of runs, read before the page asks for it, which still loads its scripts then. What happens meanwhile makes it
 * old: it is then read when it is asked for, as each later time.
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
