/** Numbers of the same words are logged no closer together than this; the progress bar shows them all. */
const intervalMs = 1000;

/**
 * Which texts of a verb's progress are worth a line of its log: other words at once, other numbers ("Epoch 2 of 4,
 * loss 0.61") once per second.
 * @param nowMs a clock that only goes forward, milliseconds.
 */
export function createProgressFilter(nowMs: () => number): (text: string) => boolean {
  let words = '';
  let lastText = '';
  let lastMs = Number.NEGATIVE_INFINITY;
  return (text) => {
    const now = nowMs();
    const others = text.replace(/[\d.,]+/g, '#');
    if (text === lastText || (others === words && now - lastMs < intervalMs)) return false;
    [words, lastText, lastMs] = [others, text, now];
    return true;
  };
}
