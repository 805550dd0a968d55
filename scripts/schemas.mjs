import { writeFileSync } from 'node:fs';
import { main } from './lib/main.mjs';
import { say } from './lib/say.mjs';
import { jsonSchemas, jsonSchemasFile } from './lib/schemas/json-schemas.mjs';

/** Writes the schemas of `--json` anew. */
await main(() => {
  writeFileSync(jsonSchemasFile, jsonSchemas());
  say(jsonSchemasFile);
  return 0;
});
