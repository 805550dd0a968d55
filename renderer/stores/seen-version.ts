import { z } from 'zod';
import { stored } from './stored';

const key = 'seen-version';

/** The version that this account's window ran last. */
export function createSeenVersion(storage: Storage) {
  const before = stored(storage, key, z.string()) ?? null;
  return {
    /** The one before this start; null on a first start. */
    before,
    note: (version: string): void => {
      storage.setItem(key, JSON.stringify(version));
    },
  };
}
