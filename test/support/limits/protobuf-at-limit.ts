import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { fileLimits } from '../../../main/contract/reader-limits';
import { field, tensorInfo } from '../onnx-bytes';
import { savedModelBytes } from '../savedmodel-bytes';
import { inFiles, type LimitFile, type ReadingJob, type Titled } from './at-limit';

const { fields, textBytes, tensors, axes, externalFiles } = fileLimits.protobufModel;
const longestName = 4096;
/** Fields that the rest of a file has. */
const others = 200;

const many = (unit: Buffer, count: number): Buffer => Buffer.alloc(unit.length * count, unit);

/** Units that differ by a number of eight digits, which `at` is the place of. */
function numbered(unit: Buffer, at: number, count: number): Buffer {
  const all = many(unit, count);
  for (let index = 0; index < count; index += 1)
    all.write(String(index).padStart(8, '0'), index * unit.length + at, 'latin1');
  return all;
}

const bytesOf = (parts: readonly Buffer[]): Buffer => Buffer.concat(parts);
/** A name of its own of so many bytes. */
const nameOf = (index: number, bytes: number): string => String(index).padEnd(bytes, 'n');
const listOf = (count: number, make: (index: number) => Buffer): Buffer =>
  bytesOf(Array.from({ length: count }, (_unused, index) => make(index)));

const node = (...parts: readonly Buffer[]) => field(1, bytesOf(parts));
const opset = field(8, bytesOf([field(1, ''), field(2, 17)]));
const model = (graph: Buffer, ...more: readonly Buffer[]): Buffer =>
  bytesOf([field(1, 8), field(7, graph), opset, ...more]);
const place = '00000000';
const whole = (unitFields: number) => Math.floor((fields - others) / unitFields);
const info = (name: string, many: number, dim: string) =>
  tensorInfo({ name, shape: Array.from({ length: many }, () => dim) });

const onnxTable: readonly Titled<Buffer>[] = [
  ['empty nodes', () => model(many(node(), whole(1)))],
  ['nodes with an operator', () => model(many(node(field(4, 'A')), whole(2)))],
  ['nodes with empty domains', () => model(many(node(field(7, '')), whole(2)))],
  ['operators that differ', () => model(numbered(node(field(4, place)), 4, whole(2)))],
  ['domains that differ', () => model(numbered(node(field(7, place)), 4, whole(2)))],
  [
    'long operators',
    () => model(listOf(textBytes / longestName - 4, (index) => node(field(4, nameOf(index, longestName))))),
  ],
  ['imported sets that differ', () => model(node(), numbered(field(8, field(1, place)), 4, whole(2)))],
  [
    'functions with domains that differ',
    () => model(node(), numbered(field(25, field(10, place)), 4, whole(2))),
  ],
  ['weights with names that differ', () => model(numbered(field(5, field(8, place)), 4, whole(2)))],
  ['weights without a name', () => model(many(field(5, Buffer.alloc(0)), whole(1)))],
  [
    'weights in other files',
    () =>
      model(
        listOf(externalFiles, (index) =>
          field(5, field(13, bytesOf([field(1, 'location'), field(2, nameOf(index, 3000))]))),
        ),
      ),
  ],
  [
    'one other file for all weights',
    () => model(many(field(5, field(13, bytesOf([field(1, 'location'), field(2, 'w')]))), whole(4))),
  ],
  [
    'inputs and outputs of many axes',
    () =>
      model(
        bytesOf([
          listOf(tensors, (index) => field(11, info(nameOf(index, 20), axes, 'd'))),
          listOf(tensors, (index) => field(12, info(nameOf(index, 20), axes, 'd'))),
        ]),
      ),
  ],
  [
    'inputs with long names',
    () =>
      model(
        bytesOf([
          listOf(tensors, (index) => field(11, info(nameOf(index, 4000), 1, 'd'))),
          listOf(tensors - 200, (index) => field(12, info(nameOf(index, 4000), 1, 'd'))),
        ]),
      ),
  ],
  [
    'inputs that are weights',
    () =>
      model(
        bytesOf([
          numbered(field(11, field(1, place)), 4, whole(4)),
          numbered(field(5, field(8, place)), 4, whole(4)),
        ]),
      ),
  ],
  [
    'graphs within each other',
    () => {
      let inner = many(node(), 1000);
      for (let depth = 0; depth < 32; depth += 1) inner = node(field(5, field(6, inner)));
      return model(many(inner, Math.floor(fields / 1200)));
    },
  ],
  ['attributes of one node', () => model(node(many(field(5, Buffer.alloc(0)), whole(1))))],
  [
    'long numbers',
    () => model(many(Buffer.from([0x10, ...Array.from({ length: 9 }, () => 0xff), 1]), whole(1))),
  ],
  ['fixed numbers', () => model(many(Buffer.from([0x15, 0, 0, 0, 0]), whole(1)))],
];

