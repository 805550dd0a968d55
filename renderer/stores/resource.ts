import { createStore, type StoreApi } from 'zustand/vanilla';
import { toWire, type WireError } from '../../main/contract/errors';

export interface Resource<Value> {
  /** null before the first answer; an older value stays while a newer one is fetched. */
  readonly value: Value | null;
  readonly error: WireError | null;
  readonly loading: boolean;
  /** Calls during a fetch are joined into one more after it, so that the value is the newest. */
  readonly load: () => Promise<void>;
}

export function createResource<Value>(fetch: () => Promise<Value>): StoreApi<Resource<Value>> {
  return createStore<Resource<Value>>()((set) => {
    let running: Promise<void> | null = null;
    let again = false;
    const once = async (): Promise<void> => {
      set({ loading: true });
      do {
        again = false;
        try {
          set({ value: await fetch(), error: null });
        } catch (error) {
          set({ error: toWire(error) });
        }
        // Set by load() during the await, which the compiler does not see.
      } while (again as boolean);
      running = null;
      set({ loading: false });
    };
    return {
      value: null,
      error: null,
      loading: false,
      load: () => {
        if (running !== null) again = true;
        running ??= once();
        return running;
      },
    };
  });
}
