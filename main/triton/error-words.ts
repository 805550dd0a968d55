/** Triton's own words in the text of an error reply, or the text itself where it is no such JSON. */
export function errorWords(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text);
    if (parsed !== null && typeof parsed === 'object' && 'error' in parsed) return String(parsed.error);
  } catch {
    // Not JSON: the text itself is the best there is.
  }
  return text;
}
