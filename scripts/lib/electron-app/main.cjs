/**
 * Stands in for Electron's missing default app: `electron [flags] FOLDER …` runs the app in FOLDER.
 * Copied into the runtime's resources folder by the set-up.
 */
const process = require('node:process');
const { app } = require('electron');
const { readFileSync } = require('node:fs');
const { join, resolve } = require('node:path');

const args = process.argv.slice(1);
let folder;
for (let index = 0; index < args.length && folder === undefined; index += 1) {
  if (args[index] === '-r' || args[index] === '--require') require(resolve(args[(index += 1)]));
  else if (!args[index].startsWith('-')) folder = resolve(args[index]);
}
if (folder === undefined) {
  process.stderr.write('Give the folder of the app: electron FOLDER\n');
  app.exit(2);
} else {
  const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  app.setAppPath(folder);
  app.setName(about.productName ?? about.name);
  app.setVersion(about.version);
  require(join(folder, about.main));
}
