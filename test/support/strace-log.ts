import { resolve } from 'node:path';

/** A system call of a log as far as it matters here. */
export interface TracedCall {
  readonly name: string;
  /** The first path that it names, absolute; of a connection the address as strace writes it. */
  readonly path: string;
  /** What was opened, links followed; null where the call failed or opens nothing. */
  readonly real: string | null;
  readonly failed: boolean;
  readonly line: string;
}

const escapes: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, v: 11, f: 12, '"': 34, '\\': 92 };

/** A text of strace as it was: octal and C escapes are bytes of UTF-8. */
function unescaped(text: string): string {
  const bytes: number[] = [];
  for (const [whole, octal, letter] of text.matchAll(/\\([0-7]{1,3})|\\(.)|[^\\]/gsu)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else if (letter !== undefined) bytes.push(escapes[letter] ?? letter.charCodeAt(0));
    else bytes.push(...Buffer.from(whole));
  }
  return Buffer.from(bytes).toString('utf8');
}

/** Calls in one piece: what another thread interrupted is put together again, at the place of its end. */
function* wholeCalls(log: string): Generator<string> {
  const begun = new Map<string, string>();
  for (const line of log.split('\n')) {
    const [, pid = '', rest = ''] = /^(\d+) +(.*)$/s.exec(line) ?? [];
    const unfinished = / <unfinished \.\.\.>$/.exec(rest);
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/s.exec(rest);
    if (unfinished !== null) begun.set(pid, rest.slice(0, unfinished.index));
    else if (resumed !== null) {
      yield `${begun.get(pid) ?? ''}${resumed[1] ?? ''}`;
      begun.delete(pid);
    } else if (rest !== '') yield rest;
  }
  // Of a process that was killed within a call.
  yield* begun.values();
}

const quoted = /"((?:[^"\\]|\\.)*)"/s;

/**
 * Calls of a log that was written by `strace -f -y -s 4096 -o`, in their order; signals and exits are left out.
 * Paths are those of the call; `real` is what the kernel says of the descriptor.
 */
export function parseStrace(log: string): readonly TracedCall[] {
  const calls: TracedCall[] = [];
  for (const line of wholeCalls(log)) {
    const [, name] = /^(\w+)\(/.exec(line) ?? [];
    if (name === undefined) continue;
    const named = unescaped(quoted.exec(line)?.[1] ?? '');
    const at = /^\w+\((?:AT_FDCWD|\d+)<((?:[^>\\]|\\.)*)>/s.exec(line)?.[1];
    const path = name === 'connect' ? line : resolve(at === undefined ? '/' : unescaped(at), named);
    const answer = /\) += +(-?\d+|\?)(?:<((?:[^\\]|\\.)*)>)?[^)]*$/s.exec(line);
    const real = answer?.[2] === undefined ? null : unescaped(answer[2]);
    calls.push({ name, path, real, failed: answer === null || answer[1]?.startsWith('-') === true, line });
  }
  return calls;
}