const onnxAbove: readonly Titled<Buffer>[] = [
  ['one field more', () => model(many(node(), fields))],
  ['one input more', () => model(listOf(tensors + 1, (index) => field(11, info(nameOf(index, 9), 1, 'd'))))],
  ['one axis more', () => model(field(11, info('x', axes + 1, 'd')))],
  [
    'one other file more',
    () =>
      model(
        listOf(externalFiles + 1, (index) =>
          field(5, field(13, bytesOf([field(1, 'location'), field(2, nameOf(index, 9))]))),
        ),
      ),
  ],
  [
    'names of one byte more',
    () => model(listOf(textBytes / longestName + 1, (index) => node(field(4, nameOf(index, longestName))))),
  ],
];

const farBytes = 2 ** 21 - 1;
const farWeights = 2000;

/** Weights of megabytes, all zeros, which take no room on the disk. */
const farApart: LimitFile = {
  what: 'weights far from each other in a file of gigabytes',
  async make(dir) {
    const path = join(dir, 'model.onnx');
    const header = Buffer.concat([field(7, '').subarray(0, 1)]);
    const file = await open(path, 'w');
    // Field 5 of the graph, then field 9 (raw data) of the weight with all of its bytes.
    const weight = field(5, field(9, Buffer.alloc(farBytes)));
    const start = weight.subarray(0, weight.length - farBytes);
    const length = weight.length * farWeights;
    const varint = field(1, length).subarray(1);
    await file.write(Buffer.concat([header, varint]), 0, null, 0);
    for (let index = 0; index < farWeights; index += 1)
      await file.write(start, 0, start.length, 1 + varint.length + index * weight.length);
    await file.write(opset, 0, opset.length, 1 + varint.length + length);
    await file.close();
    return { ask: 'reader', name: 'onnx', path };
  },
};

export const onnxAtLimit = (): LimitFile[] => {
  const job = (path: string): ReadingJob => ({ ask: 'reader', name: 'onnx', path });
  return [...inFiles(onnxTable, 'model.onnx', job), farApart, ...inFiles(onnxAbove, 'model.onnx', job, true)];
};

/** A SavedModel with more fields: of the graph that is served, of its graph, and of the file. */
function saved(
  parts: { readonly meta?: Buffer; readonly graph?: Buffer; readonly file?: Buffer } = {},
): Buffer {
  const metaInfo = field(1, field(4, 'serve'));
  const signature = field(5, bytesOf([field(1, 'serving_default'), field(2, entry(1, 'x', 1))]));
  const meta = bytesOf([
    metaInfo,
    signature,
    field(2, parts.graph ?? Buffer.alloc(0)),
    parts.meta ?? Buffer.alloc(0),
  ]);
  return bytesOf([field(1, 1), field(2, meta), parts.file ?? Buffer.alloc(0)]);
}
const entry = (side: number, name: string, many: number) =>
  field(
    side,
    bytesOf([
      field(1, name),
      field(
        2,
        bytesOf([
          field(2, 1),
          field(
            3,
            listOf(many, () => field(2, field(1, 3))),
          ),
        ]),
      ),
    ]),
  );
