import { resolve } from 'node:path';
import type { Command } from 'commander';
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
import { largestOf } from '../../contract/statistics';
import { present } from '../../contract/trees';
import { formatChecks } from '../../contract/words';
import type { Core } from '../../core';
import { type CliContext, exitCodes, formatTable, jsonHelp, type JsonOption, type Output } from '../output';

const nameHelp = 'name of a host';

/** Throws input-invalid, naming the argument. */
function readHost(name: string, address: string, certificates: string | undefined): NewHost {
  const folder = certificates === undefined ? undefined : resolve(certificates);
  const parsed = newHostSchema.safeParse({ name, address, ...present({ certificates: folder }) });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = String(issue?.path[0] ?? 'address');
  throw new WorkbenchError('input-invalid', `The ${field} cannot be used: ${issue?.message ?? 'not valid'}`, {
    where: field === 'certificates' ? '--certificates' : field,
    remedy: 'For example: triton-workbench hosts add gpu1 ssh://user@gpu1.example.com',
  });
}

/** A name that no host can have is one that no host has. */
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

/** What was found, and whether containers can run there. */
function tellCheck(output: Output, { status, checks }: HostCheck): number {
  for (const line of statusLines(status)) output.say(line);
  const shown = checks.filter(({ status: one }) => one !== 'not-applicable');
  if (shown.length > 0) output.say('');
  for (const line of formatChecks(shown)) output.say(line);
  const ready = status.reachable && checks.every(({ status: one }) => one !== 'problem');
  return ready ? exitCodes.done : exitCodes.notReady;
}

async function list(core: Core, output: Output, check: boolean): Promise<void> {
  const hosts = await core.handlers['hosts.list'](undefined);
  const statuses = check
    ? await Promise.all(hosts.map(({ name }) => core.handlers['hosts.status']({ name })))
    : [];
  if (output.json) {
    output.document(hosts.map((host, index) => ({ ...host, ...present({ status: statuses[index] }) })));
    return;
  }
  if (hosts.length === 0) {
    output.say('No hosts yet. To add one: hosts add NAME ssh://user@host');
    return;
  }
  const columns = check ? ['state', 'GPUs', 'Docker', 'disk free', 'in use by'] : [];
  const rows = hosts.map((host, index) => rowOf(host, statuses[index]));
  output.say(formatTable(['host', 'address', ...columns], rows));
  for (const status of statuses) {
    if (!status.reachable) output.say(`${status.name}: ${status.message}\n    → ${status.remedy}`);
    else if (!status.docker.reachable) output.say(`${status.name}: ${status.docker.message}`);
  }
}

function addLooks(hosts: Command, context: CliContext): void {
  hosts
    .command('list', { isDefault: true })
    .description('List the hosts, each as it is now: GPUs, Docker, disk, what runs there')
    .option('--no-check', 'do not connect to them')
    .option('--json', jsonHelp)
    .action(async (options: JsonOption & { readonly check: boolean }) => {
      await list(await context.core(), context.output(options), options.check);
    });
  hosts
    .command('show')
    .description('Show one host as it is now')
    .argument('<name>', nameHelp)
    .option('--json', jsonHelp)
    .action(async (given: string, options: JsonOption) => {
      const output = context.output(options);
      const status = await (await context.core()).handlers['hosts.status']({ name: readName(given) });
      if (output.json) output.document(status);
      else for (const line of statusLines(status)) output.say(line);
    });
  hosts
    .command('check')
    .description('Check whether a host can run Triton in containers')
    .argument('<name>', nameHelp)
    .option('--json', jsonHelp)
    .action(async (given: string, options: JsonOption) => {
      const output = context.output(options);
      const found = await (await context.core()).handlers['hosts.check']({ name: readName(given) });
      const quiet: Output = output.json ? { ...output, say: () => undefined } : output;
      context.exit(tellCheck(quiet, found));
      if (output.json) output.document(found);
    });
}

/** `hosts`: machines to run on, beside this one. */
export function addHosts(program: Command, context: CliContext): void {
  const hosts = program
    .command('hosts')
    .description('Manage hosts: other machines with Docker, reached by ssh, a Docker context or TLS');
  addLooks(hosts, context);
  hosts
    .command('add')
    .description('Add a host and check it; keys, ssh-agent and known hosts are those of ssh')
    .argument('<name>', 'lower-case letters, digits and "-", at most 32')
    .argument('<address>', 'ssh://user@host[:port], tcp://host:2376 (TLS), or context:NAME')
    .option('--certificates <dir>', 'folder with ca.pem, cert.pem and key.pem, for tcp:// only')
    .option('--no-check', 'do not connect to it')
    .option('--json', jsonHelp)
    .action(
      async (
        name: string,
        address: string,
        options: JsonOption & { readonly certificates?: string; readonly check: boolean },
      ) => {
        const output = context.output(options);
        const { handlers } = await context.core();
        const host = await handlers['hosts.add'](readHost(name, address, options.certificates));
        const found = options.check ? await handlers['hosts.check']({ name: host.name }) : null;
        if (output.json) {
          output.document({ ...host, ...(found ?? {}) });
          return;
        }
        output.say(`Added ${host.name}.`);
        if (found !== null) tellCheck(output, found);
      },
    );
  hosts
    .command('remove')
    .description('Remove a host from the list; nothing is changed on the host')
    .argument('<name>', nameHelp)
    .option('--force', 'also while runs or deployments use it, or when it is unreachable')
    .option('--json', jsonHelp)
    .action(async (given: string, options: JsonOption & { readonly force?: boolean }) => {
      const output = context.output(options);
      const name = readName(given);
      const { handlers } = await context.core();
      await handlers['hosts.remove']({ name, force: options.force === true });
      if (output.json) output.document({ name, removed: true });
      else output.say(`${name} removed.`);
    });
}
