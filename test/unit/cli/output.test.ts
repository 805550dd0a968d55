import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { createOutput, exitCodeOf, formatTable, jsonText, printText } from '../../../main/cli/output';
import { formatError } from '../../../main/cli/print/format-error';
import { monitorTable } from '../../../main/cli/print/monitor-table';
import { sample } from '../monitor/fixtures';

afterEach(() => vi.restoreAllMocks());

/** Everything written to a stream of this process from now on. */
function written(to: 'stdout' | 'stderr'): () => string {
  const chunks: string[] = [];
  vi.spyOn(process[to], 'write').mockImplementation((chunk) => {
    chunks.push(String(chunk));
    return true;
  });
  return () => chunks.join('');
}

const pwned = '\u001b]0;PWNED\u0007\u001b[2J\u001b]52;c;cm0=\u001b\\\u009b31m\r';

it.each([
  ...(['run-unknown', 'preset-unknown', 'host-unknown', 'deployment-unknown'] as const),
  ...(['model-file-invalid', 'model-folder-invalid', 'config-invalid'] as const),
])('%s is wrong input: nothing was started', (code) => {
  expect(exitCodeOf({ code, message: '' })).toBe(2);
});

it('what a server says of itself does not reach the terminal as escape sequences', () => {
  const text = written('stdout');
  const one = sample(0);
  const models = one.models.map((model) => ({
    ...model,
    name: `${pwned}m`,
    state: 'unavailable' as const,
    reason: `${pwned}gone`,
  }));
  const hostile = { ...one, models, server: { ...one.server, version: `2.5${pwned}0` } };
  createOutput(false).say(monitorTable(hostile, []));
  expect(text()).toContain('gone');
  expect(text()).toContain('Triton 2.5');
  expect(text()).not.toContain('PWNED');
  expect(text()).not.toMatch(/(?!\n)\p{Cc}/u);
});

it('the moving line and errors are clean too; what moves it is not taken out', () => {
  const text = written('stdout');
  createOutput(false).rewrite(`a${pwned}b\nc`);
  createOutput(false).clearScreen();
  expect(text()).toBe('\r\u001b[Ka31mbc\u001b[2J\u001b[H');
  const errors = written('stderr');
  printText(
    `${formatError({ code: 'input-invalid', message: `x${pwned}`, details: `y${pwned}` })}\n`,
    'stderr',
  );
  createOutput(true).say(`tag\t${pwned}`);
  expect(errors()).not.toMatch(/(?![\n\t])\p{Cc}/u);
  expect(errors()).toContain('tag\t');
});

it('the moving line stays one line of a narrow terminal: only one is erased', () => {
  const { columns, isTTY } = process.stdout;
  try {
    Object.assign(process.stdout, { columns: 20, isTTY: true });
    const text = written('stdout');
    createOutput(false).rewrite('triton-cpu: Downloading, 120 of 480 MiB');
    createOutput(false).rewrite('triton-cpu: Pulled');
    expect(text()).toBe('\r\u001b[Ktriton-cpu: Downlo…\r\u001b[Ktriton-cpu: Pulled');
  } finally {
    Object.assign(process.stdout, { columns, isTTY });
  }
});

it('JSON holds the same values and no control characters', () => {
  const value = { [`k${pwned}`]: `v${pwned}\u007f\n` };
  expect(JSON.parse(jsonText(value, 2))).toEqual(value);
  expect(jsonText(value)).not.toMatch(/\p{Cc}/u);
});

const writers = [
  ...['output.ts', 'cli.ts'],
  ...[join('print', 'terminal.ts'), join('help', 'prebuilt-help.ts')],
];

it('no verb writes past it', () => {
  const folder = join(__dirname, '../../../main/cli');
  const past = readdirSync(folder, { encoding: 'utf8', recursive: true })
    // The version and prebuilt help are printed before anything is loaded; styles are added where output is written.
    .filter((name) => name.endsWith('.ts') && !writers.includes(name))
    .flatMap((name) =>
      readFileSync(join(folder, name), 'utf8')
        .split('\n')
        .filter((line) => /process\.std(?:out|err)\.write\((?!`\$\{jsonText\()|console\.|\\u001b/.test(line)),
    );
  expect(past).toEqual([]);
});

it('a table may have any number of rows', () => {
  const rows = Array.from({ length: 300_000 }, (_unused, index) => [`name ${index}`, String(index)]);
  const lines = formatTable(['name', 'count'], rows).split('\n');
  expect(lines).toHaveLength(300_001);
  expect(lines.slice(0, 2)).toEqual(['name          count', 'name 0            0']);
});
