import { SetupError } from './say.mjs';

const reasons = [
  [/No space left on device|ENOSPC/i, 'the disk is full', 'free some space'],
  [
    /EACCES|EPERM|EROFS|Permission denied|Read-only file system/i,
    'a folder cannot be written',
    'check its rights',
  ],
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|NewConnectionError|NameResolution|Temporary failure|Network is unreachable|ConnectTimeout|Could not resolve|EHOSTUNREACH|network/i,
    'the network or the package index cannot be reached',
    'connect this machine (or set its proxy)',
  ],
  [
    /CERT|SSLError|certificate/i,
    'the certificate of the package index is not trusted',
    'check the CA settings',
  ],
  [/integrity|hash/i, 'the downloaded files do not match their checksums', 'check the package mirror'],
  [
    /No matching distribution/i,
    'the package index has no build for this Python version',
    'check the Python version',
  ],
];

/** One sentence out of what npm, pip or apt said; the whole of it is in the log. */
export function downloadFailure(what, output, log) {
  const found = reasons.find(([pattern]) => pattern.test(output));
  const [reason, remedy] = found ? [found[1], found[2]] : ['its installer failed', 'read the log'];
  return new SetupError(
    `Cannot install ${what}: ${reason}; ${remedy} and run the command again (log: ${log}).`,
  );
}
