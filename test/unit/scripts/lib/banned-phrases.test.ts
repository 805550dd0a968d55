import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

interface Check {
  bannedIn: (text: string) => readonly { phrase: string }[];
  bannedInFile: (name: string, text: string) => readonly string[];
}

const { bannedIn, bannedInFile } = (await import(resolve('scripts/lib/banned-phrases.mjs'))) as Check;
const phrasesIn = (text: string) => bannedIn(text).map(({ phrase }) => phrase);

describe('a banned phrase', () => {
  it.each([
    ['"x" is no batch size', 'is no'],
    ['These are no numbers.', 'are no'],
    ['Of effect with gRPC.', 'Of effect'],
    ['Run "npm run cli -- detect".', 'npm run cli'],
    ['Mend what the form names.', 'Mend'],
    ['to be mended first', 'mended'],
    ['It stands in the list.', 'stands'],
    ['It is reported as it stands.', 'stands'],
    ['served there alone', 'alone'],
    ['It could not tell of itself.', 'tell of'],
    ['The sweep goes on.', 'goes on'],
    ['Go on with the run.', 'Go on'],
    ['200 requests a second', 'requests a second'],
    ['0.1 to 20 a second', '20 a second'],
    ['1.1 GB a second', 'GB a second'],
    ['polled once a second', 'once a second'],
    ['mean a request', 'mean a request'],
    ['8.0 ms a request', 'ms a request'],
    ['One point a batch size.', 'point a batch size'],
  ])('is found in %j', (text, phrase) => {
    expect(phrasesIn(text)).toEqual([phrase]);
  });

  it.each([
    'There is no such file.',
    'The run is no longer there.',
    'A level is no more than a window.',
    'recommended, amended',
    'TLS stands for Transport Layer Security.',
    'stand-alone',
    'A request ends at once.',
    'The server hangs for a second.',
    'It takes a second pair.',
    'This sends a request.',
  ])('is not found in %j', (text) => {
    expect(phrasesIn(text)).toEqual([]);
  });
});

describe('the text that people read', () => {
  it.each([
    ['a.ts', "\n// It goes on.\nconst text = 'It goes on.';\n", ['a.ts:3']],
    ['a.ts', 'const text = `${a} goes on after ${b} alone`;\n', ['a.ts:1', 'a.ts:1']],
    ['a.tsx', 'const a = (\n  <p>\n    It stands here.\n  </p>\n);\n', ['a.tsx:3']],
    ['a.tsx', 'const a = <p title="It stands here" />;\n', ['a.tsx:1']],
    ['a.py', '"""It goes on."""\n# It goes on.\nraise ValueError(f"{a} goes on")\n', ['a.py:3']],
    ['a.md', '# Title\n\n`goes on`\n\n```\ngoes on\n```\n\nIt goes on.\n', ['a.md:9']],
    ['a.yaml', '# It goes on.\nsummary: It goes on.\n', ['a.yaml:2']],
  ])('of %s is without comments and code: %#', (name, text, places) => {
    expect(bannedInFile(name, text).map((found) => found.slice(0, found.indexOf(': ')))).toEqual(places);
  });

  it('is named with what to write', () => {
    expect(bannedInFile('a.md', 'It goes on.')).toEqual(['a.md:1: "goes on": write "continue"']);
  });
});
