export interface Latest {
  /** Asks after the delay, unless another question comes before. */
  readonly soon: () => void;
  /** Asks at once; ends when the answer has been told, or has been overtaken. */
  readonly now: () => Promise<void>;
  readonly waiting: () => boolean;
}

/**
 * Asks at most once in `delayMs`; of several answers on their way only the newest is told, and none that was asked for
 * before the last `soon`. `ask` must not reject.
 */
export function createLatest<Answer>(
  delayMs: number,
  ask: () => Promise<Answer>,
  tell: (answer: Answer) => void,
): Latest {
  let newest = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const now = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    newest += 1;
    const own = newest;
    const answer = await ask();
    if (own === newest) tell(answer);
  };
  return {
    soon: () => {
      clearTimeout(timer);
      newest += 1;
      timer = setTimeout(() => void now(), delayMs);
    },
    now,
    waiting: () => timer !== undefined,
  };
}
