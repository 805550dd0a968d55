// @vitest-environment jsdom
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { LoadPoint } from '../../../main/contract/measured/results';
import type { RunState } from '../../../main/contract/run/run-state';
import { exporters } from '../../../main/reports/exporters';
import { html } from '../../../main/reports/html.exporter';
import { style } from '../../../main/reports/html/style';
import { toReport } from '../../../main/reports/to-report';
import { hostileStrings } from '../../support/hostile-strings';
import {
  accuracyBody,
  completeState,
  createdBodies,
  environmentFixture,
  measurementBody,
  pointFixture,
  preparationBodies,
  runCreated,
  specFixture,
  stateOf,
  stepBodies,
} from '../../support/run-state';

// jsdom has no canvas and says so at every call; the charts measure text without one, as they do in Node.
vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null);

const context = { generatedAt: '2025-11-21T08:30:00.000Z', modelTitle: 'ResNet50 v1.5' };

const textOf = (state: RunState) => html.render({ state, report: toReport(state, context) }).content;
const pageOf = (state: RunState) => new DOMParser().parseFromString(textOf(state), 'text/html');

/** One run in which every text that comes from outside is hostile. */
function hostileState(): RunState {
  const at = (index: number) => hostileStrings[index % hostileStrings.length] ?? '';
  const spec = specFixture((value) => {
    value.model.args = Object.fromEntries(hostileStrings.map((text, index) => [`${text} ${index}`, text]));
    value.model.checkpoint = at(24);
    value.model.dataset = at(28);
    value.accuracy.atol = Object.fromEntries(hostileStrings.map((text) => [text, 1]));
  });
  const environment = environmentFixture({
    os: at(25),
    cpu: at(26),
    engine: at(27),
    tritonVersion: at(29),
    image: at(30),
    gpus: [{ name: at(31), uuid: at(32), driver: at(33), memoryBytes: 1 }],
    packages: Object.fromEntries(hostileStrings.map((text, index) => [`${text} ${index}`, text])),
  });
  const output = completeState().accuracy?.result.outputs[0];
  if (output === undefined) throw new Error('The fixture has an output');
  const error = {
    code: 'toolkit-failed',
    message: at(24),
    where: at(25),
    remedy: at(26),
    details: hostileStrings.join('\n'),
  } as const;
  const [created, ...rest] = createdBodies(spec, environment);
  if (created?.type !== 'run-created') throw new Error('The fixture begins with run-created');
  return stateOf([
    { ...created, runId: at(24) },
    ...rest,
    ...stepBodies(
      'export',
      hostileStrings.map((text) => ({ type: 'command', step: 'export', argv: [text, 'x'], note: text })),
      hostileStrings.map((text) => ({ name: text, value: text })),
      hostileStrings,
    ),
    accuracyBody({
      passed: false,
      outputs: hostileStrings.map((text) => ({ ...output, output: text, worstSample: text })),
      metrics: hostileStrings.map((name) => ({ name, framework: 1, triton: 0, threshold: 1, passed: false })),
      reasons: [...hostileStrings],
      warnings: [...hostileStrings],
    }),
    measurementBody('online', pointFixture()),
    ...hostileStrings.map((message, index) => ({
      type: 'measurement-missing' as const,
      scenario: 'offline' as const,
      key: String(index),
      batchSize: 1000 + index,
      concurrency: 1,
      error: { code: 'load-tool-failed' as const, message },
    })),
    { type: 'run-finished', outcome: 'failed', error },
  ]);
}

const harmless =
  /^(html|head|meta|title|style|body|main|header|section|div|span|p|h[123]|ul|li|dl|dt|dd|table|colgroup|col|thead|tbody|tr|th|td|pre|strong|bdi|wbr|figure|svg|g|path|rect|text|defs|clipPath|pattern)$/;
