/**
 * Asks at most once in `delayMs`; of several answers on their way only the newest is told, and none that was asked for
 * before the last `soon`. `ask` must not reject.
 */
export function createLatest<Answer>(
  delayMs: number,
  ask: () => Promise<Answer>,
  onAnswer: (answer: Answer) => void,
) {
  let newest = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const now = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    newest += 1;
    const own = newest;
    const answer = await ask();
    if (own === newest) onAnswer(answer);
  };
  return {
    /** Asks after the delay, unless another question comes before. */
    soon: (): void => {
      clearTimeout(timer);
      newest += 1;
      timer = setTimeout(() => void now(), delayMs);
    },
    /** Asks at once; ends when the answer has been told, or has been overtaken. */
    now,
    waiting: (): boolean => timer !== undefined,
  };
}

export type Latest = ReturnType<typeof createLatest>;

/** For answers about what is told of as well. */
export function createNewest() {
  let outdated = false;
  const isOutdated = (): boolean => outdated;
  /** Asks, and once more while the answer was outdated when it came and `isWanted` still holds. `once` must not reject. */
  const ask = async (once: () => Promise<void>, isWanted = () => true): Promise<void> => {
    outdated = false;
    await once();
    if (isOutdated() && isWanted()) await ask(once, isWanted);
  };
  return {
    /** The answer on its way may be older than what was told since it was asked for. */
    outdate: (): void => {
      outdated = true;
    },
    isOutdated,
    ask,
  };
}
