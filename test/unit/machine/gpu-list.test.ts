import { describe, expect, it } from 'vitest';
import { parseGpuList } from '../../../main/machine/gpu-list';
import { readCapture } from './captures';

describe('list of GPUs', () => {
  it('gives the MIG devices of each GPU', async () => {
    expect(parseGpuList(await readCapture('list-a100-mig.txt'))).toEqual(
      new Map([
        [
          'GPU-2927d07e-3fe9-7904-9e08-b08b82d9a37d',
          new Map([[0, 'MIG-6e95ef19-5145-571b-b040-7e731f1c1af3']]),
        ],
        [
          'GPU-e109d8d9-923e-7235-0429-96b7fdbcbd30',
          new Map([[0, 'MIG-b4bcd4f3-6f69-516d-9404-b5ada80d760b']]),
        ],
      ]),
    );
  });

  it('knows the names of drivers before R470', async () => {
    const gpu = 'GPU-4200ccc0-2667-d4cb-9137-f932c716232a';
    expect(parseGpuList(await readCapture('list-a100-mig-r450.txt'))).toEqual(
      new Map([
        [gpu, new Map([7, 8, 9, 10, 11, 12].map((instance, index) => [index, `MIG-${gpu}/${instance}/0`]))],
      ]),
    );
  });

  it('skips what it does not know', async () => {
    const list = await readCapture('list-a100-mig.txt');
    expect(parseGpuList('No devices found.\n')).toEqual(new Map());
    expect(parseGpuList(list.split('\n').slice(1, 2).join('\n'))).toEqual(new Map());
    expect(parseGpuList(`Unable to determine the device handle\r\n${list}`)).toEqual(parseGpuList(list));
  });
});
