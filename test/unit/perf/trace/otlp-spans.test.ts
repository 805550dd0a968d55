import { describe, expect, it } from 'vitest';
import { partsOf } from '../../../../main/domain/measured/slow/traced-span';
import { tracedSpans } from '../../../../main/perf/trace/traced-spans';
import { httpStamps, stepStamps } from '../../../support/triton-trace';

const epochNs = 1_764_400_000_123_456_789n;
const event = ([name, us]: readonly [string, number]) => ({
  name,
  timeUnixNano: String(epochNs + BigInt(1000 * us)),
});
const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } });

interface Given {
  readonly id: string;
  readonly parent?: string;
  readonly name: string;
  readonly model?: string;
  readonly atUs: Readonly<Record<string, number>>;
}
const span = ({ id, parent = '', name, model, atUs }: Given) => ({
  ...{ traceId: 'abc', spanId: id, parentSpanId: parent, name },
  attributes: model === undefined ? [] : [attribute('triton.model_name', model)],
  events: Object.entries(atUs).map(event),
});
const line = (...spans: readonly object[]): string =>
  JSON.stringify({ resourceSpans: [{ resource: {}, scopeSpans: [{ scope: {}, spans }] }] });

/** What Triton exports of a request: what the endpoint did, the model, and its execution. */
function request(id: string, atUs: Record<string, number>, more: readonly object[] = []): readonly object[] {
  const isOf = (...words: readonly string[]) =>
    Object.fromEntries(Object.entries(atUs).filter(([name]) => words.some((word) => name.startsWith(word))));
  return [
    span({ id: `${id}-root`, name: 'InferRequest', atUs: isOf('HTTP_') }),
    span({ id, parent: `${id}-root`, name: 'm', model: 'm', atUs: isOf('REQUEST_', 'QUEUE_') }),
    span({ id: `${id}-run`, parent: id, name: 'compute', atUs: isOf('COMPUTE_') }),
    ...more,
  ];
}
const partsIn = (text: string) =>
  tracedSpans(text, 'spans.json').map((one) =>
    Object.fromEntries(partsOf(one).map(({ model, phase, us }) => [`${model ?? ''}:${phase}`, us])),
  );

describe('OTLP', () => {
  it('has the phases that Triton’s own trace has, with times since 1970', () => {
    expect(partsIn(line(...request('1', httpStamps(0, 100, 400))))).toEqual([
      {
        ...{ ':receive': 10, ':queue': 100, ':input': 10, ':infer': 400, ':output': 10, ':send': 10 },
        ':other': 30,
      },
    ]);
  });

  it('joins spans of a request over lines, below the ensemble that sent them', () => {
    const step = { REQUEST_START: 40, QUEUE_START: 40, REQUEST_END: 500 };
    const { COMPUTE_START, COMPUTE_INPUT_END, COMPUTE_OUTPUT_START, COMPUTE_END } = stepStamps(40, 60, 400);
    const compute = {
      ...{ COMPUTE_START: COMPUTE_START ?? 0, COMPUTE_INPUT_END: COMPUTE_INPUT_END ?? 0 },
      ...{ COMPUTE_OUTPUT_START: COMPUTE_OUTPUT_START ?? 0, COMPUTE_END: COMPUTE_END ?? 0 },
    };
    const text = [
      line(span({ id: 'run', parent: 'slow', name: 'compute', atUs: compute })),
      line(span({ id: 'slow', parent: 'whole', name: 'slow', model: 'slow', atUs: step })),
      line(
        span({
          id: 'whole',
          parent: 'root',
          name: 'w',
          model: 'w',
          atUs: { REQUEST_START: 20, QUEUE_START: 20, REQUEST_END: 510 },
        }),
        span({
          id: 'root',
          parent: 'client',
          name: 'InferRequest',
          atUs: { HTTP_RECV_START: 0, HTTP_SEND_END: 520 },
        }),
        // Of the client, whose spans are none of Triton's.
        { traceId: 'abc', spanId: 'client', name: 'GET /' },
      ),
    ].join('\n');
    expect(partsIn(text)).toEqual([{ ':receive': 20, ':other': 40, 'slow:queue': 60, 'slow:infer': 400 }]);
  });

  it.each([
    [line({ traceId: 'a', name: 'x' }), 'A span has no "spanId"'],
    [
      line({ traceId: 'a', spanId: '1', events: [{ name: 'REQUEST_START', timeUnixNano: 'soon' }] }),
      'The event REQUEST_START has no "timeUnixNano"',
    ],
    [
      line({
        ...span({ id: '1', name: 'm', atUs: {} }),
        attributes: [attribute('triton.model_name', 'x'.repeat(300))],
      }),
      'is not a name',
    ],
    [line(span({ id: '1', name: 'm', model: 'm', atUs: {} })).slice(0, -4), 'ends within a value'],
  ])('refuses what is not of its form', (text, message) => {
    expect(() => tracedSpans(text, 'spans.json')).toThrow(message);
  });

  it('has no request where no span is of Triton', () => {
    expect(tracedSpans(line({ traceId: 'a', spanId: '1', name: 'GET /' }), 'spans.json')).toEqual([]);
    expect(tracedSpans('{"resourceSpans": [1, {"scopeSpans": [{"spans": "none"}]}]}', 'spans.json')).toEqual(
      [],
    );
  });
});
