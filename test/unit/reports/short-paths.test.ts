import { describe, expect, it } from 'vitest';
import { foldedLines, pathEnd, shortPaths, withShortPaths } from '../../../main/reports/short-paths';

describe('short paths', () => {
  it.each([
    ['/home/jane/models/a.onnx', '~/models/a.onnx'],
    ['python -m toolkit --out=/root/x /Users/jane/y', 'python -m toolkit --out=~/x ~/y'],
    [`cat '/home/jane/my data/x'`, `cat '~/my data/x'`],
    ['No such file: "/home/jane"', 'No such file: "~"'],
    ['/data/jane/x and /homes/jane', '~/x and /homes/jane'],
    // Parts of other paths, and names that only begin alike, stay.
    ['/srv/home/jane/x /rooted /root-fs/x', '/srv/home/jane/x /rooted /root-fs/x'],
  ])('%s', (text, expected) => {
    expect(shortPaths(text, '/data/jane')).toBe(expected);
  });

  it('without a home of its own, or the root as home, only the usual places are known', () => {
    for (const home of ['', '/']) expect(shortPaths('/data/x /home/a/y', home)).toBe('/data/x ~/y');
  });

  it('are in texts of lists and objects; other values stay', () => {
    const value = { a: ['/root/x', 1, null], b: { c: '/root' }, d: undefined };
    expect(withShortPaths(value, '')).toEqual({ a: ['~/x', 1, null], b: { c: '~' }, d: undefined });
  });
});

it.each([
  ['/data/pipelines/whisper-ff48b4dcf494/models/load.json', '…/models/load.json'],
  ['~/a/pipelines/whisper/load.json', '…/pipelines/whisper/load.json'],
  // The last part is never cut.
  ['/data/a-name-of-more-than-thirty-letters.json', '…/a-name-of-more-than-thirty-letters.json'],
  // Short paths, texts and lists of paths stay.
  ['/data/load.json', '/data/load.json'],
  ['that of the workbench home, or /data/x', 'that of the workbench home, or /data/x'],
  ['/data/pipelines/whisper/a.json, /data/pipelines/whisper/b.json', null],
])('the end of %s', (path, end) => {
  expect(pathEnd(path, 30)).toBe(end ?? path);
});

describe('folded command lines', () => {
  const home = '~/.local/share/triton-workbench';
  const line = (verb: string) =>
    `${home}/python/bin/python -m toolkit ${verb} --out ${home}/runs/r.1/steps/${verb}`;

  it('name the folders of the run and of the workbench once', () => {
    const folded = foldedLines(['export', 'convert', 'verify'].map(line), 'r.1');
    expect(folded.names).toEqual([`WORKBENCH=${home}`, 'RUN=$WORKBENCH/runs/r.1']);
    expect(folded.lines[0]).toBe('$WORKBENCH/python/bin/python -m toolkit export --out $RUN/steps/export');
  });

  it('stay where few commands have them, and inside quotes that keep names as they are', () => {
    expect(foldedLines([line('export')], 'r.1')).toEqual({ names: [], lines: [line('export')] });
    const quoted = `echo '${home}/runs/r.1' ${home}/runs/r.1`;
    expect(foldedLines([line('a'), line('b'), line('c'), quoted], 'r.1').lines[3]).toBe(
      `echo '${home}/runs/r.1' $RUN`,
    );
  });
});
