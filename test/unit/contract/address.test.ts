import { describe, expect, it } from 'vitest';
import { withScheme } from '../../../main/contract/address';

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
