import { basename, join } from 'node:path';
import { z } from 'zod';
import { WorkbenchError } from '../contract/errors';
import { formatBytes } from '../contract/numbers';
import {
  reportAuthorSchema,
  type ReportChange,
  reportChangeSchema,
  type ReportText,
  reportTextSchema,
} from '../contract/settings/report-settings';
import { writeFileAtomic } from '../platform/files';
import { readBoundedBytes, readBoundedFile } from '../platform/plain-entry';

const kinds = { png: 'image/png', jpg: 'image/jpeg', svg: 'image/svg+xml' } as const;

export interface Logo {
  /** Original file name. */
  readonly name: string;
  readonly kind: keyof typeof kinds;
  readonly base64: string;
}

/** A report embeds it up to twice, and is mailed. */
const mostLogoBytes = 256 * 1024;

export const logoUri = ({ kind, base64 }: Logo): string => `data:${kinds[kind]};base64,${base64}`;

/** Files of earlier versions, removed so that old logos are not passed on. */
export const formerLogoFiles = Object.keys(kinds).map((kind) => `report-logo.${kind}`);

const signatures = [
  ['png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
  ['jpg', Buffer.from([0xff, 0xd8, 0xff])],
] as const;

/** Allowed SVG elements in any namespace: nothing that runs, links or is HTML. */
const drawn: ReadonlySet<string> = new Set([
  ...['svg', 'g', 'defs', 'symbol', 'use', 'switch', 'title', 'desc', 'metadata', 'style', 'view'],
  ...['path', 'rect', 'circle', 'ellipse', 'line', 'polyline', 'polygon', 'image', 'marker'],
  ...['text', 'tspan', 'textPath', 'clipPath', 'mask', 'pattern'],
  ...['linearGradient', 'radialGradient', 'stop', 'filter'],
  ...['feBlend', 'feColorMatrix', 'feComponentTransfer', 'feComposite', 'feConvolveMatrix'],
  ...['feDiffuseLighting', 'feDisplacementMap', 'feDistantLight', 'feDropShadow', 'feFlood'],
  ...['feFuncA', 'feFuncB', 'feFuncG', 'feFuncR', 'feGaussianBlur', 'feImage', 'feMerge', 'feMergeNode'],
  ...['feMorphology', 'feOffset', 'fePointLight', 'feSpecularLighting', 'feSpotLight', 'feTile'],
  'feTurbulence',
  // Author and license metadata.
  ...['RDF', 'Work', 'Agent', 'License', 'Bag', 'li', 'format', 'type', 'date', 'creator', 'rights'],
  ...['publisher', 'identifier', 'language', 'subject', 'description', 'contributor', 'license'],
  ...['permits', 'requires', 'prohibits'],
]);

/** References inside the drawing, or embedded pictures. */
const ownReference = /^(?:#|data:image\/(?:png|jpeg);base64,)/i;

const outside = (styles: string): boolean =>
  /@import|\\|(?:image|image-set|cross-fade|src)\(/i.test(styles) ||
  [...styles.matchAll(/url\(\s*(['"]?)([^)]*)/gi)].some(([, , of = '']) => !ownReference.test(of.trim()));

function attributeProblem(name: string, value: string): string | null {
  const local = name.replace(/^.*:/, '');
  if (/^on/i.test(local)) return `the attribute "${name}", which runs a script`;
  if (/^(?:href|src)$/i.test(local) && !ownReference.test(value.trim()))
    return `a reference to ${JSON.stringify(value.slice(0, 80))}`;
  if (outside(value)) return `the attribute "${name}", which loads something`;
  return null;
}

type Node = Readonly<Record<string, unknown>>;

/** The first problem, or null. */
function problemOf(nodes: readonly Node[]): string | null {
  for (const node of nodes) {
    const attributes = (node[':@'] ?? {}) as Readonly<Record<string, string>>;
    for (const [name, value] of Object.entries(attributes)) {
      const problem = attributeProblem(name, value);
      if (problem !== null) return problem;
    }
    for (const [name, inside] of Object.entries(node)) {
      if (name === ':@') continue;
      if (name.startsWith('?') && name !== '?xml') return `the instruction <${name}>`;
      if (!Array.isArray(inside)) {
        if (outside(String(inside))) return 'a style that loads something';
        continue;
      }
      if (name !== '?xml' && !drawn.has(name.replace(/^.*:/, ''))) return `the element <${name}>`;
      const problem = problemOf(inside as readonly Node[]);
      if (problem !== null) return problem;
    }
  }
  return null;
}

/** Decodes entities, which could hide executable URLs. The parser's recommended decoder is another package. */
const readsEntities = { htmlEntities: true };

const xml = {
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  parseAttributeValue: false,
  ...readsEntities,
} as const;

/** Rejects scripts and external content; null for a safe drawing. */
async function svgProblem(text: string): Promise<string | null> {
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text)) return 'a document type';
  const { XMLParser } = await import('fast-xml-parser');
  const nodes = new XMLParser(xml).parse(text) as readonly Node[];
  if (!nodes.some((node) => 'svg' in node)) return 'no <svg> element at its top';
  return problemOf(nodes);
}

/** Unsafe SVG is refused: reports show it as an image, but it may be opened on its own. Throws input-invalid. */
export async function readLogo(path: string): Promise<Logo> {
  const refuse = (problem: string, remedy: string) =>
    new WorkbenchError('input-invalid', `The logo is not used: ${problem}`, { where: path, remedy });
  const smaller = `Choose a PNG, JPEG or SVG file of at most ${formatBytes(mostLogoBytes)}.`;
  const found = await readBoundedBytes(path, mostLogoBytes, { links: 'follow' });
  if ('problem' in found) throw refuse(found.problem, smaller);
  const { bytes } = found;
  const name = basename(path);
  const base64 = bytes.toString('base64');
  for (const [kind, start] of signatures)
    if (bytes.subarray(0, start.length).equals(start)) return { name, kind, base64 };
  const text = bytes.toString('utf8');
  if (!/<(?:\w+:)?svg[\s>]/i.test(text)) throw refuse('it is not a PNG, JPEG or SVG file', smaller);
  const problem = await svgProblem(text);
  if (problem === null) return { name, kind: 'svg', base64 };
  throw refuse(`the SVG has ${problem}`, 'Export it as a plain drawing ("Plain SVG"), or as PNG.');
}

const houseSchema = z.strictObject({
  logo: z
    .strictObject({ name: z.string(), kind: z.enum(['png', 'jpg', 'svg']), base64: z.base64() })
    .nullable(),
  author: reportAuthorSchema.default(''),
  without: reportChangeSchema.shape.without.unwrap(),
});

export type StoredReportSettings = ReportText & Readonly<z.infer<typeof houseSchema>>;

/** Author, logo and sections per home; title, customer and notes per report. */
export interface SettingsPaths {
  /** `report-look.json` of the home. */
  readonly house: string;
  /** Folder of the report: `results` of a run. */
  readonly results: string;
}

export const defaultReportSettings: StoredReportSettings = {
  ...{ logo: null, author: '', without: [] },
  ...{ title: '', customer: '', notes: '' },
};
const mostBytes = 1024 * 1024;

/** null if not set. */
async function read<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.infer<Schema> | null> {
  const unreadable = (problem: string, cause?: unknown): WorkbenchError =>
    new WorkbenchError('report-failed', `The settings of reports cannot be read: ${problem}`, {
      where: path,
      remedy: 'Remove this file, and choose title, customer, author, logo and contents again.',
      cause,
    });
  const found = await readBoundedFile(path, mostBytes);
  if ('problem' in found) {
    if (found.problem === 'it does not exist') return null;
    throw unreadable(found.problem);
  }
  try {
    return schema.parse(JSON.parse(found.text));
  } catch (error) {
    throw unreadable('it is damaged', error);
  }
}

const textFile = ({ results }: SettingsPaths): string => join(results, 'report-text.json');

/** Throws report-failed for damaged files. */
export async function readReportSettings(paths: SettingsPaths): Promise<StoredReportSettings> {
  const house = await read(paths.house, houseSchema);
  const text = await read(textFile(paths), reportTextSchema);
  return { ...defaultReportSettings, ...house, ...text };
}

/** Absent fields stay. Throws input-invalid for an invalid logo. */
export async function changeReportSettings(
  paths: SettingsPaths,
  change: ReportChange,
): Promise<StoredReportSettings> {
  const { logo, without, author, title, customer, notes } = change;
  const before = await readReportSettings(paths);
  const next: StoredReportSettings = {
    logo: logo === undefined ? before.logo : logo === null ? null : await readLogo(logo),
    author: author?.trim() ?? before.author,
    without: without ?? before.without,
    title: title?.trim() ?? before.title,
    customer: customer?.trim() ?? before.customer,
    notes: notes?.trim() ?? before.notes,
  };
  const write = (path: string, value: unknown) => writeFileAtomic(path, `${JSON.stringify(value)}\n`, 0o600);
  if ([logo, without, author].some((one) => one !== undefined))
    await write(paths.house, { logo: next.logo, author: next.author, without: next.without });
  if ([title, customer, notes].some((one) => one !== undefined))
    await write(textFile(paths), { title: next.title, customer: next.customer, notes: next.notes });
  return next;
}
