import { setTimeout as sleep } from 'node:timers/promises';
import type { CoreEvent, Handlers } from '../contract/api';
import type { RunStore } from '../store/run-store';

interface ListParts {
  readonly store: Pick<RunStore, 'listAtHand' | 'makeRows'>;
  readonly emit: (event: CoreEvent) => void;
}

/** Milliseconds that a window has for the list of runs and for the first clicks, before this process does anything else. */
export const firstMs = 1000;

/** Rows made until the list is worth another look; then twice as many each time, so that the looks stay few. */
const firstLook = 5;

/**
 * The run list of a window. The first one has the rows that are at hand; the others are made behind it, and `runs-changed`
 * tells when the list has more.
 */
export function createRunList({ store, emit }: ListParts): {
  readonly list: Handlers['runs.list'];
  readonly close: () => Promise<void>;
} {
  const tell = () => {
    emit({ type: 'runs-changed' });
  };
  const closing = new AbortController();
  let making: Promise<void> | null = null;
  const make = async (): Promise<void> => {
    await sleep(firstMs, undefined, { signal: closing.signal });
    let made = 0;
    let nextLook = firstLook;
    await store.makeRows(closing.signal, () => {
      made += 1;
      if (made < nextLook) return;
      nextLook *= 2;
      tell();
    });
    if (!closing.signal.aborted) tell();
  };
  return {
    list: async () => {
      const list = await store.listAtHand();
      if (list.missing > 0 || list.outdated.length > 0) {
        // What could not be made now is made with the next list.
        making ??= make()
          .catch(() => undefined)
          .finally(() => {
            making = null;
          });
      }
      return list;
    },
    close: async () => {
      closing.abort();
      await making;
    },
  };
}
