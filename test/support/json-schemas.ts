import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { repository } from './home';

const file = join(repository, 'docs', 'reference', 'schemas', 'json.schema.json');

interface Bundle {
  readonly $defs: Readonly<Record<string, { readonly title?: string }>>;
}

const made: { ajv: Ajv2020 | null; verbs: ReadonlySet<string> } = { ajv: null, verbs: new Set() };

function validators(): Ajv2020 {
  if (made.ajv !== null) return made.ajv;
  const bundle = JSON.parse(readFileSync(file, 'utf8')) as Bundle;
  made.verbs = new Set(
    Object.entries(bundle.$defs).flatMap(([name, { title }]) =>
      title?.endsWith('--json') === true ? [name] : [],
    ),
  );
  made.ajv = new Ajv2020({ strict: true });
  made.ajv.addSchema(bundle, 'json');
  return made.ajv;
}

/** Name of the verb's schema: "studies-list". Throws for a verb without one. */
export function schemaNameOf(args: readonly string[]): string {
  validators();
  const [verb = '', second = ''] = args.filter((word) => !word.startsWith('-'));
  const name = [`${verb}-${second}`, verb, `${verb}-list`].find((one) => made.verbs.has(one));
  if (name === undefined) throw new Error(`no schema of "${args.join(' ')}"`);
  return name;
}

const isError = (document: unknown): boolean =>
  typeof document === 'object' && document !== null && Object.keys(document).join() === 'error';

/** Where a document is not of the schema of its verb; an error is of that of errors. */
export function schemaProblems(args: readonly string[], document: unknown): string {
  const ajv = validators();
  const name = isError(document) ? 'error' : schemaNameOf(args);
  const validate = ajv.getSchema(`json#/$defs/${name}`);
  if (validate === undefined) throw new Error(`no schema ${name}`);
  return validate(document) === true ? '' : `${name}: ${ajv.errorsText(validate.errors)}`;
}

/** The documents of a command line that asks for JSON; none where it was stopped while it wrote. */
export function documentsOf(args: readonly string[], stdout: string): readonly unknown[] {
  const asks = args.includes('--json') || (args.includes('--as') && args.includes('json'));
  if (!asks || stdout.trim() === '') return [];
  const texts = args[0] === 'monitor' && !stdout.startsWith('{\n') ? stdout.trim().split('\n') : [stdout];
  try {
    return texts.map((text) => JSON.parse(text) as unknown);
  } catch {
    return [];
  }
}
