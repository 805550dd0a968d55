import { readFileSync } from 'node:fs';

/** One clock tick of /proc, microseconds: USER_HZ is 100 on every Linux that Node runs on. */
const tickUs = 10_000;

/** CPU time of the ended and awaited children of this process (cutime and cstime of /proc/self/stat). */
export function endedChildrenCpuUs(): number {
  const text = readFileSync('/proc/self/stat', 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * tickUs;
}
