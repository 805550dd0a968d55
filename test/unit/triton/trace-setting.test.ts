import { afterEach, describe, expect, it } from 'vitest';
import {
  putBackOf,
  putTraceSettingBack,
  readTraceSetting,
  requireTraceable,
  traceNext,
} from '../../../main/triton/trace-setting';
import { rejection } from '../../support/rejection';
import { startTracedTriton, type TracedTriton } from '../../support/traced-triton';

type TraceSetting = Parameters<typeof requireTraceable>[2];

const setting = (more: Partial<TraceSetting> = {}): TraceSetting => ({
  ...{ trace_level: ['OFF'], trace_rate: '1000', trace_count: '-1', log_frequency: '0' },
  ...{ trace_file: '/t', trace_mode: 'triton' },
  ...more,
});

let triton: TracedTriton | null = null;
afterEach(async () => {
  await triton?.close();
  triton = null;
});

describe('trace settings', () => {
  it.each([
    ['that follow those of the server', {}],
    ['of its own', { trace_rate: '7', trace_count: '100' }],
  ])('of a model %s are as before once they are put back', async (_what, own) => {
    triton = await startTracedTriton({ models: { m: own } });
    const [ofModel, ofServer] = [await readTraceSetting(triton, 'm'), await readTraceSetting(triton, null)];
    const on = await traceNext(triton, 'm', 20);
    expect(on).toMatchObject({ trace_level: ['TIMESTAMPS'], trace_rate: '1', trace_count: '20' });
    expect(await putTraceSettingBack(triton, 'm', putBackOf(ofModel, ofServer))).toEqual(ofModel);
    expect(triton.own('m')).toEqual(own);
  });

  it('are not of another model, nor of the server', async () => {
    triton = await startTracedTriton();
    await traceNext(triton, 'm', 20);
    expect(await readTraceSetting(triton, 'other')).toMatchObject({ trace_level: ['OFF'] });
    expect(await readTraceSetting(triton, null)).toMatchObject({ trace_level: ['OFF'] });
  });

  it('are refused where a server has none', async () => {
    const error = await rejection(readTraceSetting({ address: '127.0.0.1:9' }, 'm'));
    expect(error.code).toBe('server-unreachable');
  });
});

describe('requireTraceable', () => {
  const refusal = (more: Partial<TraceSetting>) => () => {
    requireTraceable({ address: 'a' }, 'm', setting(more));
  };

  it('takes a Triton with a trace file whose tracing is off', () => {
    expect(refusal({})).not.toThrow();
    expect(refusal({ trace_mode: 'TRITON' })).not.toThrow();
  });

  it('leaves what somebody else switched on, and what it cannot read', () => {
    expect(refusal({ trace_level: ['TIMESTAMPS'] })).toThrow('Tracing of m is already on (TIMESTAMPS)');
    expect(refusal({ trace_file: '' })).toThrow('without a trace file');
    expect(refusal({ trace_mode: 'opentelemetry' })).toThrow('exports its traces');
  });
});
