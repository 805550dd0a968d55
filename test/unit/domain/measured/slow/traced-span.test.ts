import { describe, expect, it } from 'vitest';
import { intervalOf, partsOf, type TracedSpan } from '../../../../../main/domain/measured/slow/traced-span';
import { httpStamps, stepStamps, without } from '../../../../support/triton-trace';

const span = (
  model: string,
  atUs: Readonly<Record<string, number>>,
  children: readonly TracedSpan[] = [],
): TracedSpan => ({
  ...{ model, requestId: null, children },
  marks: Object.entries(atUs).map(([name, us]) => ({ name, atUs: us })),
});
const times = (of: TracedSpan) =>
  Object.fromEntries(partsOf(of).map(({ model, phase, us }) => [`${model ?? ''}:${phase}`, us]));
const sum = (of: TracedSpan) => partsOf(of).reduce((all, { us }) => all + us, 0);

describe('partsOf', () => {
  it('has the phases of a request, in whatever order its time stamps are', () => {
    const request = span('m', httpStamps(5, 100, 400));
    expect(times(request)).toEqual({
      ...{ ':receive': 10, ':queue': 100, ':input': 10, ':infer': 400, ':output': 10, ':send': 10 },
      ':other': 30,
    });
    const turned = { ...request, marks: request.marks.toReversed() };
    expect(times(turned)).toEqual(times(request));
    expect(sum(request)).toBe(570);
  });

  it('does not count the wait for a request that gRPC has in its time stamps', () => {
    const stamps = httpStamps(0, 0, 50);
    const { HTTP_RECV_END, HTTP_SEND_START, HTTP_SEND_END } = stamps;
    const request = span('m', {
      ...without(stamps, 'HTTP_RECV_START', 'HTTP_RECV_END', 'HTTP_SEND_START', 'HTTP_SEND_END'),
      ...{ GRPC_WAITREAD_START: -1e6, GRPC_WAITREAD_END: HTTP_RECV_END ?? 0 },
      ...{ GRPC_SEND_START: HTTP_SEND_START ?? 0, GRPC_SEND_END: HTTP_SEND_END ?? 0 },
    });
    expect(times(request)[':receive']).toBeUndefined();
    expect(sum(request)).toBe(110);
  });

  it('is still sending where the end of the request comes late', () => {
    const stamps = httpStamps(0, 0, 50);
    const late = { ...stamps, REQUEST_END: (stamps['HTTP_SEND_END'] ?? 0) - 1 };
    expect(times(span('m', late))[':send']).toBe(10);
  });

  it('gives the time of an ensemble to the models that it waited for, which add up to it', () => {
    const outer = { ...{ HTTP_RECV_START: 0, HTTP_RECV_END: 10, REQUEST_START: 20, QUEUE_START: 20 } };
    const ensemble = span(
      'whole',
      { ...outer, REQUEST_END: 530, HTTP_SEND_START: 530, HTTP_SEND_END: 540 },
      // The second begins before the first is released, as Triton has it.
      [span('slow', { ...stepStamps(30, 40, 400), REQUEST_END: 475 }), span('fast', stepStamps(472, 0, 50))],
    );
    expect(times(ensemble)).toEqual({
      ...{ ':receive': 10, ':send': 10, ':other': 28 },
      ...{ 'slow:queue': 40, 'slow:infer': 400, 'slow:other': 2, 'fast:infer': 50 },
    });
    expect(sum(ensemble)).toBe(540);
  });

  it('leaves out a step beside a slower one, which took none of its time', () => {
    const ensemble = span('whole', { REQUEST_START: 0, QUEUE_START: 0, REQUEST_END: 110 }, [
      span('slow', stepStamps(5, 0, 100)),
      span('beside', stepStamps(5, 0, 30)),
    ]);
    expect(times(ensemble)).toEqual({ ':other': 10, 'slow:infer': 100 });
  });

  it('takes what a model calls out of its own execution', () => {
    const caller = span('logic', { ...stepStamps(0, 10, 300) }, [span('called', stepStamps(60, 20, 200))]);
    expect(times(caller)).toEqual({
      ...{ ':queue': 10, ':infer': 80, 'called:queue': 20, 'called:infer': 200 },
    });
  });

  it('has a wait of an ensemble of ensembles by the model that was waited for', () => {
    const inner = span('inner', { REQUEST_START: 10, QUEUE_START: 10, REQUEST_END: 200 }, [
      span('deep', stepStamps(20, 0, 170)),
    ]);
    const outer = span('outer', { REQUEST_START: 0, QUEUE_START: 0, REQUEST_END: 210 }, [inner]);
    expect(times(outer)).toEqual({ ':other': 20, 'inner:other': 20, 'deep:infer': 170 });
  });

  it('has nothing of a request without a beginning or an end', () => {
    const open = without(httpStamps(0, 0, 5), 'REQUEST_END', 'HTTP_SEND_END');
    expect(intervalOf(span('m', open))).toBeNull();
    expect(partsOf(span('m', open))).toEqual([]);
    expect(partsOf(span('m', { REQUEST_END: 5 }))).toEqual([]);
  });
});
