import { describe, expect, it } from 'vitest';
import { headerProblem, withScheme } from '../../../main/contract/address';

describe('an address as it is typed', () => {
  it.each([
    ['localhost:8000', 'http://localhost:8000'],
    ['  triton.example:8000 ', 'http://triton.example:8000'],
    ['10.0.0.7', 'http://10.0.0.7'],
    ['[::1]:8000', 'http://[::1]:8000'],
    ['localhost:8000?grpcPort=9001', 'http://localhost:8000?grpcPort=9001'],
    ['http://localhost:8000', 'http://localhost:8000'],
    ['HTTPS://triton.example', 'HTTPS://triton.example'],
    ['ftp://triton.example', 'ftp://triton.example'],
    ['', ''],
  ])('%j is %j', (typed, address) => {
    expect(withScheme(typed)).toBe(address);
  });
});

describe('a header that goes with every request', () => {
  it.each([
    { name: 'Authorization', value: 'Bearer abc.def==' },
    { name: 'x-api-key', value: 'a b' },
  ])('may be %j', (header) => {
    expect(headerProblem(header)).toBeNull();
  });

  it.each([
    { name: '', value: 's3cr3t' },
    { name: 'a b', value: 's3cr3t' },
    { name: 'Host', value: 's3cr3t' },
    { name: 'content-length', value: 's3cr3t' },
    { name: 'Inference-Header-Content-Length', value: 's3cr3t' },
    { name: 'X-A', value: 's3cr3t\r\nX-B: 1' },
    { name: 'X-A', value: '' },
    { name: 'X-A', value: 'sécret' },
  ])('is refused as %j, without its value', (header) => {
    const problem = headerProblem(header);
    expect(problem).not.toBeNull();
    expect(problem).not.toContain('cr3t');
  });
});
