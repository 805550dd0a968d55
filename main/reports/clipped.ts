/** A text of at most `longest` characters, cut at a word and ended by an ellipsis where it was longer. */
export function clipped(text: string, longest: number): string {
  const characters = Array.from(text);
  if (characters.length <= longest) return text;
  const head = characters.slice(0, longest - 1).join('');
  const space = head.lastIndexOf(' ');
  return `${(space > longest / 2 ? head.slice(0, space) : head).replace(/[\s.,;:]+$/, '')}…`;
}
