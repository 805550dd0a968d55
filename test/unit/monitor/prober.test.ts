import { expect, it } from 'vitest';
import { probeInput } from '../../../main/monitor/prober';

const input = (shape: readonly number[], datatype = 'FP32') => ({ name: 'I', datatype, shape: [...shape] });
const make = (
  shapes: readonly (readonly number[])[],
  mode: 'zero' | 'random' = 'random',
  datatype = 'FP32',
) => probeInput({ inputs: shapes.map((shape) => input(shape, datatype)) }, true, { input: mode, shapes: {} });

it('a probe is one item of what the server says', () => {
  expect(make([[-1, 3, -1]]).map(({ shape, data }) => [shape, data.byteLength])).toEqual([[[1, 3, 1], 12]]);
  expect(make([[-1, 2]], 'zero', 'BYTES')[0]?.data).toEqual(new Uint8Array(8));
});

it('the shape of an input that the model does not have is refused with those that it has', () => {
  const asked = () => probeInput({ inputs: [input([-1, 3])] }, true, { input: 'zero', shapes: { x: [3] } });
  expect(asked).toThrow('No input is named "x"');
});

it('a server cannot have a probe made that is larger than Triton takes, or of no shape', () => {
  for (const mode of ['zero', 'random'] as const) {
    expect(() => make([[1, 2 ** 24 + 1]], mode)).toThrow('is larger than 64 MiB');
    expect(() => make([[1, 1e15]], mode)).toThrow('is larger than');
    expect(() => make([[1, 1e200, 1e200]], mode)).toThrow('is larger than');
    expect(() => make([[1, 0.5]], mode)).toThrow('which no tensor has');
    // All of them together.
    const half = [1, 2 ** 23];
    expect(() => make([half, half, [1, 1]], mode)).toThrow('is larger than');
  }
});
