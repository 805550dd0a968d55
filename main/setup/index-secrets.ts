import type { PipSettings } from './package-index';

/** Shorter ones occur in every text. */
const leastPassword = 4;
const leastPart = 6;

/** With a letter and a digit, as a token that some indexes have in their path; the names of folders are shorter. */
const isToken = (segment: string): boolean =>
  /^(?:[a-z\d]{12,}|[\w~-]{20,})$/i.test(segment) && /\d/.test(segment) && /[a-z]/i.test(segment);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** An encoded password is also printed decoded, and the other way round. */
const spellings = (text: string): readonly string[] => [text, decoded(text), encodeURIComponent(text)];

/** A password that is not encoded is taken apart by those who read the address; so are their messages. */
const parts = (password: string): readonly string[] =>
  decoded(password)
    .split(/[@/:]/)
    .filter((part) => part.length >= leastPart);

/** The secrets in the address of an index or a proxy: password or token before the host, in its path, in its query. */
function addressSecrets(address: string): readonly string[] {
  const begin = address.indexOf('//');
  if (begin === -1) return [];
  const rest = address.slice(begin + 2);
  const at = rest.lastIndexOf('@');
  const person = rest.slice(0, Math.max(at, 0));
  const colon = person.indexOf(':');
  // Without a colon the name is the token.
  const password = person.slice(colon + 1);
  const [path = '', query = ''] = rest.slice(at + 1).split('?');
  const tokens = path.split('/').slice(1).filter(isToken);
  const values = query.split('&').map((pair) => pair.slice(pair.indexOf('=') + 1));
  return [
    ...(password.length < leastPassword ? [] : [...spellings(password), ...parts(password)]),
    ...[...tokens, ...values.filter((value) => value.length >= leastPart)].flatMap(spellings),
  ];
}

/** Where one address of a list ends and the next begins. */
const between = /\s+|,(?=[a-z][a-z\d+.-]*:\/\/)/i;

/** The secrets of the addresses in pip's files. Pure. */
export const pipSecrets = (configs: readonly PipSettings[]): readonly string[] =>
  configs
    .flatMap((config) => [...config.values()].flatMap((value) => value.split(between)))
    .flatMap(addressSecrets);

/** The secrets of the indexes and proxies in an environment, those that are set for uv by their name too. Pure. */
export function environmentSecrets(env: NodeJS.ProcessEnv): readonly string[] {
  return Object.entries(env).flatMap(([name, value = '']) => {
    if (/^UV_.*(?:PASSWORD|TOKEN)$/.test(name) && value.length >= leastPassword) return spellings(value);
    const hasAddress = /^(?:PIP|UV)_|proxy$/i.test(name);
    return hasAddress ? value.split(between).flatMap(addressSecrets) : [];
  });
}

/**
 * Without these secrets, and without user and password of the addresses in it: everything up to the last "@" before
 * white space or a quote, as a password may have "@" and "/" in it. Pure.
 */
export function withoutCredentials(text: string, secrets: readonly string[] = []): string {
  const longestFirst = [...new Set(secrets)].sort((a, b) => b.length - a.length);
  const known = longestFirst.reduce((clean, secret) => clean.replaceAll(secret, '***'), text);
  return known.replace(/(\/\/)[^\s"']+@/g, '$1***@');
}
