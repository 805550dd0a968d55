import { resolve } from 'node:path';
import { WorkbenchError } from '../../contract/errors';
import { hostNameSchema } from '../../contract/host/host-name';
import { gpusText, hostFacts, hostStateText, usesText } from '../../contract/host/host-text';
import {
  type Host,
  type HostCheck,
  type HostStatus,
  type NewHost,
  newHostSchema,
} from '../../contract/host/hosts';
import { formatBytes, missing } from '../../contract/numbers';
import { present } from '../../contract/trees';
import { formatChecks } from '../../contract/words';
import type { Core } from '../../core';
import { largestOf } from '../../domain/statistics';
import { exitCodes, formatTable } from '../output';
import type { Answer, Verb } from '../verb';

const nameHelp = 'name of a host';

interface AddOptions {
  readonly certificates?: string;
  readonly check: boolean;
}

/** Throws input-invalid, naming the argument. */
function readHost(name: string, address: string, certificates: string | undefined): NewHost {
  const folder = certificates === undefined ? undefined : resolve(certificates);
  const parsed = newHostSchema.safeParse({ name, address, ...present({ certificates: folder }) });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = String(issue?.path[0] ?? 'address');
  throw new WorkbenchError('input-invalid', `The ${field} cannot be used: ${issue?.message ?? 'not valid'}`, {
    where: field === 'certificates' ? '--certificates' : field,
    remedy: 'For example: triton-workbench hosts add gpu1 user@gpu1.example.com',
  });
}

/** Throws host-unknown for a name that no host can have. */
const readName = (name: string): string => {
  if (hostNameSchema.safeParse(name).success) return name;
  throw new WorkbenchError('host-unknown', `Unknown host "${name}"`, { where: 'host' });
};

const rowOf = ({ name, address }: Host, status: HostStatus | undefined): readonly string[] => {
  if (status === undefined) return [name, address];
  if (!status.reachable) return [name, address, hostStateText(status), '', '', '', ''];
  const { docker, gpus, diskFreeBytes } = status;
  return [
    ...[name, address, hostStateText(status), gpusText(gpus)],
    docker.reachable ? docker.serverVersion : missing,
    diskFreeBytes === null ? missing : formatBytes(diskFreeBytes),
    usesText(status) ?? missing,
  ];
};

function statusLines(status: HostStatus): readonly string[] {
  const head = `${status.name} (${status.address}): ${hostStateText(status)}`;
  if (!status.reachable) return [head, `  ${status.message}`, `  → ${status.remedy}`];
  const facts = hostFacts(status);
  const width = largestOf(facts.map(([name]) => name.length));
  return [head, ...facts.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`)];
}

function checkLines({ status, checks }: HostCheck): readonly string[] {
  const shown = checks.filter(({ status: one }) => one !== 'not-applicable');
  return [...statusLines(status), ...(shown.length > 0 ? [''] : []), ...formatChecks(shown)];
}

const codeOf = ({ status, checks }: HostCheck): number =>
  status.reachable && checks.every(({ status: one }) => one !== 'problem')
    ? exitCodes.done
    : exitCodes.notReady;

async function list(core: Core, check: boolean): Promise<Answer> {
  const hosts = await core.handlers['hosts.list'](undefined);
  const statuses = check
    ? await Promise.all(hosts.map(({ name }) => core.handlers['hosts.status']({ name })))
    : [];
  return {
    document: hosts.map((host, index) => ({ ...host, ...present({ status: statuses[index] }) })),
    lines: () => listLines(hosts, statuses),
  };
}

/** @param statuses in the order of `hosts`; empty if they were not checked */
function listLines(hosts: readonly Host[], statuses: readonly HostStatus[]): readonly string[] {
  if (hosts.length === 0) return ['No hosts yet. To add one: hosts add NAME user@host'];
  const columns = statuses.length > 0 ? ['state', 'GPUs', 'Docker', 'disk free', 'in use by'] : [];
  const rows = hosts.map((host, index) => rowOf(host, statuses[index]));
  const problems = statuses.flatMap((status) => {
    if (!status.reachable) return `${status.name}: ${status.message}\n    → ${status.remedy}`;
    return status.docker.reachable ? [] : `${status.name}: ${status.docker.message}`;
  });
  return [formatTable(['host', 'address', ...columns], rows), ...problems];
}

function addReadVerbs(hosts: Verb): void {
  hosts
    .command('list', { isDefault: true })
    .description('List the hosts with their current state: GPUs, Docker, disk, and what runs there')
    .option('--no-check', 'do not connect to them')
    .answer(({ core }, { check }: { readonly check: boolean }) => list(core, check));
  hosts
    .command('show')
    .description('Show the current state of one host')
    .argument('<name>', nameHelp)
    .answer(async ({ core }, name: string) => {
      const status = await core.handlers['hosts.status']({ name: readName(name) });
      return { document: status, lines: () => statusLines(status) };
    });
  hosts
    .command('check')
    .description('Check whether a host can run Triton in containers')
    .argument('<name>', nameHelp)
    .answer(async ({ core, exit }, name: string) => {
      const found = await core.handlers['hosts.check']({ name: readName(name) });
      exit(codeOf(found));
      return { document: found, lines: () => checkLines(found) };
    });
}

export function addHosts(program: Verb): void {
  const hosts = program
    .command('hosts')
    .description('Manage hosts: other machines with Docker, reached by ssh, a Docker context or TLS');
  addReadVerbs(hosts);
  hosts
    .command('add')
    .description('Add a host and check it; keys, ssh-agent and known hosts are those of ssh')
    .argument('<name>', 'lower-case letters, digits and "-", at most 32')
    .argument(
      '<address>',
      'user@host[:port] or ssh://user@host[:port], tcp://host:2376 (TLS), or context:NAME',
    )
    .option('--certificates <dir>', 'folder with ca.pem, cert.pem and key.pem, for tcp:// only')
    .option('--no-check', 'do not connect to it')
    .answer(async ({ core: { handlers }, exit }, name: string, address: string, options: AddOptions) => {
      const host = await handlers['hosts.add'](readHost(name, address, options.certificates));
      const found = options.check ? await handlers['hosts.check']({ name: host.name }) : null;
      if (found !== null) exit(codeOf(found));
      return {
        document: { ...host, ...found },
        lines: () => [`Added ${host.name}.`, ...(found === null ? [] : checkLines(found))],
      };
    });
  hosts
    .command('remove')
    .description('Remove a host from the list; nothing is changed on the host')
    .argument('<name>', nameHelp)
    .option('--force', 'remove it even if runs or deployments use it, or if it is unreachable')
    .checking((_options, [name = '']) => readName(name))
    .answer(async ({ core }, given: string, { force = false }: { readonly force?: boolean }) => {
      const name = readName(given);
      await core.handlers['hosts.remove']({ name, force });
      return { document: { name, removed: true }, lines: () => `${name} removed.` };
    });
}
