import { XMLParser } from 'fast-xml-parser';
import { expect, it } from 'vitest';
import { comparisonJUnit } from '../../../../main/domain/comparison/junit';
import { type JudgedLevel, parseCriterion } from '../../../../main/domain/measured/comparison-gate';

const [p99, throughput, none] = ['p99>1.1x', 'throughput<0.95x', 'p99>5x'].map(parseCriterion) as [
  JudgedLevel['criterion'],
  JudgedLevel['criterion'],
  JudgedLevel['criterion'],
];
const level = (criterion: JudgedLevel['criterion'], change: Partial<JudgedLevel>): JudgedLevel => ({
  ...{ criterion, sweep: 'concurrency', level: 8, batchSize: 2 },
  ...{ ratio: 1.25, interval: 0.04, steady: true, outcome: 'within', unclear: null },
  ...change,
});

interface Suite {
  readonly name: string;
  readonly tests: string;
  readonly failures: string;
  readonly errors: string;
  readonly testcase: {
    readonly name: string;
    readonly failure?: { readonly message: string };
    readonly error?: { readonly message: string };
  }[];
}

const suitesOf = (xml: string): Suite[] =>
  (
    new XMLParser({
      ignoreAttributes: false,
      attributeNamePrefix: '',
      isArray: (name) => ['testsuite', 'testcase'].includes(name),
    }).parse(xml) as { testsuites: { testsuite: Suite[] } }
  ).testsuites.testsuite;

it('has a suite per criterion and a case per level; what cannot be judged is an error', () => {
  const xml = comparisonJUnit(
    { a: 'run-<a>', b: 'run-"b"' },
    [p99, throughput, none],
    [
      level(p99, {}),
      level(p99, { level: 16, outcome: 'outside' }),
      level(throughput, { sweep: 'batchSize', outcome: 'unclear', unclear: 'noise-larger' }),
    ],
  );
  expect(xml).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites name="compare">/);
  expect(xml).toContain('classname="run-&quot;b&quot; compared with run-&lt;a&gt;"');
  const [first, second, third] = suitesOf(xml);
  expect(first).toMatchObject({
    name: 'p99&gt;1.1x'.replace('&gt;', '>'),
    tests: '2',
    failures: '1',
    errors: '0',
  });
  expect(first?.testcase.map(({ name }) => name)).toEqual([
    'p99>1.1x: concurrency 8, batch size 2',
    'p99>1.1x: concurrency 16, batch size 2',
  ]);
  expect(first?.testcase[0]).not.toHaveProperty('failure');
  expect(first?.testcase[1]?.failure?.message).toBe('×1.25 ± 0.040, outside');
  expect(second).toMatchObject({ tests: '1', failures: '0', errors: '1' });
  expect(second?.testcase[0]?.name).toBe('throughput<0.95x: batch size 8');
  expect(second?.testcase[0]?.error?.message).toMatch(/cannot be judged: the noise is larger/);
  expect(third?.testcase[0]?.error?.message).toBe('The runs have no level in common');
});
