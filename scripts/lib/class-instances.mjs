import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { repoRoot } from './layout.mjs';
import { treeFiles } from './rules/tree-rules.mjs';

/** What oxlint does not ask for yet (1.94), though the program behind its rules about types has it. */
const rule = 'no-unsafe-class-instance-assignment';

const isProblem = 1;

/** The answer is a sequence of: length (4 bytes, little endian), kind (1 byte), JSON of that length. */
function* messagesIn(bytes) {
  for (let at = 0; at < bytes.length;) {
    const length = bytes.readUInt32LE(at);
    const kind = bytes.readUInt8(at + 4);
    at += 5 + length;
    yield { kind, message: JSON.parse(bytes.toString('utf8', at - length, at)) };
  }
}

function place({ file_path: path, range }) {
  const before = readFileSync(path).toString('utf8', 0, range.pos);
  return `${relative(repoRoot, path)}:${before.split('\n').length}`;
}

/** Where what its constructor did not make is given as an instance of a class, in TypeScript `files` (whole paths). */
export async function foreignInstances(files) {
  const asked = { version: 2, configs: [{ file_paths: files, rules: [{ name: rule }] }] };
  const program = join(repoRoot, 'node_modules', '.bin', 'tsgolint');
  const running = promisify(execFile)(program, ['headless'], {
    cwd: repoRoot,
    encoding: 'buffer',
    maxBuffer: 2 ** 28,
  });
  running.child.stdin.end(JSON.stringify({ ...asked, report_syntactic: false, report_semantic: false }));
  const { stdout } = await running;
  return [...messagesIn(stdout)].map(({ kind, message }) =>
    kind === isProblem && message.rule === rule
      ? `${place(message)}: ${message.message.description}`
      : `tsgolint: ${JSON.stringify(message)}`,
  );
}

/** The same in all TypeScript of the tree. */
export const classInstances = () =>
  foreignInstances(treeFiles('*.ts', '*.tsx').map((name) => join(repoRoot, name)));
