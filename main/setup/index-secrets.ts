import type { PipSettings } from './package-index';

/** Shorter ones occur in ordinary text. */
const leastPassword = 4;
const leastPart = 6;

/** Tokens in an index's path have letters and digits; folder names are shorter. */
const isToken = (segment: string): boolean =>
  /^(?:[a-z\d]{12,}|[\w~-]{20,})$/i.test(segment) && /\d/.test(segment) && /[a-z]/i.test(segment);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Passwords may be printed encoded or decoded. */
const spellings = (text: string): readonly string[] => [text, decoded(text), encodeURIComponent(text)];

/** Unencoded passwords may be split by URL parsers, and appear split in messages. */
const parts = (password: string): readonly string[] =>
  decoded(password)
    .split(/[@/:]/)
    .filter((part) => part.length >= leastPart);

/** Secrets in a URL: user info, path, query. */
function addressSecrets(address: string): readonly string[] {
  const begin = address.indexOf('//');
  if (begin === -1) return [];
  const rest = address.slice(begin + 2);
  const at = rest.lastIndexOf('@');
  const person = rest.slice(0, Math.max(at, 0));
  const colon = person.indexOf(':');
  // Without a colon the user name is the token.
  const password = person.slice(colon + 1);
  const [path = '', query = ''] = rest.slice(at + 1).split('?');
  const tokens = path.split('/').slice(1).filter(isToken);
  const values = query.split('&').map((pair) => pair.slice(pair.indexOf('=') + 1));
  return [
    ...(password.length < leastPassword ? [] : [...spellings(password), ...parts(password)]),
    ...[...tokens, ...values.filter((value) => value.length >= leastPart)].flatMap(spellings),
  ];
}

/** Separator of URL lists. */
const between = /\s+|,(?=[a-z][a-z\d+.-]*:\/\/)/i;

/** Secrets in pip's configuration. */
export const pipSecrets = (configs: readonly PipSettings[]): readonly string[] =>
  configs
    .flatMap((config) => [...config.values()].flatMap((value) => value.split(between)))
    .flatMap(addressSecrets);

/** Secrets in index and proxy variables. */
export function environmentSecrets(env: NodeJS.ProcessEnv): readonly string[] {
  return Object.entries(env).flatMap(([name, value = '']) => {
    if (/^UV_.*(?:PASSWORD|TOKEN)$/.test(name) && value.length >= leastPassword) return spellings(value);
    const hasAddress = /^(?:PIP|UV)_|proxy$/i.test(name);
    return hasAddress ? value.split(between).flatMap(addressSecrets) : [];
  });
}

/** Removes secrets, and user info up to the last "@" of a URL, because passwords may contain "@" and "/". */
export function withoutCredentials(text: string, secrets: readonly string[] = []): string {
  const longestFirst = [...new Set(secrets)].sort((a, b) => b.length - a.length);
  const known = longestFirst.reduce((clean, secret) => clean.replaceAll(secret, '***'), text);
  return known.replace(/(\/\/)[^\s"']+@/g, '$1***@');
}
