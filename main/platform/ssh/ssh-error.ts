import { WorkbenchError } from '../../contract/errors';
import { cleanText } from '../clean-text';
import { sshLogin, type SshTarget } from './ssh-target';

const mostLetters = 1000;

/** What helps against a complaint of ssh. Pure. */
function remedyOf(complaint: string, login: string, hostname: string): string {
  if (/REMOTE HOST IDENTIFICATION HAS CHANGED/.test(complaint)) {
    return `The host key is not the one in known_hosts. Find out why. If the new key is right, run "ssh-keygen -R ${hostname}" and then "${login}" once, and compare the fingerprint.`;
  }
  if (/Host key verification failed/.test(complaint)) {
    return `The host key is not known yet. Run "${login}" once in a terminal, compare the fingerprint and accept it.`;
  }
  if (/Permission denied|Too many authentication failures/.test(complaint)) {
    return `The host accepts no key of yours. Load it with "ssh-add", or name it in ~/.ssh/config, until "${login}" logs in without a question.`;
  }
  if (/Could not resolve hostname/.test(complaint))
    return 'Check the name of the host, or add it to ~/.ssh/config.';
  return `Check that the host is running and that "${login}" logs in without a question.`;
}

/** @param complaint what ssh printed: a text from outside */
export function sshError(target: SshTarget, env: NodeJS.ProcessEnv, complaint: string): WorkbenchError {
  const text = cleanText(complaint).trim().slice(0, mostLetters);
  // The last line is the one that says why it ended.
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

/** @param error why the ssh program could not be started */
export const sshStartError = (error: unknown): WorkbenchError =>
  (error as NodeJS.ErrnoException).code === 'ENOENT'
    ? new WorkbenchError('host-unreachable', 'The ssh program is not installed', {
        remedy: 'Install OpenSSH, for example with "sudo apt install openssh-client".',
        cause: error,
      })
    : new WorkbenchError('host-unreachable', `ssh cannot be started: ${(error as Error).message}`, {
        cause: error,
      });
