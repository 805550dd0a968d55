import { describe, expect, it } from 'vitest';
import type { TlsFiles } from '../../../main/contract/address';
import { engineProblems, tlsFindings } from '../../../main/presets/engine-rules';
import { specFixture } from '../../support/run-state';

const fieldsOf = (
  tls: TlsFiles | undefined,
  change: Partial<ReturnType<typeof specFixture>['performance']> = {},
  url = 'https://triton.example',
) =>
  tlsFindings(
    specFixture((spec) => {
      spec.engine = { kind: 'remote', url, ...(tls === undefined ? {} : { tls }) };
      Object.assign(spec.performance, change);
    }),
  ).map(({ field, severity }) => `${severity} ${field}`);

describe('TLS of a remote Triton', () => {
  it('needs full paths, and a key for a certificate', () => {
    expect(fieldsOf(undefined)).toEqual([]);
    expect(fieldsOf({ caFile: '/ca.pem', certFile: '/c.pem', keyFile: '/k.pem' })).toEqual([]);
    expect(fieldsOf({ caFile: 'ca.pem' })).toEqual(['problem engine.tls.caFile']);
    expect(fieldsOf({ certFile: '/c.pem' })).toEqual(['problem engine.tls.keyFile']);
    expect(fieldsOf({ keyFile: '/k.pem' })).toEqual(['problem engine.tls.certFile']);
  });

  it('is of no use to an address in the clear', () => {
    expect(fieldsOf({ caFile: '/ca.pem' }, {}, 'http://triton.example:8000')).toEqual(['warning engine.url']);
    expect(fieldsOf({}, {}, 'http://triton.example:8000')).toEqual([]);
  });

  it('verifies the certificate, which a run cannot do without', () => {
    expect(fieldsOf({ insecure: true })).toEqual(['problem engine.tls.insecure']);
    expect(fieldsOf({ insecure: false })).toEqual([]);
    expect(fieldsOf({ insecure: true }, {}, 'http://triton.example:8000')).toEqual(['warning engine.url']);
  });

  it('has no other name for perf_analyzer', () => {
    const named = { serverName: 'triton.example' };
    expect(fieldsOf(named)).toEqual([]);
    expect(fieldsOf(named, { loadTool: 'perf_analyzer' })).toEqual(['problem engine.tls.serverName']);
    expect(fieldsOf(named, { crossCheck: true })).toEqual(['problem engine.tls.serverName']);
  });
});

it.each([
  [undefined, true, ['warning accuracy.allowUnverified']],
  ['26.06', true, ['warning accuracy.allowUnverified']],
  ['26.04', true, []],
  ['26.07', false, []],
])(
  'a plan of TensorRT 11 is not to be measured unverified: release %s, %s',
  (release, allowUnverified, expected) => {
    const spec = specFixture((one) => {
      one.engine = {
        kind: 'docker',
        gpus: ['all'],
        shmSizeMiB: 256,
        ...(release === undefined ? {} : { release }),
      };
      one.format = 'trt';
      one.accuracy.allowUnverified = allowUnverified;
    });
    const found = [engineProblems(spec)].flat().filter((one) => one !== false && one !== null);
    expect(found.map(({ field, severity }) => `${severity} ${field}`)).toEqual(expected);
  },
);
