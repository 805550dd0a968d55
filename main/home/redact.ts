import { hostname, userInfo } from 'node:os';
import { environmentSecrets } from '../setup/index-secrets';

/** Replaces personal data and credentials. */
export type Redact = (text: string) => string;

interface Identity {
  readonly user: string;
  readonly host: string;
  readonly userHome: string;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** Beside the secrets of `env`. */
  readonly secrets?: readonly string[];
}

const secretName = /token|secret|passw|api[-_]?key|auth|credential|cookie|private[-_]?key|access[-_]?key/i;
/** Shorter values of variables occur in every text. */
const leastSecret = 6;
/** Common in texts of the product and of containers. */
const commonNames: ReadonlySet<string> = new Set(['root', 'user', 'localhost', 'triton']);

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');

const address = /\b([a-z][a-z0-9+.-]*:\/\/)([^\s"']*)/gi;

/** Without "user:password@", where a password may have "@" and "/", and without query. */
function cleanAddress(_all: string, scheme: string, rest: string): string {
  const [at, query] = [rest.lastIndexOf('@'), rest.indexOf('?')];
  // An "@" of the query, or a "?" of the password.
  if (query !== -1 && query < at) return `${scheme}<address>`;
  const open = at === -1 ? rest : `<credentials>${rest.slice(at)}`;
  return scheme + open.replace(/\?.*$/, '?<query>');
}

const patterns: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [^-]+-----[^]*?(?:-----END [^-]+-----|$)/g, '<key>'],
  // Headers in commands: quoted, with a quoted name too, or up to the next option.
  [
    /(?<![\w-])(--header|-H)([ =])(?:(?:"[^"\n]*"|'[^'\n]*')(?:\s*[:=]\s*(?:"[^"\n]*"|'[^'\n]*'|\S+))?|[\w-]+:[^\n]*?(?=\s--?[a-z]|\n|$)|\S+)/gi,
    '$1$2<header>',
  ],
  // Headers: everything after the name.
  [
    /\b((?:proxy-)?authorization|cookie|set-cookie|x-[\w-]*(?:token|key|auth|secret)[\w-]*)(["']?\s*[:=]\s*)[^\n]+/gi,
    '$1$2<secret>',
  ],
  [/\b(bearer|basic)\s+[\w.~+/=-]+/gi, '$1 <secret>'],
  [
    /\b([\w-]*(?:token|secret|passw(?:or)?d|api[-_]?key|access[-_]?key|credential)[\w-]*)(["']?\s*[:=]\s*)(?:"[^"]*"|'[^']*'|[^\s,;]+)/gi,
    '$1$2<secret>',
  ],
  // Recognizable tokens: JSON web tokens, GitHub, Hugging Face, NVIDIA, AWS, Slack.
  [/\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?/g, '<secret>'],
  [/\b(?:gh[pousr]_|github_pat_|hf_|nvapi-|xox[abprs]-|sk-)[\w-]{8,}/g, '<secret>'],
  [/\bAKIA[0-9A-Z]{16}\b/g, '<secret>'],
  [/\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b/g, '<e-mail>'],
];

/** A machine-specific text; a name matches only as a word. */
interface Literal {
  readonly value: string;
  readonly as: string;
  readonly isName: boolean;
}

/** Longest first, so that no contained value leaves a rest. */
function literals({ user, host, userHome, home, env, secrets = [] }: Identity): readonly Literal[] {
  const named: readonly string[] = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && value.length >= leastSecret && secretName.test(name) ? [value] : [],
  );
  const hidden = [...named, ...environmentSecrets(env), ...secrets].map((value) => ({
    value,
    as: '<secret>',
    isName: false,
  }));
  const others: readonly Literal[] = [
    { value: home, as: '<home>', isName: false },
    { value: userHome, as: '~', isName: false },
    { value: user, as: '<user>', isName: true },
    { value: host, as: '<host>', isName: true },
  ];
  return [...hidden, ...others]
    .filter(({ value, isName }) => value.length > 1 && !(isName && commonNames.has(value)))
    .toSorted((a, b) => Number(a.isName) - Number(b.isName) || b.value.length - a.value.length);
}

/** Removes names and paths of user and home, environment secrets, credentials, tokens, headers, e-mail addresses. */
export function createRedact(identity: Identity): Redact {
  const all = literals(identity);
  return (text) => {
    let clean = text;
    for (const { value, as, isName } of all) {
      const whole = isName ? `(?<![A-Za-z0-9_])${escaped(value)}(?![A-Za-z0-9_])` : escaped(value);
      clean = clean.replace(new RegExp(whole, 'gi'), as);
    }
    clean = clean.replace(address, cleanAddress);
    for (const [pattern, as] of patterns) clean = clean.replace(pattern, as);
    return clean;
  };
}

/** For texts of this process. @param secrets beside those of `env` */
export function redactHere(home: string, env: NodeJS.ProcessEnv, secrets: readonly string[] = []): Redact {
  const { username, homedir } = userInfo();
  return createRedact({ user: username, host: hostname(), userHome: homedir, home, env, secrets });
}
