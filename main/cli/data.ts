import { resolve } from 'node:path';
import type { DataItem, DataSource } from '../contract/data-source';
import { invalidInput, WorkbenchError } from '../contract/errors';
import { shellLine } from '../contract/flag-text';
import { formatCount } from '../contract/numbers';
import { isHubReference } from '../contract/own/hub';
import type { Core } from '../core';
import { exitCodes, type Output } from './output';
import { fetchHubModel, followDownload } from './own/hub-model';
import type { Verb } from './verb';

interface FetchOptions {
  readonly dataset?: string;
  readonly checkpoint?: string;
  readonly to?: string;
  readonly from?: string;
}

const sizeText = ({ bytes }: DataSource): string =>
  bytes === null ? 'size unknown' : `${formatCount(bytes)} bytes`;

/** Without a checksum, only the size of the file is compared. */
const checksumText = (checksum: DataSource['checksum']): string =>
  checksum === null
    ? 'no published checksum: the content is not verified'
    : `${checksum.algorithm} ${checksum.value}`;

function copyText({ source, path, partBytes }: DataItem): string {
  if (path !== null) return `local copy: ${path}`;
  if (partBytes > 0) return `partial download: ${formatCount(partBytes)} bytes`;
  return source.allowed === 'download' ? 'can be downloaded' : 'manual download, see data fetch';
}

function itemLines(item: DataItem): readonly string[] {
  const { kind, source } = item;
  const { id, title, page, licence, checksum, note } = source;
  return [
    `  --${kind} ${id}: ${title}`,
    `      ${sizeText(source)}; license: ${licence ?? 'unknown, see its page'}; ${page}`,
    `      ${checksumText(checksum)}`,
    ...(note === undefined ? [] : [`      ${note}`]),
    `      ${copyText(item)}`,
  ];
}

/** Defaults to the only data set of the preset. Throws input-invalid. */
function chosen(items: readonly DataItem[], preset: string, options: FetchOptions): DataItem {
  if (options.dataset !== undefined && options.checkpoint !== undefined) {
    throw invalidInput('data fetch', 'Use either --dataset or --checkpoint', 'Leave out one of them.');
  }
  const asked = items.find(({ kind, source }) => options[kind] === source.id);
  if (asked !== undefined) return asked;
  const datasets = items.filter(({ kind }) => kind === 'dataset');
  const [only] = datasets;
  const named = options.dataset !== undefined || options.checkpoint !== undefined;
  if (!named && only !== undefined && datasets.length === 1) return only;
  const known = items.map(({ kind, source }) => `--${kind} ${source.id}`).join(', ');
  throw new WorkbenchError('input-invalid', named ? 'No such source' : `${preset} has several sources`, {
    where: 'data fetch',
    remedy: known === '' ? 'The preset has no sources.' : `Available: ${known}.`,
  });
}

function sayUse(output: Output, preset: string, { kind, source }: DataItem, path: string): void {
  const args = Object.entries(source.args ?? {}).flatMap(([name, value]) => [
    '--set',
    `model.args.${name}=${value}`,
  ]);
  const command = ['triton-workbench', 'run', preset, '--profile', 'full', `--${kind}`, path, ...args];
  output.say(`Ready: ${path}`);
  output.say(`Next: ${shellLine(command)}`);
}

/** An explicit request, which is not asked about again. */
async function fetchModel(
  core: Core,
  reference: string,
  options: FetchOptions,
  output: Output,
): Promise<void> {
  const [flag] = Object.keys(options).filter((name) =>
    ['dataset', 'checkpoint', 'to', 'from'].includes(name),
  );
  if (flag !== undefined) {
    const remedy = 'Leave it out. HF_HOME sets the cache of the hub, and @REVISION selects the revision.';
    throw invalidInput(`--${flag}`, `--${flag} does not apply to a model of the hub`, remedy);
  }
  const path = await fetchHubModel(core, reference, output, () => Promise.resolve(true));
  if (output.json) output.document({ reference, path });
  output.say(`Ready: ${path}`);
  output.say(`Next: ${shellLine(['triton-workbench', 'run', reference])}`);
}

export function addData(program: Verb): void {
  const data = program.command('data').description('List and fetch published data sets and checkpoints');
  data
    .command('list', { isDefault: true })
    .description('List origin, size, license and checksum, and whether it is on this machine')
    .argument('[preset]', 'list only this preset')
    .answer(async ({ core }, preset: string | undefined) => {
      const ids =
        preset === undefined
          ? (await core.handlers['presets.list'](undefined)).map(({ id }) => id)
          : [preset];
      const lists = await Promise.all(
        ids.map(async (id) => ({ preset: id, items: await core.handlers['data.list']({ preset: id }) })),
      );
      const none = '  no published sources';
      return {
        document: lists,
        lines: () =>
          lists.flatMap(({ preset: id, items }) => [
            id,
            ...(items.length === 0 ? [none] : items.flatMap(itemLines)),
          ]),
      };
    });
  data
    .command('fetch')
    .description(
      'Download, verify, unpack and prepare a data set or checkpoint, or a model of the Hugging Face hub; an interrupted download is resumed. Prints the steps for sources that must be downloaded by hand',
    )
    .argument('<preset>', 'preset, or a model of the Hugging Face hub: hf:ORG/NAME or hf:ORG/NAME@REVISION')
    .option('--dataset <id>', 'data set to fetch; optional if the preset has only one')
    .option('--checkpoint <id>', 'checkpoint to fetch instead of a data set')
    .option('--to <dir>', 'destination folder; the source gets a subfolder named after its id')
    .option('--from <file>', 'use this local copy of the published file')
    .work(async ({ core, output, exit }, preset: string, options: FetchOptions) => {
      if (isHubReference(preset)) {
        await fetchModel(core, preset, options, output);
        return;
      }
      const item = chosen(await core.handlers['data.list']({ preset }), preset, options);
      const { source } = item;
      if (source.allowed === 'by-hand') {
        if (output.json) output.document(item);
        output.say(`${source.title} must be downloaded by hand:`);
        source.steps.forEach(({ text, copy }, index) => {
          output.say(`  ${index + 1}. ${text}`);
          if (copy !== undefined) output.say(`     ${copy}`);
        });
        if (source.note !== undefined) output.say(source.note);
        exit(exitCodes.byHand);
        return;
      }
      output.say(
        `${source.title}: ${sizeText(source)}; license: ${source.licence ?? 'unknown, see its page'}`,
      );
      if (source.checksum === null) output.say(checksumText(null));
      output.say(`from ${options.from ?? source.address}`);
      const { workId } = await core.handlers['data.fetchTo']({
        preset,
        source: source.id,
        to: options.to === undefined ? undefined : resolve(options.to),
        from: options.from === undefined ? undefined : resolve(options.from),
      });
      const work = await followDownload(core, workId, output);
      if (output.json) output.document(work);
      if (work.path !== null) sayUse(output, preset, item, work.path);
    });
}
