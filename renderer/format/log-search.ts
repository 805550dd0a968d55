export function cutAt(
  line: string,
  search: string,
): readonly { readonly text: string; readonly hit: boolean }[] {
  if (search === '') return [{ text: line, hit: false }];
  const wanted = search.toLowerCase();
  const lower = line.toLowerCase();
  const parts: { text: string; hit: boolean }[] = [];
  let from = 0;
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, from)) {
    if (at > from) parts.push({ text: line.slice(from, at), hit: false });
    parts.push({ text: line.slice(at, at + search.length), hit: true });
    from = at + search.length;
  }
  if (from < line.length) parts.push({ text: line.slice(from), hit: false });
  return parts;
}
