import { type Reach, type Reached, reachOf } from '../../main/contract/reach';
import type { RunContent } from '../../main/contract/run/run-content';
import type { ModelCode } from '../../main/own/open-model';

/** A dialog of the main process, which the page can neither show nor answer. */
export interface ConsentQuestion {
  readonly message: string;
  readonly detail: string;
  readonly agree: string;
}

const mostLines = 14;
const longestValue = 240;

/** A name as it is: what would break the line or turn its direction is written as its code, what is long has a gap. */
export function shownValue(value: string): string {
  const plain = value.replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
  if (plain.length <= longestValue) return plain;
  const half = longestValue / 2;
  return `${plain.slice(0, half)} … ${plain.slice(-half)}`;
}

function listed(lines: readonly string[]): string[] {
  const more = lines.length - mostLines;
  return more <= 0 ? [...lines] : [...lines.slice(0, mostLines), `and ${more} more`];
}

function section(title: string, found: readonly Reached[]): string[] {
  if (found.length === 0) return [];
  return [title, ...listed(found.map(({ field, value }) => `  ${shownValue(value)}  (${field})`)), ''];
}

export function reachOfContent({ paths, images, server, machines }: RunContent): Reach {
  const named = (value: string): Reached => ({ field: 'run.yaml', value });
  return {
    paths: paths.map(named),
    images: images.map(named),
    hosts: reachOf({ engine: { kind: 'remote', url: server } }).hosts,
    machines: machines.map(named),
  };
}

function reachSections({ paths, images, hosts, machines }: Reach): string[] {
  return [
    ...section('Read, and read-only in containers:', paths),
    ...section('Pull if missing, and run as a container:', images),
    ...section('Send load to another machine:', hosts),
    ...section('Run programs on another machine:', machines),
  ];
}

export function reachQuestion(reach: Reach): ConsentQuestion {
  const onlyReads = reach.images.length + reach.hosts.length + reach.machines.length === 0;
  return {
    message: onlyReads
      ? 'Allow Triton Workbench to read these files?'
      : 'Allow this run to use resources outside the workbench?',
    detail: [
      ...reachSections(reach),
      'Your answer is remembered. If you did not choose this yourself, cancel.',
    ].join('\n'),
    agree: 'Allow',
  };
}

export function trustQuestion({ path, files, sha256 }: ModelCode): ConsentQuestion {
  const lines = files.map((file) => `  ${shownValue(file.path)}`);
  return {
    message: 'Trust this model, and run its code?',
    detail: [
      shownValue(path),
      '',
      ...(lines.length === 0 ? ['It is data only; no code of it is run.'] : listed(lines)),
      '',
      `SHA-256 ${sha256}`,
      'Its code runs with your permissions. You are asked again if it changes.',
    ].join('\n'),
    agree: 'Trust',
  };
}

export function runQuestion(content: RunContent): ConsentQuestion {
  const code = content.code.map((path) => `  ${shownValue(path)}`);
  return {
    message: 'Trust this run from elsewhere, and continue it?',
    detail: [
      shownValue(content.dir),
      '',
      ...(code.length === 0 ? [] : ['Programs, or files that may hold one:', ...listed(code), '']),
      ...reachSections(reachOfContent(content)),
      `${content.files.length} files, SHA-256 ${content.hash}`,
      'Its code runs with your permissions. You are asked again if a file changes.',
    ].join('\n'),
    agree: 'Trust',
  };
}
