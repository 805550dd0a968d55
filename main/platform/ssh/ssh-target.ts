/** A machine as the ssh program reaches it. */
export interface SshTarget {
  /** "[user@]host", where host may be a name of ssh's own configuration. */
  readonly destination: string;
  /** null: as ssh's own configuration has it. */
  readonly port: number | null;
}

/** ssh's configuration in place of ~/.ssh/config. */
const configVariable = 'TRITON_WORKBENCH_SSH_CONFIG';

/** ssh takes an IPv6 address without the brackets that it has in a URL. */
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
 * Arguments of the ssh program up to the command: it asks nothing, gives up a silent line after 15 s and runs what it is
 * given, whatever the person's configuration has for a login. The rest of that configuration holds. Pure.
 * @param own what comes before the destination
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

/** What a person types to log in there. Pure. */
export const sshLogin = (target: SshTarget, env: NodeJS.ProcessEnv): string =>
  ['ssh', ...configOf(env), ...whereTo(target).filter((word) => word !== '--')].join(' ');

/** Equal for what one connection can serve. */
export const sshKey = (target: SshTarget, env: NodeJS.ProcessEnv): string =>
  JSON.stringify([
    env[configVariable] ?? '',
    env['HOME'] ?? '',
    env['SSH_AUTH_SOCK'] ?? '',
    target.destination,
    target.port,
  ]);
