import { truncate } from 'node:fs/promises';
import { fileLimits } from '../../../main/contract/reader-limits';
import { refusesEach, scripted } from '../../support/model-bench';
import { zipBytes } from '../../support/zip-bytes';

const file = 'model-file-invalid';

const { directoryBytes, parameters } = fileLimits.torchscript;

refusesEach('a TorchScript file', [
  {
    what: 'an archive whose directory is larger than any',
    make: ({ put }) => {
      const archive = scripted('  def forward(self: M, x: Tensor) -> Tensor:\n');
      // What the end of an archive states of its directory.
      archive.writeUInt32LE(directoryBytes + 1, archive.length - 10);
      return put('a.pt', archive);
    },
    code: file,
    says: [`a directory of ${directoryBytes + 1} bytes, at most ${directoryBytes} are read`],
  },
  {
    what: 'a forward with more parameters than any',
    make: ({ put }) =>
      put('a.pt', scripted(`  def forward(self: M${', x: Tensor'.repeat(parameters + 1)}) -> Tensor:\n`)),
    code: file,
    says: [`more than ${parameters} parameters`],
  },
  {
    what: 'a plain pickle that runs a command',
    make: ({ put, bomb }) => put('a.pt', bomb()),
    code: file,
    says: ['Not a TorchScript file but a plain pickle', 'torch.jit.script'],
  },
  {
    what: 'a pickle that runs a command, as torch.save packs it',
    make: ({ put, bomb }) => put('a.pt', zipBytes({ 'a/data.pkl': bomb(), 'a/version': '3' })),
    code: file,
    says: ['written by torch.save', 'not unpickled', 'init DIR'],
  },
  {
    what: 'a state dictionary',
    make: ({ put }) => put('a.pth', zipBytes({ 'a/data.pkl': '\x80\x02}q\x00.', 'a/data/0': 'w' })),
    code: file,
    says: ['holds weights or a pickled module', 'torch.jit.script'],
  },
  {
    what: 'two gigabytes named .pt',
    make: async ({ put }) => {
      const path = await put('a.pt', '');
      await truncate(path, 2 ** 31);
      return path;
    },
    code: file,
    says: ['only zero'],
  },
  {
    what: 'a truncated archive',
    make: ({ put }) =>
      put('a.pt', scripted('  def forward(self: M, x: Tensor) -> Tensor:\n').subarray(0, 90)),
    code: file,
    says: ['ZIP archive that is cut off'],
  },
  {
    what: 'a module without forward',
    make: ({ put }) => put('a.pt', scripted('  def other(self: M) -> int:\n')),
    code: file,
    says: ['no function "forward"'],
  },
  {
    what: 'a forward that takes a number',
    make: ({ put }) => put('a.pt', scripted('  def forward(self: M, x: Tensor,\n    n: int) -> Tensor:\n')),
    code: file,
    says: ['forward takes "n" of type int', 'only tensors'],
  },
  {
    what: 'a forward that takes nothing',
    make: ({ put }) => put('a.pt', scripted('  def forward(self: M) -> Tensor:\n')),
    code: file,
    says: ['forward takes no tensor'],
  },
  {
    what: 'an archive without its root',
    make: ({ put, bomb }) =>
      put('a.pt', zipBytes({ 'm/data.pkl': bomb(), 'm/code/x.py': '', 'm/constants.pkl': '' })),
    code: file,
    says: ['does not say which module'],
  },
]);
