import type { WireError } from '../contract/errors';
import { toWire } from '../contract/errors';

/** How work in the background stands after it threw: cancelled, or failed. */
export function failedWork(error: unknown): {
  readonly status: 'cancelled' | 'failed';
  readonly text: string;
  readonly error: WireError;
} {
  const wire = toWire(error);
  return wire.code === 'cancelled'
    ? { status: 'cancelled', text: 'Cancelled', error: wire }
    : { status: 'failed', text: 'Failed', error: wire };
}