const signed = (...entries: readonly Buffer[]): Buffer =>
  saved({ meta: field(5, bytesOf([field(1, 'serving_default'), field(2, bytesOf(entries))])) });

const savedTable: readonly Titled<Buffer>[] = [
  ['empty nodes', () => saved({ graph: many(field(1, ''), whole(1)) })],
  ['nodes with an operator', () => saved({ graph: many(field(1, field(2, 'A')), whole(2)) })],
  ['operators that differ', () => saved({ graph: numbered(field(1, field(2, place)), 4, whole(2)) })],
  [
    'long operators',
    () =>
      saved({
        graph: listOf(textBytes / longestName - 4, (index) => field(1, field(2, nameOf(index, longestName)))),
      }),
  ],
  ['functions', () => saved({ graph: field(2, many(field(1, ''), whole(1))) })],
  ['libraries', () => saved({ graph: many(field(2, ''), whole(1)) })],
  [
    'nodes of one function',
    () => saved({ graph: field(2, field(1, many(field(3, field(2, 'A')), whole(2)))) }),
  ],
  [
    'signatures that differ',
    () => saved({ meta: numbered(field(5, bytesOf([field(1, place), field(2, '')])), 4, whole(3)) }),
  ],
  ['tags', () => saved({ meta: field(1, many(field(4, 'serve'), whole(1))) })],
  [
    'tags that differ, and none is served',
    () => bytesOf([field(1, 1), field(2, field(1, numbered(field(4, place), 2, whole(1))))]),
  ],
  ['graphs', () => saved({ file: many(field(2, ''), whole(1)) })],
  ['graphs with a tag', () => saved({ file: many(field(2, field(1, field(4, 't'))), whole(3)) })],
  [
    'signatures without the one',
    () =>
      bytesOf([
        field(1, 1),
        field(
          2,
          bytesOf([
            field(1, field(4, 'serve')),
            numbered(field(5, bytesOf([field(1, place), field(2, '')])), 4, whole(3)),
          ]),
        ),
      ]),
  ],
  [
    'inputs and outputs of many axes',
    () =>
      signed(
        listOf(tensors, (index) => entry(1, nameOf(index, 20), axes)),
        listOf(tensors, (index) => entry(2, nameOf(index, 20), axes)),
      ),
  ],
  [
    'inputs with long names that begin alike',
    () =>
      signed(
        listOf(tensors, (index) => entry(1, `${'n'.repeat(3900)}${index}`, 1)),
        listOf(tensors - 300, (index) => entry(2, `${'n'.repeat(3900)}${index}`, 1)),
      ),
  ],
  [
    'inputs whose names are long numbers',
    () =>
      signed(
        listOf(tensors, (index) => entry(1, `${'9'.repeat(3900)}${index}`, 1)),
        listOf(tensors - 300, (index) => entry(2, `${'0'.repeat(3900)}${index}`, 1)),
      ),
  ],
  ['one input again', () => signed(many(entry(1, 'x', 1), tensors))],
  ['fields that nobody reads', () => saved({ file: many(field(9, 1), whole(1)) })],
  [
    'long numbers',
    () => saved({ file: many(Buffer.from([0x48, ...Array.from({ length: 9 }, () => 0xff), 1]), whole(1)) }),
  ],
  [
    'a whole one, with constants of megabytes',
    () => bytesOf([savedModelBytes(), field(9, Buffer.alloc(64 * 2 ** 20))]),
  ],
];

const savedAbove: readonly Titled<Buffer>[] = [
  ['one field more', () => saved({ graph: many(field(1, ''), fields) })],
  ['one input more', () => signed(listOf(tensors + 1, (index) => entry(1, nameOf(index, 9), 1)))],
  ['one axis more', () => signed(entry(1, 'x', axes + 1))],
];

export const savedModelsAtLimit = (): LimitFile[] => {
  const job = (path: string, dir: string): ReadingJob => ({
    ask: 'reader',
    name: 'savedModel',
    path,
    input: { path: dir },
  });
  return [...inFiles(savedTable, 'saved_model.pb', job), ...inFiles(savedAbove, 'saved_model.pb', job, true)];
};
