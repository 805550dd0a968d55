import { WorkbenchError } from '../../contract/errors';
import { cleanText } from '../lines';

const mostLetters = 1000;

/** Remedy for an error of ssh. */
function remedyOf(complaint: string, login: string, hostname: string): string {
  if (/REMOTE HOST IDENTIFICATION HAS CHANGED/.test(complaint)) {
    return `The host key is not the one in known_hosts. Find out why. If the new key is right, run "ssh-keygen -R ${hostname}" and then "${login}" once, and compare the fingerprint.`;
  }
  if (/Host key verification failed/.test(complaint)) {
    return `The host key is not known yet. Run "${login}" once in a terminal, compare the fingerprint and accept it.`;
  }
  if (/Permission denied|Too many authentication failures/.test(complaint)) {
    return `The host accepts none of your keys. Load your key with "ssh-add", or name it in ~/.ssh/config, until "${login}" logs in without a prompt.`;
  }
  if (/Could not resolve hostname/.test(complaint))
    return 'Check the name of the host, or add it to ~/.ssh/config.';
  return `Check that the host is running and that "${login}" logs in without a prompt.`;
}

/** @param complaint untrusted output of ssh */
export function sshError(target: SshTarget, env: NodeJS.ProcessEnv, complaint: string): WorkbenchError {
  const text = cleanText(complaint).trim().slice(0, mostLetters);
  // The last line has the cause.
  const last = text.split('\n').at(-1)?.trim() ?? '';
  const hostname = target.destination.replace(/^.*@/, '');
  return new WorkbenchError(
    'host-unreachable',
    `ssh ${target.destination}: ${last === '' ? 'the connection ended' : last.replace(/^ssh: /, '').replace(/\.$/, '')}`,
    {
      remedy: remedyOf(text, sshLogin(target, env), hostname),
      ...(text === last ? {} : { details: text }),
    },
  );
}

/** @param error why ssh could not be started */
export const sshStartError = (error: unknown): WorkbenchError =>
  (error as NodeJS.ErrnoException).code === 'ENOENT'
    ? new WorkbenchError('host-unreachable', 'The ssh program is not installed', {
        remedy: 'Install OpenSSH, for example with "sudo apt install openssh-client".',
        cause: error,
      })
    : new WorkbenchError('host-unreachable', `ssh cannot be started: ${(error as Error).message}`, {
        cause: error,
      });

export interface SshTarget {
  /** "[user@]host"; host may be an alias. */
  readonly destination: string;
  /** null: from ssh's configuration. */
  readonly port: number | null;
}

/** Replaces ~/.ssh/config. */
const configVariable = 'TRITON_WORKBENCH_SSH_CONFIG';

/** ssh takes IPv6 without brackets. */
const bareDestination = ({ destination }: SshTarget): string => destination.replace(/\[([^\]]*)\]$/, '$1');

const whereTo = (target: SshTarget): readonly string[] => [
  ...(target.port === null ? [] : ['-p', String(target.port)]),
  '--',
  bareDestination(target),
];

const configOf = (env: NodeJS.ProcessEnv): readonly string[] => {
  const config = env[configVariable] ?? '';
  return config === '' ? [] : ['-F', config];
};

/**
 * Arguments up to the command: batch mode, 15 s keep-alive timeout, no configured remote command; otherwise the user's
 * configuration applies.
 * @param own inserted before the destination
 */
export const sshArguments = (
  target: SshTarget,
  env: NodeJS.ProcessEnv,
  own: readonly string[] = [],
): string[] => [
  ...configOf(env),
  ...[
    'BatchMode=yes',
    'ConnectTimeout=10',
    'ServerAliveInterval=5',
    'ServerAliveCountMax=3',
    'LogLevel=ERROR',
    'ClearAllForwardings=yes',
    'RemoteCommand=none',
    'RequestTTY=no',
  ].flatMap((option) => ['-o', option]),
  ...own,
  ...whereTo(target),
];

/** Login command for display. */
export const sshLogin = (target: SshTarget, env: NodeJS.ProcessEnv): string =>
  ['ssh', ...configOf(env), ...whereTo(target).filter((word) => word !== '--')].join(' ');

/** Key of a shared connection. */
export const sshKey = (target: SshTarget, env: NodeJS.ProcessEnv): string =>
  JSON.stringify([
    env[configVariable] ?? '',
    env['HOME'] ?? '',
    env['SSH_AUTH_SOCK'] ?? '',
    target.destination,
    target.port,
  ]);
