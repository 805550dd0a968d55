import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** Where a distribution's shells and man look, below share/, and the words that print each. */
const files = [
  { path: 'man/man1/triton-workbench.1.gz', words: ['reference', 'man'] },
  { path: 'bash-completion/completions/triton-workbench', words: ['completion', 'bash'] },
  { path: 'zsh/vendor-completions/_triton-workbench', words: ['completion', 'zsh'] },
  { path: 'fish/vendor_completions.d/triton-workbench.fish', words: ['completion', 'fish'] },
];

/**
 * Writes manual page and completions below `share`, as the built command line prints them.
 * @param {string} root the repository, built
 * @param {string} share folder
 */
export function writeShellFiles(root, share) {
  const cli = join(root, 'out', 'main', 'cli.cjs');
  for (const { path, words } of files) {
    const text = execFileSync(process.execPath, [cli, ...words], {
      env: { ...process.env, TRITON_WORKBENCH_APP: root, NO_COLOR: '1' },
      maxBuffer: 2 ** 24,
    });
    const file = join(share, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, path.endsWith('.gz') ? gzipSync(text, { level: 9 }) : text);
  }
}
