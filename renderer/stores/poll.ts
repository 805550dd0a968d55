type Sight = Pick<Document, 'visibilityState' | 'addEventListener' | 'removeEventListener'>;

/**
 * Calls `read` at once and then `intervalMs` after each answer, only while the page can be seen. Returns the way to stop.
 * One at a time: a slow answer delays the next question, it does not pile up.
 */
export function pollWhileSeen(sight: Sight, read: () => Promise<void>, intervalMs: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let reading = false;
  let stopped = false;
  const next = async (): Promise<void> => {
    if (reading || stopped || sight.visibilityState !== 'visible') return;
    reading = true;
    await read();
    reading = false;
    clearTimeout(timer);
    timer = setTimeout(() => void next(), intervalMs);
  };
  const seen = (): void => void next();
  sight.addEventListener('visibilitychange', seen);
  seen();
  return () => {
    stopped = true;
    clearTimeout(timer);
    sight.removeEventListener('visibilitychange', seen);
  };
}
