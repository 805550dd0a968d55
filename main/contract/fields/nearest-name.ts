/** Levenshtein distance; two letters that changed places count once. */
function distance(from: string, to: string): number {
  let earlier: readonly number[] = [];
  let above = Array.from({ length: to.length + 1 }, (_unused, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1] ? 0 : 1;
      const [left = 0, up = 0, corner = 0] = [line[column - 1], above[column], above[column - 1]];
      const isSwapped = row > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swapped = isSwapped ? (earlier[column - 2] ?? 0) + 1 : Infinity;
      line.push(Math.min(left + 1, up + 1, corner + same, swapped));
    }
    earlier = above;
    above = line;
  }
  return above[to.length] ?? 0;
}

/** Longer names are not typos, and slow to compare. */
const mostLetters = 64;

/** `maxBatchSize`, `Max-Batch-Size` and `max_batch_size` are equal. */
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z\d]/g, '');

/** The most similar known name; null if over a third of its letters differ, or all of them. */
export function nearestName(name: string, known: readonly string[]): string | null {
  if (name.length > mostLetters) return null;
  const ranked = known
    .map((candidate) => ({ candidate, far: distance(plain(name), plain(candidate)) }))
    .sort((a, b) => a.far - b.far);
  const [best] = ranked;
  const most = Math.min(Math.ceil(name.length / 3), name.length - 1);
  return best !== undefined && best.far <= most ? best.candidate : null;
}

/** " (Did you mean onnx?)"; empty where no known name is similar. */
export function didYouMean(name: unknown, known: readonly string[]): string {
  const near = typeof name === 'string' ? nearestName(name, known) : null;
  return near === null || near === name ? '' : ` (Did you mean ${near}?)`;
}

/** Names the similar one, and all. */
export const unknownPreset = (id: string, known: readonly string[]): string =>
  `Unknown preset "${id}"${didYouMean(id, known)}; the presets are: ${known.join(', ')}`;