const harmlessAttributes =
  /^(lang|charset|http-equiv|content|name|class|title|style|colspan|id|xmlns(:xlink)?|version|baseProfile|viewBox|role|aria-labelledby|d|fill(-opacity)?|stroke(-[a-z]+)?|opacity|transform|clip-path|pattern(Units|Transform|ContentUnits)|[xy]|r[xy]|width|height|dominant-baseline|text-anchor|xml:space|(paint|vector)-[a-z]+)$/;

describe('a report made of hostile texts', () => {
  let page: Document;
  let source: string;
  beforeAll(() => {
    source = textOf(hostileState());
    page = new DOMParser().parseFromString(source, 'text/html');
    // A busy machine takes its time for five thousand elements; nothing is judged by it.
  }, 60_000);

  it('holds no element but the harmless ones, and no attribute that runs or fetches', () => {
    const elements = [...page.querySelectorAll('*')];
    expect(elements.length).toBeGreaterThan(5000);
    expect(
      new Set(elements.map(({ localName }) => localName).filter((name) => !harmless.test(name))),
    ).toEqual(new Set());
    const names = elements.flatMap((element) => element.getAttributeNames());
    expect(new Set(names.filter((name) => !harmlessAttributes.test(name)))).toEqual(new Set());
    const styles = elements.map((element) => element.getAttribute('style') ?? '');
    expect(styles.filter((text) => /url\s*\(|expression|import/i.test(text))).toEqual([]);
    const clips = elements.map((element) => element.getAttribute('clip-path') ?? 'url(#x)');
    expect(clips.every((text) => /^url\(#[\w-]+\)$/.test(text))).toBe(true);
  });

  it('keeps its own style sheet and policy as they were written', () => {
    const [sheet, ...others] = [...page.querySelectorAll('style')].map(({ textContent }) => textContent);
    expect(others).toEqual([]);
    expect(sheet?.startsWith(style)).toBe(true);
    // Title and author at the head and foot of each page: letters, digits and escapes.
    const strings = [...(sheet ?? '').slice(style.length).matchAll(/content: "(.*?)"[; ]/g)];
    expect(strings.length).toBeGreaterThan(3);
    for (const [, text] of strings) expect(text).toMatch(/^[\p{L}\p{N} \\]*$/u);
    const policy = page.querySelector('meta[http-equiv="Content-Security-Policy"]')?.getAttribute('content');
    expect(policy).toMatch(/^default-src 'none'; style-src 'unsafe-inline'; img-src data:;/);
    expect(style).not.toMatch(/url\(|@import/);
  });

  it('shows every text literally, in its own cell', () => {
    const cells = [...page.querySelectorAll('.outputs tbody tr')].map((row) => row.children[0]?.textContent);
    expect(cells).toHaveLength(hostileStrings.length);
    hostileStrings.forEach((text, index) => {
      const plain = !/(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029\ufffe\uffff]/u.test(text);
      if (plain) expect(cells[index]).toBe(text);
      else expect(cells[index]?.length).toBeGreaterThanOrEqual(Array.from(text).length);
    });
  });

  it('lets no control character, direction override or lone surrogate through', () => {
    expect(source).not.toMatch(
      /(?![\t\n])\p{Cc}|[\u202a-\u202e\u2066-\u2069\u200b\u2028\u2029\ufeff\p{Cs}]/u,
    );
  });
});

describe('the HTML report', () => {
  it('says the verdict first and holds the tables, charts, commands and notes', () => {
    const page = pageOf(completeState());
    expect(page.querySelector('.verdict')?.textContent).toContain('inferences/s at p99');
    expect([...page.querySelectorAll('h2')].map(({ textContent }) => textContent)).toEqual([
      'Accuracy',
      'What limits it',
      'Offline scenario',
      'Online scenario',
      'Environment',
      'Parameters',
      'Steps',
      'How to read the numbers',
      'Commands',
    ]);
    // The summary has two of the scenario with the best level, and no other page has them again.
    const charts = [...page.querySelectorAll('figure svg[role="img"] > title')].map(
      ({ textContent }) => textContent,
    );
    expect(charts).toHaveLength(8);
    expect(new Set(charts).size).toBe(8);
    expect(page.querySelectorAll('.summary figure')).toHaveLength(2);
    expect(page.querySelectorAll('pattern, [fill^="url"]')).toHaveLength(0);
    const ids = [...page.querySelectorAll('svg [id]')].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const headings = [...page.querySelectorAll('table.load')].map((table) =>
      [...table.querySelectorAll('th[title]')].map((cell) => cell.getAttribute('title')),
    );
    expect(headings[0]).toEqual(toReport(completeState(), context).scenarios[0]?.columns);
    const commands = [...page.querySelectorAll('.commands pre')].map(({ textContent }) => textContent);
    expect(commands[0]).toBe(`python -m toolkit make-dataset --output 'data set/images' --seed 1`);
  });

  it('shows holes and unsteady levels with their reasons', () => {
    const page = pageOf(completeState());
    expect(page.querySelectorAll('tr.hole')).toHaveLength(1);
    expect(page.querySelector('tr.hole')?.textContent).toContain('exit code 99');
    expect(page.querySelectorAll('tr.unsteady')).toHaveLength(1);
    expect(page.querySelector('.sampling + .reasons')?.textContent).toContain('still changed');
  });

  it('marks unverified results at the top and at every scenario', () => {
    const accuracy = accuracyBody({ passed: false, reasons: ['top1 0.4 is below 0.9'] });
    const state = stateOf([
      ...createdBodies(),
      ...preparationBodies(accuracy),
      measurementBody('offline', pointFixture()),
      measurementBody('online', pointFixture()),
    ]);
    const badges = [...pageOf(state).querySelectorAll('.badge.bad')].map(({ textContent }) => textContent);
    expect(badges).toEqual(['✗ Accuracy failed', '✗ Accuracy failed', '✗ Accuracy failed']);
    expect(
      [...pageOf(completeState()).querySelectorAll('.badge')].map(({ textContent }) => textContent),
    ).toEqual(['Complete', '✓ Accuracy verified (outputs and metric)']);
  });

  it('is the same text for the same state', () => {
    expect(textOf(completeState())).toBe(textOf(completeState()));
  });

  it('renders a run in which nothing was measured', () => {
    const page = pageOf(runCreated());
    expect(page.querySelectorAll('figure')).toHaveLength(0);
    expect(page.body.textContent).toContain('No level of this scenario has a result.');
  });
});

describe('values that are no numbers', () => {
  it('reach none of the files', () => {
    const state = completeState();
    const broken = (point: LoadPoint): LoadPoint => ({
      ...point,
      inferencesPerSecond: NaN,
      serverQueueUs: NaN,
      p50Us: Infinity,
      p99Us: -Infinity,
      avgUs: NaN,
      meanServerBatch: NaN,
    });
    const break_ = (scenario: RunState['scenarios']['offline']) => ({
      ...scenario,
      points: scenario.points.map((measured) => ({ ...measured, point: broken(measured.point) })),
    });
    const { offline, online } = state.scenarios;
    const bad: RunState = { ...state, scenarios: { offline: break_(offline), online: break_(online) } };
    for (const exporter of exporters.filter(({ id }) => id !== 'csv-accuracy')) {
      const { content } = exporter.render({ state: bad, report: toReport(bad, context) });
      // The accuracy table has a column for the count of NaN values.
      expect(content.replace('<th class="n">NaN</th>', '').replace('nanCount', '')).not.toMatch(
        /NaN|Infinity|undefined/,
      );
    }
  });

  it('says where the reference of the accuracy check was computed', () => {
    const on = (referenceDevice?: string) =>
      textOf(stateOf([...createdBodies(), ...preparationBodies(accuracyBody({ referenceDevice }))]));
    expect(on('NVIDIA A100-SXM4-40GB')).toContain('Reference on: NVIDIA A100-SXM4-40GB.');
    expect(on()).not.toContain('Reference on');
  });
});
