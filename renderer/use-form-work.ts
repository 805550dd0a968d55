import { useRef, useState } from 'react';
import { toWire, type WireError } from '../main/contract/errors';

export const onSubmit =
  (work: () => void) =>
  (event: { readonly preventDefault: () => void }): void => {
    event.preventDefault();
    work();
  };

/** One submission at a time, however often Enter is pressed; its error is shown in the form. */
export function useFormWork<Way extends string = 'submit'>(): {
  readonly busy: Way | null;
  readonly error: WireError | null;
  readonly begin: (way: Way, work: () => Promise<void>) => void;
} {
  const [busy, setBusy] = useState<Way | null>(null);
  const [error, setError] = useState<WireError | null>(null);
  const running = useRef(false);
  const run = async (way: Way, work: () => Promise<void>): Promise<void> => {
    running.current = true;
    setBusy(way);
    setError(null);
    try {
      await work();
    } catch (failure) {
      setError(toWire(failure));
    } finally {
      running.current = false;
      setBusy(null);
    }
  };
  return {
    busy,
    error,
    begin: (way, work) => {
      if (!running.current) void run(way, work);
    },
  };
}
