import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readTorchscript } from '../../../main/own/read-torchscript';
import { useModelBench } from '../../support/model-bench';
import { rejection } from '../../support/rejection';
import { zipBytes } from '../../support/zip-bytes';

const bench = useModelBench();

/** An archive whose code is deflated; `bytes` is what it states of the code's size. */
const packed = (forward: string, bytes?: number): Buffer => {
  const code = Buffer.from(`class M(Module):\n${forward}`);
  return zipBytes({
    'm/data.pkl': '\x80\x02c__torch__\nM\nq\x00)\x81}',
    'm/code/__torch__.py': { deflated: deflateRawSync(code), bytes: bytes ?? code.length },
    'm/constants.pkl': '\x80\x02).',
  });
};

describe('the code of a TorchScript file', () => {
  it('gives the inputs, with types of several words, defaults and brackets', async () => {
    const forward =
      '  def forward(self: M,\n    x: Tensor,  y :  Tensor , n: Dict[str, int]={}, z: Tensor=None) -> Tensor:\n';
    expect(readTorchscript(await bench().put('a.pt', packed(forward)))).toEqual(['x', 'y']);
  });

  // Both took longer than the test may: 15 MB is just below what is read of an entry.
  const blanks = ' '.repeat(15_000_000);

  it.each([
    ['between a type and the end', `self: M, x: Tensor${blanks}y) -> Tensor:\n`],
    ['before a colon', `self: M, x${blanks}: int) -> Tensor:\n`],
  ])('is read once where it has millions of blanks %s', async (_where, parameters) => {
    const path = await bench().put('a.pt', packed(`  def forward(${parameters}`));
    const error = await rejection(Promise.resolve().then(() => readTorchscript(path)));
    expect(error.code).toBe('model-file-invalid');
    expect(error.message.length).toBeLessThan(500);
  });

  it('is read once where it begins the function a million times', async () => {
    const path = await bench().put('a.pt', packed('\n  def forward('.repeat(1_000_000)));
    const error = await rejection(Promise.resolve().then(() => readTorchscript(path)));
    expect(error.message).toContain('no function "forward"');
  });

  it('is not unpacked beyond the size that the archive states', async () => {
    const forward = `  def forward(self: M, x: Tensor) -> Tensor:\n${'# zeros\n'.repeat(1_000_000)}`;
    const path = await bench().put('a.pt', packed(forward, 100));
    const error = await rejection(Promise.resolve().then(() => readTorchscript(path)));
    expect(error).toMatchObject({ code: 'model-file-invalid', where: path });
    expect(error.message).toContain('unpacks to more than the 100 bytes');
  });
});
