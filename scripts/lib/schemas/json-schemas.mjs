import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { repoRoot } from '../layout.mjs';
import { withShared } from './shared-schemas.mjs';
import { TypeSchemas } from './type-schema.mjs';

const source = join(repoRoot, 'main', 'cli', 'json', 'documents.ts');
const written = join(repoRoot, 'docs', 'reference', 'schemas', 'json.schema.json');

function programOf() {
  const { config } = ts.readConfigFile(join(repoRoot, 'tsconfig.main.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, repoRoot);
  return ts.createProgram([source], { ...options, noEmit: true });
}

/** The schemas of what each verb prints with `--json`, of the types of main/cli/json/documents.ts. */
export function jsonSchemas() {
  const program = programOf();
  const checker = program.getTypeChecker();
  const declared = program
    .getSourceFile(source)
    .statements.find((one) => ts.isInterfaceDeclaration(one) && one.name.text === 'Documents');
  const schemas = new TypeSchemas(checker);
  const verbs = checker
    .getPropertiesOfType(checker.getTypeAtLocation(declared))
    .map((symbol) => [symbol.name, schemas.schemaOf(checker.getTypeOfSymbol(symbol))]);
  const named = Object.fromEntries(
    verbs.map(([verb, schema]) => [verb.replaceAll(' ', '-'), { title: `${verb} --json`, ...schema }]),
  );
  const bundle = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'What the command line prints with --json, by verb',
    $defs: withShared({ ...named, ...schemas.defs }),
  };
  return `${JSON.stringify(bundle, null, 2)}\n`;
}

export { written as jsonSchemasFile };

/** Where the file is not what the types say: one line; else none. */
export function outdatedSchemas() {
  return readFileSync(written, 'utf8') === jsonSchemas()
    ? []
    : ['docs/reference/schemas/json.schema.json is not of main/cli/json/documents.ts: run "npm run schemas"'];
}
