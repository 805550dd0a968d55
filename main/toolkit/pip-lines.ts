import type { ErrorCode } from '../contract/errors';
import { WorkbenchError } from '../contract/errors';

/** A line of pip that is worth showing: a large download, or the unpacking. Pure. */
export function shownPipLine(line: string): string | null {
  const size = /^\s*(?:Downloading|Using cached) (\S+?)-(\d\S*?)-\S+ \((\d+(?:\.\d+)?) ([MG])B\)/.exec(line);
  if (size !== null) {
    const [, name = '', version = '', amount = '', unit = ''] = size;
    return unit === 'G' || Number(amount) >= 5 ? `${name} ${version} (${amount} ${unit}B)` : null;
  }
  const all = /^Installing collected packages: (.*)/.exec(line);
  return all === null ? null : `unpacking ${(all[1] ?? '').split(', ').length} packages`;
}

const reasons: readonly (readonly [RegExp, ErrorCode, string, string])[] = [
  [/No space left on device|ENOSPC/i, 'disk-full', 'the disk is full', 'Free some space and resume the run.'],
  [
    /NewConnectionError|NameResolution|Temporary failure|Network is unreachable|ConnectTimeout|ReadTimeout|ProxyError|Connection (?:refused|reset|aborted)/i,
    'toolchain-missing',
    'the package index cannot be reached',
    'Connect this machine (or set its proxy) and resume the run.',
  ],
  [
    /CERT|SSLError|certificate/i,
    'toolchain-missing',
    'the certificate of the package index is not trusted',
    'Check the CA settings of pip and resume the run.',
  ],
  [
    /No matching distribution/i,
    'toolchain-missing',
    'the package index has no build for this Python version',
    'Check the Python version and the package index of pip.',
  ],
];

/** One sentence out of what pip said, with its last lines. Pure. */
export function installFailure(what: string, lines: readonly string[]): WorkbenchError {
  const details = lines.join('\n');
  const found = reasons.find(([pattern]) => pattern.test(details));
  const [, code, reason, remedy] = found ?? [
    null,
    'toolchain-missing' as const,
    'its installer failed',
    'Read the details, fix what they name, and resume the run.',
  ];
  return new WorkbenchError(code, `${what} cannot be installed: ${reason}`, { remedy, details });
}
